import { assert } from '../../base/assert.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type SeenTotals, totalsView } from '../view-of.ts'
import type { Totals } from '../views.ts'
import { BUCKET } from './bucket.ts'

export const READ_TOTALS = `
  SELECT sites_waiting AS waiting, sites_free AS free, sites_leased AS leased, sites_returning AS back,
    sites_crawled AS crawled, sites_barred AS barred, sites_held AS held, urls_known, urls_waiting, urls_held, pages_granted
  FROM frontier_total WHERE bucket = ?`

export function readTotals(tx: SqliteTx): Totals {
  const row = tx.get<SeenTotals>(READ_TOTALS, BUCKET)
  assert(row !== undefined, 'no totals')
  return totalsView(row)
}
