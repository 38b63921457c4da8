/** A ledger for tests of intake: it only records which parts it has seen, in the same transaction. */

import type { VisitReport } from '../../../src/contracts/report.ts'
import type { Database, Tx } from '../../../src/database/database.ts'
import { queries } from '../../../src/database/queries.ts'
import type { Ledger, PartResult } from '../../../src/frontier/contract.ts'

export interface SampleLedger extends Pick<Ledger, 'returning' | 'applyParts' | 'reap' | 'admit'> {
  returned: string[]
}

/** `fences`: the current lease by site; 1 by default. */
export async function sampleLedger(database: Database, fences: Record<string, number> = {}): Promise<SampleLedger> {
  await database.transact((tx) =>
    queries(tx).run('CREATE TABLE IF NOT EXISTS sample_seen (visit TEXT PRIMARY KEY, part INTEGER NOT NULL)'),
  )
  const returned: string[] = []
  return {
    returned,
    async returning(_tx, visits) {
      for (const { visit, last } of visits) if (last) returned.push(visit)
    },
    reap: async () => [],
    admit: async () => ({ fresh: 0, sites: 0 }),
    async applyParts(tx, parts) {
      const results: PartResult[] = []
      for (const part of parts) results.push(await applyParts(tx, part, fences[part.site] ?? 1))
      return results
    },
  }
}

const READ_SEEN = 'SELECT part FROM sample_seen WHERE visit = ?'
const NOTE_SEEN = 'INSERT INTO sample_seen VALUES (?, ?) ON CONFLICT (visit) DO UPDATE SET part = excluded.part'

async function applyParts(tx: Tx, { visit, part, fence }: VisitReport, expected: number): Promise<PartResult> {
  if (fence !== expected) return 'stale'
  const seen = (await queries(tx).get<{ part: number }>(READ_SEEN, visit))?.part ?? 0
  if (part <= seen) return 'again'
  if (part > seen + 1) return 'out-of-order'
  await queries(tx).run(NOTE_SEEN, visit, part)
  return 'applied'
}
