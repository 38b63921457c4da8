/** A page as it was collected: head, payload (of a revisit, from the capture it repeats), decoded body and text. */
import type { Instant } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { capturesOf, responseAt, responseWith, type StoredCapture } from '../../collection/captures/read-captures.ts'
import type { ReadLocation } from '../../collection/volumes/local-volumes.ts'
import { readCapture } from '../../collection/volumes/read-capture.ts'
import type { Database } from '../../database/database.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { readCharacters } from '../../page/reading.ts'
import { decodeContent } from '../../web/http/decode.ts'
import { headerOf, parseMediaType } from '../../web/http/headers.ts'

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

/** More than a crawl allows, for the operator asked for this page; still bounded, against bombs. */
const DECODE_LIMIT = { bytes: 256 * 2 ** 20, ratio: 10_000 }

/** The captures of a URL, in whatever spelling: `history` lists them, `get` reads the last one. */
export function capturesFor(
  database: Database,
  text: string,
  upTo?: Instant,
  atMost?: number,
): Promise<StoredCapture[]> {
  return database.read(async (tx) => {
    const url = (await frontierQueries.reader(tx)).parse(text)
    return url === undefined
      ? []
      : capturesOf(tx, url.site, (await frontierQueries.url(tx, text))?.key ?? url.key, upTo, atMost)
  })
}

export async function contentOf(
  database: Database,
  volumes: ReadLocation,
  text: string,
  at: Instant | undefined,
): Promise<Content | undefined> {
  const [capture] = await capturesFor(database, text, at, 1)
  if (capture === undefined) return undefined
  const { url, status, mediaType, digest, volume, offset } = capture
  // A capture whose report never came is not in the catalogue. The same payload under another URL will do: the digest is compared.
  const findOriginal = (originalUrl: string, originalAt: Instant) =>
    database.read(
      async (tx) => (await responseAt(tx, digest, originalUrl, originalAt)) ?? (await responseWith(tx, digest)),
    )
  const read = await readCapture(volumes, capture, findOriginal)
  if (read.kind === 'unreadable')
    throw new Problem(
      'unreadable',
      `${url} cannot be read (${read.why}); 'orbweaver verify' lists what else is damaged`,
    )
  const { headers, wireHead: head } = read.http
  const body = await decoded(read.body, headerOf(headers, 'content-encoding'))
  const declared = parseMediaType(headerOf(headers, 'content-type'))
  const { charset, utf8 } = readCharacters({ mediaType: declared.type, charset: declared.charset, bytes: body })
  return { url, at: capture.at, status, mediaType, head, payload: read.body, body, charset, text: utf8, volume, offset }
}

async function decoded(payload: Uint8Array, coding: string | undefined): Promise<Uint8Array> {
  const { bytes, trouble } = await decodeContent(payload, coding, DECODE_LIMIT)
  return trouble !== undefined && bytes.length === 0 ? payload : bytes
}
