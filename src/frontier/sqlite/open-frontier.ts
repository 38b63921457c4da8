/** The frontier on SQLite: the operations of this folder behind the two interfaces. */
import { assert } from '../../base/assert.ts'
import { grouped } from '../../base/grouped.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { FrontierOptions, OpenFrontier } from '../contract.ts'
import { releaseTrusted } from '../rules/domains.ts'
import { beginToRefresh, mayEnd } from '../rules/enrol.ts'
import { agreeOnUrlRules, begin, type Entry, enter, loseAll } from '../rules/leases.ts'
import { ledgerOf } from '../rules/ledger.ts'
import type { InTransaction } from '../rules/rows.ts'
import { leaseOf } from '../rules/visit.ts'
import { checkOut } from './check-out.ts'
import { RENEW } from './site-rows.ts'
import { toolsOf, Work } from './work.ts'

export function openSqliteFrontier(db: Database, options: FrontierOptions): OpenFrontier {
  const tools = toolsOf(options)
  const workOf = (tx: Tx) => new Work(sqliteTx(tx), tools)
  const { time } = tools
  let quietUntil: number | undefined
  let stopped = false

  const transact: InTransaction = (work) => db.transact((tx) => work(workOf(tx)))
  // Calls that arrive while a transaction is running share the next: one commit (half a millisecond) for all of them.
  const entering = grouped((take: () => readonly Entry[]) => transact((rows) => enter(rows, take())), {
    nameOf: ({ visit }) => visit,
  })
  const frontier: Frontier = {
    async checkOut(worker, atMost) {
      assert(quietUntil !== undefined, 'a check-out before recover')
      if (stopped) return { visits: [], next: 'over' }
      const quiet = quietUntil - time.now()
      if (quiet > 0) return { visits: [], next: quiet }
      // The leases are durable when this resolves.
      return db.transact(async (tx) => {
        const left = await options.budget?.left(tx)
        const work = workOf(tx)
        return checkOut(work, options, worker, atMost, left, await mayEnd(work))
      })
    },
    enter: (worker, visit, address) => entering({ worker, visit, address }),
    async renew(worker, visits) {
      const lost = await db.transact((tx) => renew(workOf(tx), worker, visits))
      return { lease: options.leaseMs, lost }
    },
  }

  return {
    frontier,
    ledger: ledgerOf(workOf),
    async recover(applyInbox, noteLost) {
      await transact((rows) => agreeOnUrlRules(rows, options.urls))
      await applyInbox()
      const lost = options.leasesOutlive ? 0 : await loseAll(transact, noteLost)
      if (options.besideServers === undefined) await beginToRefresh(transact)
      const first = await begin(transact, options.besideServers !== undefined)
      if (options.mayHold !== undefined) await releaseTrusted(transact)
      // Which addresses the last process visited a moment ago is unknown.
      quietUntil = first || options.leasesOutlive ? 0 : time.now() + options.addressPauseMs
      return { lost }
    },
    stop() {
      stopped = true
    },
  }
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
