import type { WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Party } from '../second-opinion.ts'
import { BUCKET } from './bucket.ts'

export const READ_FREE = `
  SELECT key, address, losses, crowd, rank FROM site
  WHERE state = 'free' AND bucket = ? AND holder = ? AND NOT EXISTS (
    SELECT 1 FROM recheck r
    WHERE r.site = site.key AND r.verdict IS NULL AND r.first_worker = ? AND r.first_at BETWEEN ? AND ? AND NOT EXISTS (
      SELECT 1 FROM recheck o
      WHERE o.site = site.key AND o.verdict IS NULL AND o.first_worker <> r.first_worker AND o.first_at BETWEEN ? AND r.first_at))
  ORDER BY losses, crowd, rank LIMIT ?`

export interface FreeSite {
  key: bigint
  address: string | null
  losses: bigint
  crowd: bigint
  rank: number
}

/** Those that were never lost first (V9), then the small crowds, then by rank: of the sites set aside for this worker and those for anybody. */
export function readFree(tx: SqliteTx, worker: WorkerId, { name, from, to }: Party, atMost: number): FreeSite[] {
  const read = (holder: WorkerId) => tx.allExact<FreeSite>(READ_FREE, BUCKET, holder, name, from, to, from, atMost)
  const anybodys = read('')
  const own = read(worker)
  if (own.length === 0) return anybodys
  const both = [...anybodys, ...own]
  both.sort((a, b) => Number(a.losses - b.losses) || Number(a.crowd - b.crowd) || a.rank - b.rank)
  return both.slice(0, atMost)
}
