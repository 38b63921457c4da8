/** The crawl's counters: sums of what visits counted, by day. Written with the parts that counted them, so exactly once. */
import type { Instant } from '../../base/clock.ts'
import type { CountName } from '../../contracts/counts.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'

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
