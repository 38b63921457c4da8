/** A page as it was collected: head, payload (of a revisit, from the capture it repeats), decoded body and text; and its looks. */
import type { Instant } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { pick } from '../../base/pick.ts'
import {
  capturesOf,
  currentCapture,
  hasPage,
  responseAt,
  responseWith,
  type StoredCapture,
} from '../../collection/captures/read-captures.ts'
import { failedLooksOf } from '../../collection/pages/read-pages.ts'
import type { ReadLocation } from '../../collection/volumes/local-volumes.ts'
import { readCapture } from '../../collection/volumes/read-capture.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { readCharacters } from '../../page/reading.ts'
import { type DecodeLimit, decodeContent } from '../../web/http/decode.ts'
import { listedIn, mediaTypeOf } from '../../web/http/headers.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'

export type Content = Awaited<ReturnType<typeof readContent>>

/** More than a crawl allows, because the operator wants this page; still bounded, against bombs. */
const DECODE_LIMIT = { bytes: 256 * 2 ** 20, ratio: 10_000 }

/** Reads something about a URL in any spelling; undefined if the text is no URL. */
export function ofUrl<T>(
  database: Database,
  text: string,
  read: (tx: Tx, site: SiteName, key: UrlKey) => Promise<T>,
): Promise<T | undefined> {
  return database.read(async (tx) => {
    const url = (await frontierQueries.reader(tx)).parse(text)
    if (url === undefined) return undefined
    return read(tx, url.site, (await frontierQueries.url(tx, text))?.key ?? url.key)
  })
}

/** What a capture shows, compared with the last one before it that has the page. */
export type LookResult = 'first' | 'changed' | 'same' | 'unmodified' | 'moved' | 'missing' | 'gone' | 'failed'

/** What `history` prints of a capture. */
const HISTORY = [
  ...(['at', 'status', 'mediaType', 'length', 'digest', 'kind', 'volume', 'offset', 'change', 'place'] as const),
] as const
const MAX_HISTORY = 10_000

/** Every look at a URL: its captures, and looks that left none; oldest first. */
export async function historyOf(database: Database, text: string) {
  const found = await ofUrl(database, text, async (tx, site, key) => ({
    // One more, to compare the first one with.
    captures: await capturesOf(tx, site, key, undefined, MAX_HISTORY + 1),
    failedLooks: await failedLooksOf(tx, site, key),
  }))
  if (found === undefined) return { captures: [], failedLooks: [] }
  let digest: string | undefined
  const captures = found.captures.map((capture) => {
    const look = lookResult(capture, digest)
    if (look === 'first' || look === 'changed') digest = capture.digest
    return { ...pick(capture, ...HISTORY), look }
  })
  return { captures: captures.slice(-MAX_HISTORY), failedLooks: found.failedLooks }
}

function lookResult(capture: StoredCapture, before: string | undefined): LookResult {
  const { status, digest } = capture
  if (hasPage(capture)) {
    if (status === 304) return 'unmodified'
    return before === undefined ? 'first' : before === digest ? 'same' : 'changed'
  }
  if (status >= 300 && status <= 399 && status !== 304) return 'moved'
  return status === 404 ? 'missing' : status === 410 ? 'gone' : 'failed'
}

export async function contentOf(
  database: Database,
  volumes: ReadLocation,
  text: string,
  at: Instant | undefined,
  limit = DECODE_LIMIT,
): Promise<Content | undefined> {
  const capture = await ofUrl(database, text, (tx, site, key) => currentCapture(tx, site, key, at))
  return capture === undefined ? undefined : readContent(database, volumes, capture, limit)
}

export async function readContent(
  database: Database,
  volumes: ReadLocation,
  capture: StoredCapture,
  limit = DECODE_LIMIT,
) {
  const { url, digest, volume, offset } = capture
  // A capture whose report never came is not in the catalogue. The same payload under another URL will do: the digest is compared.
  const findOriginal = (originalUrl: string, originalAt: Instant) =>
    database.read(
      async (tx) => (await responseAt(tx, digest, originalUrl, originalAt)) ?? (await responseWith(tx, digest)),
    )
  const read = await readCapture(volumes, capture, findOriginal)
  if (read.kind === 'unreadable')
    throw new Problem(
      'unreadable',
      `${url} of ${isoInstant(capture.at)} cannot be read (${read.why}); 'orbweaver verify' lists what else is damaged`,
    )
  const { headers, wireHead: head, status } = read.http
  const body = await decoded(read.body, listedIn(headers, 'content-encoding'), limit)
  const declared = mediaTypeOf(headers)
  const { charset, utf8 } = readCharacters({ mediaType: declared.type, charset: declared.charset, bytes: body })
  const bytes = { head, payload: read.body, body, text: utf8 }
  return { url, at: capture.at, status, mediaType: declared.type, charset, ...bytes, volume, offset }
}

async function decoded(payload: Uint8Array, coding: string | undefined, limit: DecodeLimit): Promise<Uint8Array> {
  const { bytes, trouble } = await decodeContent(payload, coding, limit)
  return trouble !== undefined && bytes.length === 0 ? payload : bytes
}
