import { TOTAL_NAMES } from '../../database/schema/frontier.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Totals } from '../contract.ts'
import { type SeenDue, type SeenTotals, totalsView } from '../rules/row-views.ts'
import { BUCKET } from './site-rows.ts'

export const READ_TOTALS = `SELECT ${TOTAL_NAMES.join(', ')} FROM frontier_total WHERE bucket = ?`

export function readTotals(tx: SqliteTx): Totals {
  return totalsView(tx.get<SeenTotals>(READ_TOTALS, BUCKET))
}

export const READ_NEXT_DUE = `
  SELECT name, not_before, polite_at, waiting FROM site
  WHERE state = 'waiting' AND bucket = ? ORDER BY not_before LIMIT ?`

export function readNextDue(tx: SqliteTx, atMost: number): SeenDue[] {
  return tx.all<SeenDue>(READ_NEXT_DUE, BUCKET, atMost)
}
