/** The frontier on SQLite: operations of this folder, put behind the two interfaces. */
import { assert } from '../../base/assert.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { Database } from '../../database/database.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import type { FrontierHouse, FrontierOptions } from '../house.ts'
import type { Ledger } from '../ledger.ts'
import { addSeeds } from './add-seeds.ts'
import { admit } from './admit.ts'
import { awaitParts } from './await-parts.ts'
import { checkOut } from './check-out.ts'
import { countDomains } from './count-domains.ts'
import { giveBack, takeBack } from './give-back.ts'
import { grouped } from './grouped.ts'
import { holdAddress } from './hold-address.ts'
import { sqliteLooks } from './looks.ts'
import { addAlias, dropAlias } from './move-waiting.ts'
import { loseWorker, reap } from './reap.ts'
import { recover } from './recover.ts'
import { releaseTrusted } from './release-trusted.ts'
import { renew } from './renew.ts'
import { type Rules, rulesOf } from './rules.ts'
import { settle } from './settle.ts'
import { tryAgain } from './try-again.ts'
import { agreeOnUrlRules } from './url-rules.ts'
import { wish } from './wish.ts'

/** Before every other. */
const FIRST_KEY = -(2n ** 63n)

export function openSqliteFrontier(db: Database, options: FrontierOptions): FrontierHouse {
  const rules = rulesOf(options)
  const { time } = rules
  let quietUntil: number | undefined
  let stopped = false

  const enter = grouped(db, (tx, call: Parameters<typeof holdAddress>[2]) => holdAddress(tx, rules, call))
  const frontier: Frontier = {
    async checkOut(worker, atMost) {
      assert(quietUntil !== undefined, 'a check-out before recover')
      if (stopped) return { visits: [], next: 'over' }
      const quiet = quietUntil - time.now()
      if (quiet > 0) return { visits: [], next: quiet }
      // The leases are durable when this resolves: only then are they handed out.
      return db.transact(async (tx) => {
        const left = await options.budget?.left(tx)
        return checkOut(sqliteTx(tx), rules, options, worker, atMost, left)
      })
    },
    enter: (worker, visit, address) => enter({ worker, visit, address }),
    async renew(worker, visits) {
      const until = () => time.now() + rules.leaseMs
      const lost = await db.transact((tx) => renew(sqliteTx(tx), worker, visits, until()))
      return { lease: options.leaseMs, lost }
    },
  }

  /** Work on every site, in transactions of some milliseconds each. */
  const piecewise = async <From>(first: From, work: (tx: SqliteTx, from: From) => From | undefined): Promise<void> => {
    for (let from: From | undefined = first; from !== undefined; ) {
      const at: From = from
      from = await db.transact((tx) => work(sqliteTx(tx), at))
    }
  }

  return {
    frontier,
    ledger: ledgerOf(rules),
    async recover(applyInbox) {
      await db.transact((tx) => agreeOnUrlRules(sqliteTx(tx), options.urls))
      await piecewise<true>(true, (tx) => countDomains(tx, rules))
      await applyInbox()
      const outlive = options.leasesOutlive === true
      const { lost, first } = await db.transact((tx) => recover(sqliteTx(tx), rules, outlive))
      if (options.mayHold !== undefined) await piecewise(FIRST_KEY, (tx, from) => releaseTrusted(tx, rules, from))
      quietUntil = first || outlive ? 0 : time.now() + options.addressPauseMs
      return { lost }
    },
    stop() {
      stopped = true
    },
  }
}

function ledgerOf(rules: Rules): Ledger {
  return {
    admit: async (tx, links) => admit(sqliteTx(tx), rules, links),
    seed: async (tx, urls) => addSeeds(sqliteTx(tx), rules, urls),
    tryAgain: async (tx, urls) => tryAgain(sqliteTx(tx), rules, urls),
    returning: async (tx, visits) => awaitParts(sqliteTx(tx), rules, visits),
    settle: async (tx, parts) => settle(sqliteTx(tx), rules, parts),
    reap: async (tx, now) => reap(sqliteTx(tx), rules, now === undefined ? rules.time.now() : rules.time.of(now)),
    lose: async (tx, worker) => loseWorker(sqliteTx(tx), rules, worker),
    giveBack: async (tx, visits) => giveBack(sqliteTx(tx), rules, visits),
    takeBack: async (tx, worker, has) => takeBack(sqliteTx(tx), rules, worker, has),
    wish: async (tx, wishes) => wish(sqliteTx(tx), rules, wishes),
    alias: async (tx, given) => addAlias(sqliteTx(tx), rules, given),
    unalias: async (tx, name) => {
      rules.aliases.refresh(sqliteTx(tx))
      return dropAlias(sqliteTx(tx), rules, name)
    },
    look: sqliteLooks,
  }
}
