/** The frontier on SQLite: operations of this folder, put behind the two interfaces. */
import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { Link } from '../../contracts/report.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import { type SqliteTx, sqliteTx } from '../../database/sqlite/tx.ts'
import type { Admitted, Ledger, SeedUrl } from '../ledger.ts'
import type { FrontierOptions, OpenFrontier } from '../options.ts'
import { domainOf, EXEMPT, HELD } from '../rules/domains.ts'
import { GONE, NOT_FOUND } from '../rules/mark.ts'
import { ALL_PARTS, sitesOf, stateAfter } from '../rules/site.ts'
import { readVisitId } from '../rules/visit.ts'
import { holdAddress } from './addresses.ts'
import { admit } from './admit.ts'
import { applyParts } from './apply-parts.ts'
import { checkOut } from './check-out.ts'
import { countDomains } from './count-domains.ts'
import { readDomain, release, WRITE_HOLD_STATE, writeDomain } from './domains.ts'
import { giveBack, loseWorker, reap, takeBack } from './leases.ts'
import { forgetMemory } from './memory.ts'
import { agreeOnUrlRules } from './meta.ts'
import { addAlias, dropAlias } from './move-waiting.ts'
import { recover } from './recover.ts'
import { schedule } from './schedule.ts'
import { readSite, wake, writeSite } from './site-rows.ts'
import { type FrontierTools, rulesOf } from './tools.ts'
import { sqliteViews } from './views.ts'

/** Before every other. */
const FIRST_KEY = -(2n ** 63n)

export function openSqliteFrontier(db: Database, options: FrontierOptions): OpenFrontier {
  const tools = rulesOf(options)
  const { time } = tools
  let quietUntil: number | undefined
  let stopped = false

  const enter = grouped(db, (tx, call: Parameters<typeof holdAddress>[2]) => holdAddress(tx, tools, call))
  const frontier: Frontier = {
    async checkOut(worker, atMost) {
      assert(quietUntil !== undefined, 'a check-out before recover')
      if (stopped) return { visits: [], next: 'over' }
      const quiet = quietUntil - time.now()
      if (quiet > 0) return { visits: [], next: quiet }
      // The leases are durable when this resolves: only then are they handed out.
      return db.transact(async (tx) => {
        const left = await options.budget?.left(tx)
        return checkOut(sqliteTx(tx), tools, options, worker, atMost, left)
      })
    },
    enter: (worker, visit, address) => enter({ worker, visit, address }),
    async renew(worker, visits) {
      const until = () => time.now() + tools.leaseMs
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
    ledger: ledgerOf(tools),
    async recover(applyInbox) {
      await db.transact((tx) => agreeOnUrlRules(sqliteTx(tx), options.urls))
      await piecewise<true>(true, (tx) => countDomains(tx, tools))
      await applyInbox()
      const outlive = options.leasesOutlive === true
      const { lost, first } = await db.transact((tx) => recover(sqliteTx(tx), tools, outlive))
      if (options.mayHold !== undefined) await piecewise(FIRST_KEY, (tx, from) => releaseTrusted(tx, tools, from))
      quietUntil = first || outlive ? 0 : time.now() + options.addressPauseMs
      return { lost }
    },
    stop() {
      stopped = true
    },
  }
}

function ledgerOf(tools: FrontierTools): Ledger {
  return {
    admit: async (tx, links) => admit(sqliteTx(tx), tools, links),
    seed: async (tx, urls) => addSeeds(sqliteTx(tx), tools, urls),
    tryAgain: async (tx, urls) => tryAgain(sqliteTx(tx), tools, urls),
    returning: async (tx, visits) => awaitParts(sqliteTx(tx), tools, visits),
    applyParts: async (tx, parts) => applyParts(sqliteTx(tx), tools, parts),
    reap: async (tx, now) => reap(sqliteTx(tx), tools, now === undefined ? tools.time.now() : tools.time.of(now)),
    lose: async (tx, worker) => loseWorker(sqliteTx(tx), tools, worker),
    giveBack: async (tx, visits) => giveBack(sqliteTx(tx), tools, visits),
    takeBack: async (tx, worker, has) => takeBack(sqliteTx(tx), tools, worker, has),
    schedule: async (tx, scheduled) => schedule(sqliteTx(tx), tools, scheduled),
    alias: async (tx, given) => addAlias(sqliteTx(tx), tools, given),
    unalias: async (tx, name) => {
      tools.aliases.refresh(sqliteTx(tx))
      return dropAlias(sqliteTx(tx), tools, name)
    },
    view: sqliteViews,
  }
}

/** Parts lie in the inbox after which their sites must not be handed out before `settle` has seen them. */
function awaitParts(
  tx: SqliteTx,
  tools: FrontierTools,
  visits: readonly { visit: VisitId; fence: number; part?: number; last?: boolean }[],
): void {
  for (const { visit, fence, part = ALL_PARTS, last = true } of visits) {
    const id = readVisitId(visit)
    const site = id === undefined ? undefined : readSite(tx, signed64(id.site))
    // Of a visit that is over, or whose site went to another, nothing is awaited; nor is what was applied before.
    if (site === undefined || site.fence !== fence || part <= site.part) continue
    const now = tools.time.now()
    if (site.worker !== null && !last) {
      // While the lease lasts, only the last part changes anything. One that has just run out must not be reaped between
      // this transaction and the one that applies the part: the site could be with another by then.
      if (site.lease_until === null || site.lease_until > now) continue
    } else site.state = stateAfter(site.state, { kind: 'part-stored' })
    site.lease_until = now + tools.leaseMs
    writeSite(tx, site)
  }
}

/** What was marked when the site was given up cannot be told from what was gone before: all of it is asked for once more. */
const REVIVE_GONE = `UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE site = ? AND mark IN (${GONE}, ${NOT_FOUND})`

/** Says how many sites that had been given up wait again. */
function tryAgain(tx: SqliteTx, tools: FrontierTools, seeds: readonly SeedUrl[]): number {
  let revived = 0
  for (const { key, name } of sitesOf(seeds)) {
    const site = readSite(tx, key)
    if (site?.state !== 'barred' || site.name !== name) continue
    site.state = stateAfter(site.state, { kind: 'tried-again' })
    site.reason = null
    site.waiting += tx.run(REVIVE_GONE, key)
    // It counts the tries that were used up.
    forgetMemory(tx, key)
    if (site.waiting > 0) wake(tx, tools, site)
    writeSite(tx, site)
    revived++
  }
  return revived
}

const ADD_SEED = `INSERT OR IGNORE INTO seed (site, key, url, added_at, source) VALUES (?, ?, ?, ?, ?)`

/** A seed given again is enqueued no more than any URL is: once, ever. */
function addSeeds(tx: SqliteTx, tools: FrontierTools, seeds: readonly SeedUrl[]): Admitted {
  const now = tools.time.now()
  for (const site of sitesOf(seeds))
    for (const { key, url, source = 'given' } of site.members)
      tx.run(ADD_SEED, site.key, signed64(key), url, now, source)
  const links = seeds.map(({ url, key, site, path = '', lastmod }): Link => {
    const link = { url, key, site, depth: 0, via: '', path }
    return lastmod === undefined ? link : { ...link, lastmod }
  })
  return admit(tx, tools, links, true)
}

interface Call<In, Out> {
  input: In
  resolve(output: Out): void
  reject(error: unknown): void
}

/** Calls that arrive while a transaction is under way share the next: one commit (half a millisecond) for all of them. */
function grouped<In, Out>(db: Database, work: (tx: SqliteTx, input: In) => Out): (input: In) => Promise<Out> {
  let waiting: Call<In, Out>[] = []
  const serve = async () => {
    let calls: Call<In, Out>[] = []
    try {
      const outputs = await db.transact((tx) => {
        calls = waiting
        waiting = []
        return calls.map(({ input }) => work(sqliteTx(tx), input))
      })
      for (const [index, call] of calls.entries()) call.resolve(outputs[index])
    } catch (error) {
      if (calls.length === 0) [calls, waiting] = [waiting, []]
      for (const call of calls) call.reject(error)
    }
  }
  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      if (waiting.length === 1) void serve()
    })
}

export const RENEW = `
  UPDATE site SET lease_until = ? WHERE key = ? AND fence = ? AND worker = ? AND state IN ('leased', 'returning')`

/**
 * Says which have no lease any more. One that ran out and was not reaped yet is renewed: nobody else had the site; and
 * one whose last part is in the inbox is not lost, it has ended.
 */
export function renew(tx: SqliteTx, worker: WorkerId, visits: readonly VisitId[], until: Instant): VisitId[] {
  return visits.filter((visit) => {
    const id = readVisitId(visit)
    return id === undefined || tx.run(RENEW, until, signed64(id.site), id.fence, worker) === 0
  })
}

export const READ_HELD_FROM = `SELECT site FROM unendorsed_site WHERE site >= ? AND hold_state = ${HELD} ORDER BY site LIMIT ?`
const MAX_AT_ONCE = 1000

/** Held sites that the operator does not want held any more, some at a time; says with which key to go on. */
export function releaseTrusted(tx: SqliteTx, tools: FrontierTools, from: bigint): bigint | undefined {
  const held = tx.allExact<{ site: bigint }>(READ_HELD_FROM, from, MAX_AT_ONCE)
  for (const { site: key } of held) {
    const site = readSite(tx, key)
    const domain = site === undefined ? undefined : readDomain(tx, domainOf(site.name))
    if (site === undefined || domain === undefined || tools.mayHold(site.name)) continue
    tx.run(WRITE_HOLD_STATE, EXEMPT, key)
    domain.held--
    writeDomain(tx, domain)
    release(tx, tools, site)
    writeSite(tx, site)
  }
  return held.length < MAX_AT_ONCE ? undefined : held[held.length - 1].site + 1n
}
