/** A ledger for the tests of intake: it knows which parts it has seen, in the same transaction as the rest, and no more. */
import type { Database } from '../database/database.ts'
import { sqliteTx } from '../database/sqlite/tx.ts'
import type { Ledger, Verdict } from '../frontier/ledger.ts'
import type { VisitReport } from '../visit/report.ts'

export interface SampleLedger extends Pick<Ledger, 'returning' | 'settle' | 'reap'> {
  returned: string[]
}

/** `fences`: the lease that counts, by site; 1 where nothing is said. */
export async function sampleLedger(database: Database, fences: Record<string, number> = {}): Promise<SampleLedger> {
  await database.transact((tx) =>
    sqliteTx(tx).run('CREATE TABLE IF NOT EXISTS sample_seen (visit TEXT PRIMARY KEY, part INTEGER NOT NULL)'),
  )
  const returned: string[] = []
  return {
    returned,
    async returning(_tx, visits) {
      for (const { visit, last } of visits) if (last) returned.push(visit)
    },
    reap: async () => [],
    async settle(tx, parts) {
      const db = sqliteTx(tx)
      return parts.map((report: VisitReport): Verdict => {
        if (report.fence !== (fences[report.site] ?? 1)) return 'stale'
        const seen = db.get<{ part: number }>('SELECT part FROM sample_seen WHERE visit = ?', report.visit)?.part ?? 0
        if (report.part <= seen) return 'again'
        if (report.part > seen + 1) return 'early'
        db.run('INSERT OR REPLACE INTO sample_seen VALUES (?, ?)', report.visit, report.part)
        return 'applied'
      })
    },
  }
}
