/** Captures as they are read: all of a URL (`get`, `history`), and the new ones, in order, for the CDXJ index. */

import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Capture } from '../../visit/report.ts'
import type { SiteName, UrlKey } from '../../visit/visit.ts'
import { siteKeyOf } from '../site-key.ts'

export interface StoredCapture extends Capture {
  /** Grows with the order in which captures were applied. */
  id: number
  url: string
  at: Instant
  status: number
  mediaType: string
  /** Its payload was in the collection already. */
  duplicate: boolean
}

interface Row extends Omit<StoredCapture, 'duplicate'> {
  duplicate: number
}

const SELECT = `SELECT c.id, c.url, c.at, c.status, c.media_type AS mediaType, c.digest, c.kind, v.name AS volume,
  c.offset, c.length, c.duplicate FROM capture c JOIN volume v ON v.id = c.volume`

/** Oldest first. */
export function capturesOf(tx: Tx, site: SiteName, key: UrlKey, atMost = 10_000): StoredCapture[] {
  const sql = `${SELECT} WHERE c.site = ? AND c.key = ? ORDER BY c.at, c.id LIMIT ?`
  return sqliteTx(tx).all<Row>(sql, siteKeyOf(site), signed64(key), atMost).map(stored)
}

/** Those applied after `id`, in the order of their ids: call again with the last one's id until none come. */
export function capturesSince(tx: Tx, id: number, atMost: number): StoredCapture[] {
  const sql = `${SELECT} WHERE c.id > ? ORDER BY c.id LIMIT ?`
  return sqliteTx(tx).all<Row>(sql, id, atMost).map(stored)
}

/** For `verify`: what the catalogue says of a volume, in the order of the file. */
export function capturesIn(tx: Tx, volume: string, fromOffset: number, atMost: number): StoredCapture[] {
  const sql = `${SELECT} WHERE v.name = ? AND c.offset >= ? ORDER BY c.offset LIMIT ?`
  return sqliteTx(tx).all<Row>(sql, volume, fromOffset, atMost).map(stored)
}

/** The end of the last record of a volume that the catalogue knows: all before it was synced. */
export function knownEnd(tx: Tx, volume: string): number {
  const sql = `SELECT c.offset + c.length AS end FROM capture c WHERE c.volume = (SELECT id FROM volume WHERE name = ?)
    ORDER BY c.offset DESC LIMIT 1`
  return sqliteTx(tx).get<{ end: number }>(sql, volume)?.end ?? 0
}

export function captureCount(tx: Tx): number {
  return sqliteTx(tx).get<{ n: number }>('SELECT count(*) AS n FROM capture')!.n
}

/** The row itself becomes the capture: an index goes over millions of them. */
function stored(row: Row): StoredCapture {
  const capture: object = row
  return Object.assign(capture, { duplicate: row.duplicate !== 0 }) as StoredCapture
}
