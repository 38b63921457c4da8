/**
 * The life of a frontier, whatever the database: it recovers after the earlier process, is quiet for a while, works,
 * and stops.
 */
import { assert } from '../../base/assert.ts'
import { grouped } from '../../base/grouped.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { FrontierOptions, Ledger, OpenFrontier } from '../contract.ts'
import type { FrontierTime } from '../tools.ts'
import { releaseTrusted } from './domains.ts'
import { beginToRefresh } from './enrol.ts'
import { agreeOnUrlRules, begin, type Entry, enter, loseAll } from './leases.ts'
import type { InTransaction } from './rows.ts'

interface Parts {
  transact: InTransaction
  time: FrontierTime
  ledger: Ledger
  /** Calls of `enter` per transaction; undefined: all that came while the one before was running. */
  maxEntering?: number
  checkOut: Frontier['checkOut']
  /** Returns the visits that have no lease any more. */
  renew(worker: WorkerId, visits: readonly VisitId[]): Promise<VisitId[]>
  /** Before the first transaction that changes sites: what only grows otherwise. */
  tidy?(): Promise<unknown>
}

export function openWith(options: FrontierOptions, parts: Parts): OpenFrontier {
  const { transact, time, ledger, checkOut, renew } = parts
  let quietUntil: number | undefined
  let stopped = false
  // Calls that arrive while a transaction is running share the next: one commit (half a millisecond) for all of them.
  const entering = grouped((take: () => readonly Entry[]) => transact((rows) => enter(rows, take())), {
    max: parts.maxEntering,
    nameOf: ({ visit }) => visit,
  })
  return {
    frontier: {
      async checkOut(worker, atMost) {
        assert(quietUntil !== undefined, 'a check-out before recover')
        if (stopped) return { visits: [], next: 'over' }
        const quiet = quietUntil - time.now()
        return quiet > 0 ? { visits: [], next: quiet } : checkOut(worker, atMost)
      },
      enter: (worker, visit, address) => entering({ worker, visit, address }),
      async renew(worker, visits) {
        return { lease: options.leaseMs, lost: await renew(worker, visits) }
      },
    },
    ledger,
    async recover(applyInbox, noteLost) {
      await transact((rows) => agreeOnUrlRules(rows, options.urls))
      await applyInbox()
      const lost = options.leasesOutlive ? 0 : await loseAll(transact, noteLost)
      await parts.tidy?.()
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
