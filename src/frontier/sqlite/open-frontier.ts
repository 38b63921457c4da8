/** The frontier on SQLite: the operations of this folder behind the two interfaces. */
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { FrontierOptions, OpenFrontier } from '../contract.ts'
import { mayEnd } from '../rules/enrol.ts'
import { ledgerOf } from '../rules/ledger.ts'
import { openWith } from '../rules/open.ts'
import { leaseOf } from '../rules/visit.ts'
import { checkOut } from './check-out.ts'
import { RENEW } from './site-rows.ts'
import { toolsOf, Work } from './work.ts'

export function openSqliteFrontier(db: Database, options: FrontierOptions): OpenFrontier {
  const tools = toolsOf(options)
  const workOf = (tx: Tx) => new Work(sqliteTx(tx), tools)
  return openWith(options, {
    transact: (work) => db.transact((tx) => work(workOf(tx))),
    time: tools.time,
    ledger: ledgerOf(workOf),
    // The leases are durable when this resolves.
    checkOut: (worker, atMost) =>
      db.transact(async (tx) => {
        const left = await options.budget?.left(tx)
        const work = workOf(tx)
        return checkOut(work, options, worker, atMost, left, await mayEnd(work))
      }),
    renew: (worker, visits) => db.transact((tx) => renew(workOf(tx), worker, visits)),
  })
}

/**
 * Returns the visits that have no lease any more. A lease that expired and was not reaped yet is renewed: nobody else had the
 * site. A visit whose last part is in the inbox is not lost, it has ended.
 */
function renew({ tx, now, tools }: Work, worker: WorkerId, visits: readonly VisitId[]): VisitId[] {
  return visits.filter((visit) => {
    const lease = leaseOf(visit)
    return lease === undefined || tx.run(RENEW, now + tools.leaseMs, lease.key, lease.fence, worker) === 0
  })
}
