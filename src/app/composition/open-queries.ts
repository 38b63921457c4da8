/** What an opened collection asks beyond the questions that its rooms answer: one capture, one server, one span of time. */
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import { siteAt, siteKeyOf } from '../../collection/row-id.ts'
import type { Capture } from '../../contracts/report.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import { shardOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { parseUrl } from '../../web/url/web-url.ts'

export interface LocatedCapture extends Capture {
  url: string
  at: Instant
  status: number
  mediaType: string
}

const COLUMNS = `c.url, c.at, c.status, c.media_type AS "mediaType", c.digest, c.kind, v.name AS volume, c."offset",
  c.length`
const SELECT = `SELECT ${COLUMNS} FROM capture c JOIN volume v ON v.id = c.volume`

/** The last capture that is not younger than `at`. */
export function captureCurrentAt(
  tx: Tx,
  site: SiteName,
  key: UrlKey,
  at: Instant,
): Promise<LocatedCapture | undefined> {
  const sql = `${SELECT} WHERE c.bucket = ? AND c.site = ? AND c.key = ? AND c.at <= ?
    ORDER BY c.at DESC, c.id DESC LIMIT 1`
  return queries(tx).get<LocatedCapture>(sql, ...siteAt(tx.dialect, siteKeyOf(site)), signed64(key), at)
}

/**
 * The capture to which a revisit refers. Looked for by its digest, not by its site: a robots.txt that another host
 * answered for is filed under the site that asked. PostgreSQL knows the first response of a payload by its digest, the
 * others only by their site; who is told of none takes `responseWith`, which holds the same bytes.
 */
export async function responseAt(
  tx: Tx,
  digest: string,
  url: string,
  at: Instant,
): Promise<LocatedCapture | undefined> {
  const same = `c.digest = ? AND c.kind = 'response' AND c.url = ? AND c.at = ?`
  if (tx.dialect === 'sqlite')
    return queries(tx).get<LocatedCapture>(`${SELECT} WHERE ${same} LIMIT 1`, digest, url, at)
  const first = await responseWith(tx, digest)
  if (first?.url === url && first.at === at) return first
  const site = parseUrl(url)?.site
  if (site === undefined) return undefined
  const sql = `${SELECT} WHERE c.bucket = ? AND c.site = ? AND ${same} LIMIT 1`
  return queries(tx).get<LocatedCapture>(sql, ...siteAt(tx.dialect, siteKeyOf(site)), digest, url, at)
}

/** Any capture that holds a payload. */
export function responseWith(tx: Tx, digest: string): Promise<LocatedCapture | undefined> {
  if (tx.dialect === 'sqlite') {
    const sql = `${SELECT} WHERE c.digest = ? AND c.kind = 'response' ORDER BY c.id LIMIT 1`
    return queries(tx).get<LocatedCapture>(sql, digest)
  }
  const sql = `SELECT ${COLUMNS} FROM payload p JOIN capture c ON c.bucket = p.bucket AND c.id = p.capture
    JOIN volume v ON v.id = c.volume WHERE p.shard = ? AND p.digest = ?`
  return queries(tx).get<LocatedCapture>(sql, shardOf(digest), digest)
}

export async function documentsOf(tx: Tx, site: SiteName): Promise<number> {
  const sql = 'SELECT documents FROM site_stats WHERE bucket = ? AND site = ?'
  const row = await queries(tx).get<{ documents: number }>(sql, ...siteAt(tx.dialect, siteKeyOf(site)))
  return row?.documents ?? 0
}

/** The first and the last moment at which anything was learnt. */
export async function spanOf(tx: Tx): Promise<{ begunAt: Instant | undefined; lastAt: Instant | undefined }> {
  const row = await queries(tx).get<{ first: number | null; last: number | null }>(
    'SELECT min(first_at) AS first, max(last_at) AS last FROM site_stats',
  )
  return { begunAt: row?.first ?? undefined, lastAt: row?.last ?? undefined }
}
