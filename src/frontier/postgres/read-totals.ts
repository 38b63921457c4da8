import { assert } from '../../base/assert.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { type SeenTotals, totalsView } from '../view-of.ts'
import type { Totals } from '../views.ts'

const sum = (name: string, as = name) => `coalesce(sum(${name}), 0)::float8 AS ${as}`

/** Some rows for each bucket: see `look-around.ts`. */
export const READ_TOTALS = `
  SELECT ${sum('sites_waiting', 'waiting')}, ${sum('sites_free', 'free')}, ${sum('sites_leased', 'leased')},
    ${sum('sites_returning', 'back')}, ${sum('sites_crawled', 'crawled')}, ${sum('sites_barred', 'barred')},
    ${sum('sites_held', 'held')}, ${sum('urls_known')}, ${sum('urls_waiting')}, ${sum('urls_held')}, ${sum('pages_granted')}
  FROM frontier_total`

export async function readTotals(tx: PostgresTx): Promise<Totals> {
  const row = await tx.get<SeenTotals>(READ_TOTALS)
  assert(row !== undefined, 'no totals')
  return totalsView(row)
}
