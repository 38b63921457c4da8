/** Reads captures: of a URL (`get`, `history`), of a payload, of a volume, and all of them. */
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { ChangeClass } from '../../contracts/change.ts'
import type { Capture } from '../../contracts/report.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import type { Database, Tx } from '../../database/database.ts'
import { countOf, queries } from '../../database/queries.ts'
import type { SqlValue } from '../../database/sqlite/tx.ts'
import { parseUrl } from '../../web/url/web-url.ts'
import { inPieces, pieceOf, rowOf, siteNamed } from '../row-id.ts'

export interface StoredCapture extends Capture {
  /** Grows in the order in which captures were applied. */
  id: number
  url: string
  at: Instant
  status: number
  mediaType: string
  /** The collection already had its payload. */
  duplicate: boolean
  /** Since the look before; null: the first, or the same. */
  change: ChangeClass | null
  place: string | null
}

const SELECT = `SELECT c.id, c.url, c.at, c.status, c.media_type AS "mediaType", c.digest, c.kind,
  v.name AS volume, c."offset", c.length, c.duplicate, c.change, c.place FROM capture c JOIN volume v ON v.id = c.volume`
const OF_URL = 'c.bucket = ? AND c.site = ? AND c.key = ?'

/** `which`: the conditions and all that follows them. Reuses the row objects: an index reads millions of them. */
async function captures(tx: Tx, which: string, ...values: SqlValue[]): Promise<StoredCapture[]> {
  const rows = await queries(tx).all<Omit<StoredCapture, 'duplicate'> & { duplicate: number }>(
    `${SELECT} WHERE ${which}`,
    ...values,
  )
  return rows.map((row) => Object.assign(row as object, { duplicate: row.duplicate !== 0 }) as StoredCapture)
}

/** The last captures of a URL at or before a time, oldest first. */
export async function capturesOf(
  tx: Tx,
  site: SiteName,
  key: UrlKey,
  upTo: Instant = Number.MAX_SAFE_INTEGER,
  atMost = 10_000,
): Promise<StoredCapture[]> {
  const which = `${OF_URL} AND c.at <= ? ORDER BY c.at DESC, c.id DESC LIMIT ?`
  const found = await captures(tx, which, ...siteNamed(tx, site), signed64(key), upTo, atMost)
  return found.reverse()
}

/**
 * It has the page: whole, or by a 304 that refers to it. An unrequested 304 refers to nothing, and a 206 is an
 * unrequested part.
 */
export function hasPage({ status, kind }: Pick<StoredCapture, 'status' | 'kind'>): boolean {
  return (status >= 200 && status <= 299 && status !== 206) || (status === 304 && kind === 'revisit')
}

const isWhole = (c: string) => `(${c}.status BETWEEN 200 AND 299 AND ${c}.status <> 206)`
/** The same in SQL, of a row `c`; and of a capture with its own payload. */
export const isGoodCapture = (c: string) => `(${isWhole(c)} OR ${c}.status = 304 AND ${c}.kind = 'revisit')`
export const IS_WHOLE = isWhole('c')

/** The last capture of a URL at or before a time that has the page; if none has, the last of all. */
export async function currentCapture(
  tx: Tx,
  site: SiteName,
  key: UrlKey,
  upTo: Instant = Number.MAX_SAFE_INTEGER,
): Promise<StoredCapture | undefined> {
  const which = `${OF_URL} AND c.at <= ? AND ${isGoodCapture('c')} ORDER BY c.at DESC, c.id DESC LIMIT 1`
  const [good] = await captures(tx, which, ...siteNamed(tx, site), signed64(key), upTo)
  return good ?? (await capturesOf(tx, site, key, upTo, 1))[0]
}

const SAME = `c.digest = ? AND c.kind = 'response' AND c.url = ? AND c.at = ? LIMIT 1`

/**
 * The capture to which a revisit refers. Found by digest, not by site: a robots.txt that another host answered is filed under the
 * site that asked. PostgreSQL indexes only the first response of a payload by digest, the others by site. When this finds none,
 * `responseWith` finds the same bytes.
 */
export async function responseAt(tx: Tx, digest: string, url: string, at: Instant): Promise<StoredCapture | undefined> {
  if (tx.dialect === 'sqlite') return (await captures(tx, SAME, digest, url, at))[0]
  const first = await responseWith(tx, digest)
  if (first?.url === url && first.at === at) return first
  const site = parseUrl(url)?.site
  if (site === undefined) return undefined
  const which = `c.bucket = ? AND c.site = ? AND ${SAME}`
  return (await captures(tx, which, ...siteNamed(tx, site), digest, url, at))[0]
}

/** On PostgreSQL payloads have a table of their own, whose rows belong to no bucket. */
export const READ_PAYLOAD = 'SELECT bucket, capture FROM payload WHERE shard = ? AND digest = ?'

/** The first response that holds a payload. Its report was applied, so its record is durable and a revisit may refer to it. */
export async function responseWith(tx: Tx, digest: string): Promise<StoredCapture | undefined> {
  if (tx.dialect === 'sqlite')
    return (await captures(tx, `c.digest = ? AND c.kind = 'response' ORDER BY c.id LIMIT 1`, digest))[0]
  // Two statements, because the two rows may be on two machines.
  const sql = READ_PAYLOAD
  const payload = await queries(tx).get<{ bucket: number; capture: number }>(sql, shardOf(digest), digest)
  if (payload === undefined) return undefined
  return (await captures(tx, 'c.bucket = ? AND c.id = ?', payload.bucket, payload.capture))[0]
}

/** By bucket, in the order in which they were applied: call again with the last id until none come. */
export function capturesSince(tx: Tx, id: number, atMost: number): Promise<StoredCapture[]> {
  const { after, order } = pieceOf(tx.dialect, 'c')
  return captures(tx, `${after} ${order} LIMIT ?`, ...rowOf(id), atMost)
}

/** As `capturesSince`, of one bucket. */
export function capturesOfBucket(tx: Tx, bucket: number, id: number, atMost: number): Promise<StoredCapture[]> {
  return captures(tx, 'c.bucket = ? AND c.id > ? ORDER BY c.id LIMIT ?', bucket, id, atMost)
}

const CAPTURES_AT_ONCE = 1000

export async function* everyCapture(database: Database): AsyncGenerator<StoredCapture> {
  const read = (last?: StoredCapture) => database.read((tx) => capturesSince(tx, last?.id ?? 0, CAPTURES_AT_ONCE))
  for await (const captures of inPieces(read)) yield* captures
}

/** By the volume's id, read first: with a join PostgreSQL sorts the whole volume each time. */
const IN_VOLUME = 'c.volume = (SELECT id FROM volume WHERE name = ?)'

/** For `verify`: the catalogue's captures of a volume, in the order of the file. */
export function capturesIn(tx: Tx, volume: string, fromOffset: number, atMost: number): Promise<StoredCapture[]> {
  return captures(tx, `${IN_VOLUME} AND c."offset" >= ? ORDER BY c."offset" LIMIT ?`, volume, fromOffset, atMost)
}

/** The end of the last record of a volume in the catalogue: everything before it was synced. */
export async function knownEnd(tx: Tx, volume: string): Promise<number> {
  const [last] = await captures(tx, `${IN_VOLUME} ORDER BY c."offset" DESC LIMIT 1`, volume)
  return last === undefined ? 0 : last.offset + last.length
}

export function captureCount(tx: Tx): Promise<number> {
  return countOf(tx, 'SELECT count(*) AS n FROM capture')
}
