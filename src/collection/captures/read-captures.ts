/** Reads captures: all of a URL (`get`, `history`), those of a volume, and the new ones for the CDXJ index. */
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Capture } from '../../contracts/report.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { pieceOf, rowOf, siteAt, siteKeyOf } from '../row-id.ts'

export interface StoredCapture extends Capture {
  /** Grows in the order in which captures were applied. */
  id: number
  url: string
  at: Instant
  status: number
  mediaType: string
  /** Its payload was in the collection already. */
  duplicate: boolean
}

type Row = Omit<StoredCapture, 'duplicate'> & { duplicate: number }

const SELECT = `SELECT c.id, c.url, c.at, c.status, c.media_type AS "mediaType", c.digest, c.kind,
  v.name AS volume, c."offset", c.length, c.duplicate FROM capture c JOIN volume v ON v.id = c.volume`

/** The last captures of a URL at or before a time, oldest first. */
export async function capturesOf(
  tx: Tx,
  site: SiteName,
  key: UrlKey,
  upTo: Instant = Number.MAX_SAFE_INTEGER,
  atMost = 10_000,
): Promise<StoredCapture[]> {
  const sql = `${SELECT} WHERE c.bucket = ? AND c.site = ? AND c.key = ? AND c.at <= ?
    ORDER BY c.at DESC, c.id DESC LIMIT ?`
  const rows = await queries(tx).all<Row>(sql, ...siteAt(tx.dialect, siteKeyOf(site)), signed64(key), upTo, atMost)
  return rows.reverse().map(stored)
}

/** By bucket, in the order in which they were applied: call again with the last id until none come. */
export async function capturesSince(tx: Tx, id: number, atMost: number): Promise<StoredCapture[]> {
  const { after, order } = pieceOf(tx.dialect, 'c')
  const rows = await queries(tx).all<Row>(`${SELECT} WHERE ${after} ${order} LIMIT ?`, ...rowOf(id), atMost)
  return rows.map(stored)
}

/** As `capturesSince`, of one bucket. */
export async function capturesOfBucket(tx: Tx, bucket: number, id: number, atMost: number): Promise<StoredCapture[]> {
  const sql = `${SELECT} WHERE c.bucket = ? AND c.id > ? ORDER BY c.id LIMIT ?`
  return (await queries(tx).all<Row>(sql, bucket, id, atMost)).map(stored)
}

/** For `verify`: the catalogue's captures of a volume, in the order of the file. */
export async function capturesIn(tx: Tx, volume: string, fromOffset: number, atMost: number): Promise<StoredCapture[]> {
  // By the volume's id, read first: with a join PostgreSQL sorts the whole volume each time.
  const sql = `${SELECT} WHERE c.volume = (SELECT id FROM volume WHERE name = ?) AND c."offset" >= ?
    ORDER BY c."offset" LIMIT ?`
  return (await queries(tx).all<Row>(sql, volume, fromOffset, atMost)).map(stored)
}

/** The end of the last record of a volume in the catalogue: everything before it was synced. */
export async function knownEnd(tx: Tx, volume: string): Promise<number> {
  const sql = `SELECT c."offset" + c.length AS "end" FROM capture c
    WHERE c.volume = (SELECT id FROM volume WHERE name = ?) ORDER BY c."offset" DESC LIMIT 1`
  return (await queries(tx).get<{ end: number }>(sql, volume))?.end ?? 0
}

export async function captureCount(tx: Tx): Promise<number> {
  return (await queries(tx).get<{ n: number }>('SELECT count(*) AS n FROM capture'))!.n
}

/** Reuses the row object: an index reads millions of them. */
function stored(row: Row): StoredCapture {
  const capture: object = row
  return Object.assign(capture, { duplicate: row.duplicate !== 0 }) as StoredCapture
}
