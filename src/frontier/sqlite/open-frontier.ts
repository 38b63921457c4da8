/** The frontier on SQLite: the operations of this folder behind the two interfaces. */
import { assert } from '../../base/assert.ts'
import { signed64 } from '../../base/digest.ts'
import { grouped } from '../../base/grouped.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { Database, Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Admitted, FrontierOptions, Ledger, OpenFrontier, SeedUrl } from '../contract.ts'
import { GONE, NOT_FOUND } from '../rules/mark.ts'
import { sitesOf, stateAfter, wake } from '../rules/site.ts'
import { linksOfSeeds } from '../tools.ts'
import { enter } from './addresses.ts'
import { admit } from './admit.ts'
import { applyParts } from './apply-parts.ts'
import { checkOut } from './check-out.ts'
import { releaseTrusted } from './domains.ts'
import { awaitParts, giveBack, loseWorker, reap, recover, renew, takeBack } from './leases.ts'
import { forgetMemory } from './memory.ts'
import { agreeOnUrlRules } from './meta.ts'
import { addAlias, dropAlias } from './move-waiting.ts'
import { schedule } from './schedule.ts'
import { readSite, writeSite } from './site-rows.ts'
import { toolsOf, Work } from './work.ts'

/** Before every key. */
const FIRST_KEY = -(2n ** 63n)

export function openSqliteFrontier(db: Database, options: FrontierOptions): OpenFrontier {
  const tools = toolsOf(options)
  const workOf = (tx: Tx) => new Work(sqliteTx(tx), tools)
  const { time } = tools
  let quietUntil: number | undefined
  let stopped = false

  // Calls that arrive while a transaction is running share the next: one commit (half a millisecond) for all of them.
  const entering = grouped((take: () => readonly Parameters<typeof enter>[1][]) =>
    db.transact((tx) => take().map((call) => enter(workOf(tx), call))),
  )
  const frontier: Frontier = {
    async checkOut(worker, atMost) {
      assert(quietUntil !== undefined, 'a check-out before recover')
      if (stopped) return { visits: [], next: 'over' }
      const quiet = quietUntil - time.now()
      if (quiet > 0) return { visits: [], next: quiet }
      // The leases are durable when this resolves.
      return db.transact(async (tx) => {
        const left = await options.budget?.left(tx)
        return checkOut(workOf(tx), options, worker, atMost, left)
      })
    },
    enter: (worker, visit, address) => entering({ worker, visit, address }),
    async renew(worker, visits) {
      const lost = await db.transact((tx) => renew(workOf(tx), worker, visits))
      return { lease: options.leaseMs, lost }
    },
  }

  const releaseAllTrusted = async (): Promise<void> => {
    for (let next: bigint | undefined = FIRST_KEY; next !== undefined; ) {
      const from: bigint = next
      next = await db.transact((tx) => releaseTrusted(workOf(tx), from))
    }
  }

  return {
    frontier,
    ledger: ledgerOf(workOf),
    async recover(applyInbox) {
      await db.transact((tx) => agreeOnUrlRules(sqliteTx(tx), options.urls))
      await applyInbox()
      const outlive = options.leasesOutlive === true
      const { lost, first } = await db.transact((tx) => recover(workOf(tx), outlive))
      if (options.mayHold !== undefined) await releaseAllTrusted()
      quietUntil = first || outlive ? 0 : time.now() + options.addressPauseMs
      return { lost }
    },
    stop() {
      stopped = true
    },
  }
}

function ledgerOf(workOf: (tx: Tx) => Work): Ledger {
  return {
    admit: async (tx, links) => admit(workOf(tx), links),
    seed: async (tx, urls) => addSeeds(workOf(tx), urls),
    tryAgain: async (tx, urls) => tryAgain(workOf(tx), urls),
    returning: async (tx, parts) => awaitParts(workOf(tx), parts),
    applyParts: async (tx, parts) => applyParts(workOf(tx), parts),
    reap: (tx, now, settled) => {
      const work = workOf(tx)
      return reap(work, now === undefined ? work.now : work.tools.time.of(now), settled)
    },
    lose: async (tx, worker) => loseWorker(workOf(tx), worker),
    giveBack: async (tx, visits) => giveBack(workOf(tx), visits),
    takeBack: async (tx, worker, has) => takeBack(workOf(tx), worker, has),
    schedule: async (tx, scheduled) => schedule(workOf(tx), scheduled),
    alias: async (tx, given) => addAlias(workOf(tx), given),
    unalias: async (tx, name) => {
      const work = workOf(tx)
      work.tools.aliases.refresh(work.tx)
      return dropAlias(work, name)
    },
  }
}

/**
 * What was marked when the site was given up can't be distinguished from what was gone before: all of it is fetched once
 * more.
 */
const REVIVE_GONE = `UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE site = ? AND mark IN (${GONE}, ${NOT_FOUND})`

/** Returns how many sites that had been given up wait again. */
function tryAgain(work: Work, seeds: readonly SeedUrl[]): number {
  let revived = 0
  for (const { key, name } of sitesOf(seeds)) {
    const site = readSite(work.tx, key)
    if (site?.state !== 'barred' || site.name !== name) continue
    site.state = stateAfter(site.state, { kind: 'tried-again' })
    site.reason = null
    site.waiting += work.tx.run(REVIVE_GONE, key)
    // It counts the tries that were used up.
    forgetMemory(work.tx, key)
    if (site.waiting > 0) wake(work, site)
    writeSite(work.tx, site)
    revived++
  }
  return revived
}

const ADD_SEED = `INSERT OR IGNORE INTO seed (site, key, url, added_at, source) VALUES (?, ?, ?, ?, ?)`

/** A seed given again is enqueued no more than any URL is: once. */
function addSeeds(work: Work, seeds: readonly SeedUrl[]): Admitted {
  for (const site of sitesOf(seeds))
    for (const { key, url, source = 'given' } of site.members)
      work.tx.run(ADD_SEED, site.key, signed64(key), url, work.now, source)
  return admit(work, linksOfSeeds(seeds), true)
}
