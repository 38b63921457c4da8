import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SeenDue } from '../view-of.ts'
import { BUCKET } from './bucket.ts'

export const READ_NEXT_DUE = `
  SELECT name, not_before, polite_at, waiting FROM site
  WHERE state = 'waiting' AND bucket = ? ORDER BY not_before LIMIT ?`

export function readNextDue(tx: SqliteTx, atMost: number): SeenDue[] {
  return tx.all<SeenDue>(READ_NEXT_DUE, BUCKET, atMost)
}
