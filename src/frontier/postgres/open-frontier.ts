/** The frontier on PostgreSQL: operations of this folder, put behind the two interfaces. */
import { assert } from '../../base/assert.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import type { FrontierHouse, FrontierOptions } from '../house.ts'
import type { Ledger } from '../ledger.ts'
import { addSeeds } from './add-seeds.ts'
import { admit } from './admit.ts'
import { awaitParts } from './await-parts.ts'
import { type CheckedOut, checkOut } from './check-out.ts'
import { type Entry, enter } from './enter.ts'
import { freeAddresses } from './free-addresses.ts'
import { giveBack, takeBack } from './give-back.ts'
import { grouped } from './grouped.ts'
import { lookAround } from './look-around.ts'
import { postgresLooks } from './looks.ts'
import { addAlias, dropAlias } from './move-waiting.ts'
import { readTotals } from './read-totals.ts'
import { loseWorker, reap } from './reap.ts'
import { begin, loseAll } from './recover.ts'
import { refreshAside } from './refresh-hints.ts'
import { releaseTrusted } from './release-trusted.ts'
import { renew } from './renew.ts'
import { type Rules, rulesOf } from './rules.ts'
import { settle } from './settle.ts'
import { Sheaf } from './sheaf.ts'
import { tryAgain } from './try-again.ts'
import { agreeOnUrlRules } from './url-rules.ts'
import { wish } from './wish.ts'

/** Whoever grants from the same budget waits for whoever does now. */
const ONE_AT_A_TIME = `SELECT pg_advisory_xact_lock(hashtext('orbweaver frontier budget'))`

export function openPostgresFrontier(db: Database, options: FrontierOptions): FrontierHouse {
  const rules = rulesOf(options)
  const { time, hints, clock } = rules
  let quietUntil: number | undefined
  let stopped = false

  const entering = grouped(
    db,
    ({ visit }: Entry) => visit,
    (tx, entries) => enter(new Sheaf(tx, rules), entries),
  )

  /** Says whether it did. */
  const lookAroundIfOld = async (isWanting: boolean): Promise<boolean> => {
    const isOld = hints.isOld(clock.elapsed(), isWanting)
    if (isOld) await db.transact((tx) => lookAround(postgresTx(tx), rules))
    return isOld
  }

  /** For a worker that found nothing: the others leave it to the tick. Says whether there may be something now. */
  const freeIdle = async (): Promise<boolean> => {
    const isIdle = hints.idleShards(time.now()).length > 0
    if (isIdle) await db.transact((tx) => freeAddresses(postgresTx(tx), hints, time.now()))
    return isIdle
  }

  const checkOutOnce = async (worker: WorkerId, atMost: number, isLastTry = false): Promise<CheckedOut> => {
    const { answer, granted } = await db.transact(async (given) => {
      const tx = postgresTx(given)
      const { budget } = options
      const sheaf = new Sheaf(tx, rules)
      if (budget === undefined) return checkOut(sheaf, options, worker, atMost, Number.POSITIVE_INFINITY)
      await tx.get(ONE_AT_A_TIME)
      // In this order: what a report moves from the one to the other meanwhile counts twice, not never.
      const { granted } = await readTotals(tx)
      return checkOut(sheaf, options, worker, atMost, Math.floor(await budget.left(tx)) - granted)
    })
    try {
      return await answer
    } catch (error) {
      // The COMMIT was done, and the connection lost before the last answers came: nobody will ever come for these visits.
      await db.transact((tx) => giveBack(new Sheaf(postgresTx(tx), rules), granted))
      if (isLastTry) throw error
      return checkOutOnce(worker, atMost, true)
    }
  }

  const frontier: Frontier = {
    async checkOut(worker, atMost) {
      assert(quietUntil !== undefined, 'a check-out before recover')
      if (stopped) return { visits: [], next: 'over' }
      const quiet = quietUntil - time.now()
      if (quiet > 0) return { visits: [], next: quiet }
      await lookAroundIfOld(false)
      // The leases are durable when this resolves: only then are they handed out.
      const first = await checkOutOnce(worker, atMost)
      const isAgain = first.visits.length === 0 && ((await lookAroundIfOld(true)) || (await freeIdle()))
      const { visits, next, short } = isAgain ? await checkOutOnce(worker, atMost) : first
      if (next === 'over' || !hints.isAsideOld(worker, clock.elapsed(), short)) return { visits, next }
      // Others may have set sites aside for this worker.
      await db.transact((tx) => refreshAside(postgresTx(tx), hints, worker))
      return { visits, next: hints.hasAside(worker) ? 0 : next }
    },
    enter: (worker, visit, address) => entering({ worker, visit, address }),
    async renew(worker, visits) {
      const until = () => time.now() + rules.leaseMs
      const lost = await db.transact((tx) => renew(postgresTx(tx), worker, visits, until()))
      return { lease: options.leaseMs, lost }
    },
  }

  /** Held sites that the operator does not want held any more, in transactions of some milliseconds each. */
  const releaseAllTrusted = async (): Promise<void> => {
    for (let last: bigint | undefined, isFirst = true; isFirst || last !== undefined; isFirst = false) {
      const from: bigint | undefined = last
      last = await db.transact(async (tx) => {
        const sheaf = new Sheaf(postgresTx(tx), rules)
        const next = await releaseTrusted(sheaf, from)
        await sheaf.flush()
        return next
      })
    }
  }

  return {
    frontier,
    ledger: ledgerOf(rules),
    async recover(applyInbox) {
      await db.transact((tx) => agreeOnUrlRules(postgresTx(tx), options.urls))
      await applyInbox()
      const lost = options.leasesOutlive ? 0 : await loseAll(db, rules)
      const first = await begin(db, rules)
      if (options.mayHold !== undefined) await releaseAllTrusted()
      quietUntil = first || options.leasesOutlive ? 0 : time.now() + options.addressPauseMs
      return { lost }
    },
    stop() {
      stopped = true
    },
  }
}

function ledgerOf(rules: Rules): Ledger {
  const sheafOf = (tx: Tx) => new Sheaf(postgresTx(tx), rules)
  return {
    admit: (tx, links) => admit(sheafOf(tx), links),
    seed: (tx, urls) => addSeeds(sheafOf(tx), urls),
    tryAgain: (tx, urls) => tryAgain(sheafOf(tx), urls),
    returning: (tx, visits) => awaitParts(sheafOf(tx), visits),
    settle: (tx, parts) => settle(sheafOf(tx), parts),
    reap: (tx, now, buckets) => reap(sheafOf(tx), now === undefined ? rules.time.now() : rules.time.of(now), buckets),
    lose: (tx, worker) => loseWorker(sheafOf(tx), worker),
    giveBack: (tx, visits) => giveBack(sheafOf(tx), visits),
    takeBack: (tx, worker, has) => takeBack(sheafOf(tx), worker, has),
    wish: (tx, wishes) => wish(sheafOf(tx), wishes),
    async alias(tx, given) {
      const sheaf = sheafOf(tx)
      const answer = await addAlias(sheaf, given)
      await sheaf.flush()
      return answer
    },
    async unalias(tx, name) {
      const sheaf = sheafOf(tx)
      await sheaf.readNames()
      const dropped = await dropAlias(sheaf, name)
      await sheaf.flush()
      return dropped
    },
    look: postgresLooks,
  }
}
