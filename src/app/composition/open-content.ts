/** A page as it was collected: its head, its payload (a revisit's comes from the capture it repeats), its decoded body and characters. */
import type { Instant } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { ReadLocation } from '../../collection/volumes/local-volumes.ts'
import { readCapture } from '../../collection/volumes/read-capture.ts'
import type { Database } from '../../database/database.ts'
import type { FrontierViews } from '../../frontier/views.ts'
import { readCharacters } from '../../page/reading.ts'
import { decodeContent } from '../../web/http/decode.ts'
import { headerOf, parseMediaType } from '../../web/http/headers.ts'
import { captureCurrentAt, responseAt, responseWith } from './open-queries.ts'

export interface Content {
  url: string
  at: Instant
  status: number
  mediaType: string
  head: Uint8Array
  payload: Uint8Array
  body: Uint8Array
  charset: string
  text: Uint8Array
  volume: string
  offset: number
}

/** What one asks for by name may be larger than what a crawler unfolds unseen; a bomb ends here all the same. */
const DECODE_LIMIT = { bytes: 256 * 2 ** 20, ratio: 10_000 }

export async function contentOf(
  database: Database,
  looks: FrontierViews,
  volumes: ReadLocation,
  text: string,
  at: Instant | undefined,
): Promise<Content | undefined> {
  const moment = at ?? Number.MAX_SAFE_INTEGER
  const capture = await database.read(async (tx) => {
    const url = (await looks.reader(tx)).parse(text)
    if (url === undefined) return undefined
    return captureCurrentAt(tx, url.site, (await looks.url(tx, text))?.key ?? url.key, moment)
  })
  if (capture === undefined) return undefined
  // Whose report never came is in no catalogue; the same payload under another URL is as good, for its digest is compared.
  const findOriginal = (originalUrl: string, originalAt: Instant) =>
    database.read(
      async (tx) =>
        (await responseAt(tx, capture.digest, originalUrl, originalAt)) ?? (await responseWith(tx, capture.digest)),
    )
  const read = await readCapture(volumes, capture, findOriginal)
  if (read.kind === 'unreadable')
    throw new Problem(
      'unreadable',
      `${capture.url} cannot be read (${read.why}); 'orbweaver verify' tells what else is damaged`,
    )
  const body = await decoded(read.body, headerOf(read.http.headers, 'content-encoding'))
  const { type, charset: told } = parseMediaType(headerOf(read.http.headers, 'content-type'))
  const { charset, utf8 } = readCharacters({ mediaType: type, charset: told, bytes: body })
  return {
    url: capture.url,
    at: capture.at,
    status: capture.status,
    mediaType: capture.mediaType,
    head: read.http.wireHead,
    payload: read.body,
    body,
    charset,
    text: utf8,
    volume: capture.volume,
    offset: capture.offset,
  }
}

async function decoded(payload: Uint8Array, coding: string | undefined): Promise<Uint8Array> {
  const { bytes, trouble } = await decodeContent(payload, coding, DECODE_LIMIT)
  return trouble !== undefined && bytes.length === 0 ? payload : bytes
}
