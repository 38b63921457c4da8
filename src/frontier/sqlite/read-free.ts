import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { WorkerId } from '../../visit/visit.ts'
import { BUCKET } from './bucket.ts'

export const READ_FREE = `
  SELECT key, address, losses, crowd, rank FROM site
  WHERE state = 'free' AND bucket = ? AND holder = ? ORDER BY losses, crowd, rank LIMIT ?`

export interface FreeSite {
  key: bigint
  address: string | null
  losses: bigint
  crowd: bigint
  rank: number
}

/** Those that were never lost first (V9), then the small crowds, then by rank: of the sites set aside for this worker and those for anybody. */
export function readFree(tx: SqliteTx, worker: WorkerId, atMost: number): FreeSite[] {
  const anybodys = tx.allExact<FreeSite>(READ_FREE, BUCKET, '', atMost)
  const own = tx.allExact<FreeSite>(READ_FREE, BUCKET, worker, atMost)
  if (own.length === 0) return anybodys
  const both = [...anybodys, ...own]
  both.sort((a, b) => Number(a.losses - b.losses) || Number(a.crowd - b.crowd) || a.rank - b.rank)
  return both.slice(0, atMost)
}
