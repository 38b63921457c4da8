import { assert } from '../../base/assert.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Totals } from '../contract.ts'
import { type SeenDue, type SeenTotals, totalsView } from '../rules/row-views.ts'
import { BUCKET } from './site-rows.ts'

export const READ_TOTALS = `
  SELECT sites_waiting AS waiting, sites_free AS free, sites_leased AS leased, sites_returning AS back,
    sites_crawled AS crawled, sites_barred AS barred, sites_held AS held, urls_known, urls_waiting, urls_held,
    urls_refreshing, pages_granted
  FROM frontier_total WHERE bucket = ?`

export function readTotals(tx: SqliteTx): Totals {
  const row = tx.get<SeenTotals>(READ_TOTALS, BUCKET)
  assert(row !== undefined, 'no totals')
  return totalsView(row)
}

export const READ_NEXT_DUE = `
  SELECT name, not_before, polite_at, waiting FROM site
  WHERE state = 'waiting' AND bucket = ? ORDER BY not_before LIMIT ?`

export function readNextDue(tx: SqliteTx, atMost: number): SeenDue[] {
  return tx.all<SeenDue>(READ_NEXT_DUE, BUCKET, atMost)
}
