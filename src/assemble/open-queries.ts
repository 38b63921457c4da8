/** What an opened collection asks beyond the questions that its rooms answer: one capture, one server, one span of time. */
import type { Instant } from '../base/clock.ts'
import { signed64 } from '../base/digest.ts'
import { siteKeyOf } from '../collection/site-key.ts'
import type { Tx } from '../database/database.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import type { Capture } from '../visit/report.ts'
import type { SiteName, UrlKey } from '../visit/visit.ts'

export interface PlacedCapture extends Capture {
  url: string
  at: Instant
  status: number
  mediaType: string
}

const SELECT = `SELECT c.url, c.at, c.status, c.media_type AS mediaType, c.digest, c.kind, v.name AS volume, c.offset,
  c.length FROM capture c JOIN volume v ON v.id = c.volume`

/** The last capture that is not younger than `at`. */
export function captureCurrentAt(tx: Tx, site: SiteName, key: UrlKey, at: Instant): PlacedCapture | undefined {
  const sql = `${SELECT} WHERE c.site = ? AND c.key = ? AND c.at <= ? ORDER BY c.at DESC, c.id DESC LIMIT 1`
  return sqliteTx(tx).get<PlacedCapture>(sql, siteKeyOf(site), signed64(key), at)
}

/**
 * The capture to which a revisit refers. Looked for by its digest, not by its site: a robots.txt that another host
 * answered for is filed under the site that asked.
 */
export function responseAt(tx: Tx, digest: string, url: string, at: Instant): PlacedCapture | undefined {
  const sql = `${SELECT} WHERE c.digest = ? AND c.kind = 'response' AND c.url = ? AND c.at = ? LIMIT 1`
  return sqliteTx(tx).get<PlacedCapture>(sql, digest, url, at)
}

/** Any capture that holds a payload. */
export function responseWith(tx: Tx, digest: string): PlacedCapture | undefined {
  const sql = `${SELECT} WHERE c.digest = ? AND c.kind = 'response' ORDER BY c.id LIMIT 1`
  return sqliteTx(tx).get<PlacedCapture>(sql, digest)
}

export function documentsOf(tx: Tx, site: SiteName): number {
  const sql = 'SELECT documents FROM server WHERE site = ?'
  return sqliteTx(tx).get<{ documents: number }>(sql, siteKeyOf(site))?.documents ?? 0
}

/** The first and the last moment at which anything was learnt. */
export function spanOf(tx: Tx): { begunAt: Instant | undefined; lastAt: Instant | undefined } {
  const row = sqliteTx(tx).get<{ first: number | null; last: number | null }>(
    'SELECT min(first_at) AS first, max(last_at) AS last FROM server',
  )
  return { begunAt: row?.first ?? undefined, lastAt: row?.last ?? undefined }
}
