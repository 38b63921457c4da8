/** The crawl's counters: sums of what visits counted, by day. Written with the parts that counted them, so exactly once. */
import type { Instant } from '../../base/clock.ts'
import type { CountName } from '../../contracts/counts.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { siteAt, siteKeyOf } from '../site-key.ts'

/** Every counter's sum over all days. */
export async function readCounters(tx: Tx): Promise<Map<string, number>> {
  const rows = await queries(tx).all<{ name: string; value: number }>(
    'SELECT name, sum(value) AS value FROM counter GROUP BY name',
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** One counter's sum: `documents` for the bound on a crawl's pages. */
export async function readCounter(tx: Tx, name: CountName): Promise<number> {
  const sql = 'SELECT coalesce(sum(value), 0) AS value FROM counter WHERE name = ?'
  return (await queries(tx).get<{ value: number }>(sql, name))!.value
}

/** UTC. */
export function dayOf(at: Instant): string {
  return isoInstant(at).slice(0, 10)
}

/** Documents that were collected from a site. */
export async function documentsOf(tx: Tx, site: SiteName): Promise<number> {
  const sql = 'SELECT documents FROM site_stats WHERE bucket = ? AND site = ?'
  const row = await queries(tx).get<{ documents: number }>(sql, ...siteAt(tx.dialect, siteKeyOf(site)))
  return row?.documents ?? 0
}

/** The times of the first and the last result. */
export async function spanOf(tx: Tx): Promise<{ begunAt: Instant | undefined; lastAt: Instant | undefined }> {
  const row = await queries(tx).get<{ first: number | null; last: number | null }>(
    'SELECT min(first_at) AS first, max(last_at) AS last FROM site_stats',
  )
  return { begunAt: row?.first ?? undefined, lastAt: row?.last ?? undefined }
}
