import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { BUCKET } from './bucket.ts'

/** The transition `due` of `../site.ts`, for many sites at once; their ranks were written when they began to wait. */
export const PROMOTE = `
  UPDATE site SET state = 'free' WHERE key IN (
    SELECT key FROM site WHERE state = 'waiting' AND bucket = ? AND not_before <= ? ORDER BY not_before LIMIT ?)`

/** At most so many at a time: after a long stop a million sites may be due at once, and nobody waits for all of them. */
export function promote(tx: SqliteTx, now: Instant, atMost: number): number {
  return tx.run(PROMOTE, BUCKET, now, atMost)
}
