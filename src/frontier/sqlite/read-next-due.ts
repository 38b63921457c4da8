import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { BUCKET } from './site-row.ts'

export const READ_NEXT_DUE = `
  SELECT name, not_before, polite_at, waiting FROM site
  WHERE state = 'waiting' AND bucket = ? ORDER BY not_before LIMIT ?`

export interface DueSite {
  name: string
  not_before: Instant
  polite_at: Instant
  waiting: number
}

export function readNextDue(tx: SqliteTx, atMost: number): DueSite[] {
  return tx.all<DueSite>(READ_NEXT_DUE, BUCKET, atMost)
}
