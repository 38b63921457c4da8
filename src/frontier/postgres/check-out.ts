import type { Millis } from '../../base/clock.ts'
import type { Visit, VisitId, WorkerId } from '../../contracts/visit.ts'
import { bucketFor } from '../../database/postgres/by-bucket.ts'
import type { FrontierOptions, Post } from '../contract.ts'
import {
  Allowance,
  ASK_AGAIN,
  MAX_AT_ONCE,
  MAX_KNOWN,
  MAX_ROUNDS,
  MIN_ROUND,
  recheckExclusionOf,
  whenToAskAgain,
} from '../rules/check-out.ts'
import { mayEnd } from '../rules/enrol.ts'
import { MAX_LOOKS, postpone } from '../rules/refresh-agenda.ts'
import { stateAfter } from '../rules/site.ts'
import { readTotals } from '../rules/totals.ts'
import { grantLease, visitId } from '../rules/visit.ts'
import { readHolders, reserve } from './addresses.ts'
import { ANYWHERE } from './affinity.ts'
import { classOf } from './due-cache.ts'
import { type SharedSite, writeSites } from './site-rows.ts'
import { chooseBuckets, readNextDue, type Taken, type Taking, takeFree } from './take-free.ts'
import { type Granted, VisitPayload } from './visit-payload.ts'
import type { WorkingSet } from './working-set.ts'

export interface CheckedOut {
  visits: Visit[]
  next: Millis | 'over'
  /** The worker got less than it wanted. */
  short: boolean
}

interface CheckingOut {
  /** Resolves after the COMMIT. It rejects when the connection was lost meanwhile, even if the COMMIT was done. */
  answer: Promise<CheckedOut>
  /** All visits in it. */
  granted: VisitId[]
}

/**
 * Usually three round trips: lock candidates; read what the likely ones carry and the holders of their addresses; write. A
 * round trip costs more than its statements, above all when the thread has parts to apply meanwhile. So the last statements
 * are sent and not awaited: the COMMIT goes with them, and `answer` resolves when it is done.
 *
 * `left`: pages that the budget allows; infinite without a budget.
 */
export async function checkOut(
  working: WorkingSet,
  options: FrontierOptions,
  worker: WorkerId,
  wanted: number,
  left: number,
): Promise<CheckingOut> {
  const { dueCache, affinity, refresh } = working.tools
  const post = affinity.postOf(worker)
  const party = recheckExclusionOf(options.affinity?.workers, worker, working.tools.clock.now())
  const atMost = Math.min(wanted, MAX_AT_ONCE)
  const allowance = new Allowance(options.slice.pages, atMost, left)
  const payload = new VisitPayload(working)
  const granted: Granted[] = []
  const done = new Set<number>()
  let exhausted = false
  let writing: Promise<unknown> | undefined
  for (let round = 0; round < MAX_ROUNDS && !allowance.isSpent; round++) {
    await writing
    // A worker that found only sites of others' addresses reads more.
    const max = round === 0 ? atMost : Math.max(atMost - granted.length, MIN_ROUND)
    const { buckets, worst } = chooseBuckets(dueCache, worker, working.now, done, max)
    exhausted = buckets.length === 0
    if (exhausted) break
    const taking: Taking = {
      worker,
      party,
      now: working.now,
      overdue: dueCache.overdueFor(worker, working.now),
      windowMs: affinity.windowOf(post),
      leaningIn: (bucket) => affinity.leaningTo(post, bucket),
    }
    const [taken] = await Promise.all([takeFree(working.tx, dueCache, taking, buckets, max), working.readNames()])
    const { sites } = taken
    working.sites.keep(sites)
    const sharers = Math.min(sites.length, atMost)
    const [holders] = await Promise.all([
      readHolders(working, sites),
      payload.read(
        refresh === undefined
          ? likelyOf(sites, worst, allowance.copy(), sharers)
          : sites.map((site) => ({ site, pages: options.slice.pages })),
      ),
    ])
    const postponed: SharedSite[] = []
    const others: SharedSite[] = []
    const unused: SharedSite[] = []
    const given: Granted[] = []
    for (const site of sites) {
      const holder = site.address === null ? undefined : holders.get(site.address)?.worker
      if (allowance.isSpent || classOf(site) > worst) unused.push(site)
      else if (holder !== undefined && holder !== worker) others.push(site)
      else if (refresh !== undefined && payload.pagesOf(site, options.slice.pages) === 0) postponed.push(site)
      else {
        const pages = spendOn(allowance, site, sharers, refresh === undefined || !payload.hasLooks(site))
        given.push(grant(working, site, worker, post, refresh === undefined ? pages : payload.pagesOf(site, pages)))
      }
    }
    if (postponed.length > 0) await postponeAll(working, postponed)
    granted.push(...given)
    if (others.length > 0) {
      unused.push(...(await reserve(working, others)))
      if (refresh === undefined) await payload.read(given)
    }
    writing = writeAndLook(working, taking, taken, unused, buckets)
    for (const bucket of buckets) if (whatIsLeft(taken, unused, bucket).isEmpty) done.add(bucket)
  }
  await payload.readLooks(granted)
  const hasEnded = await mayEnd(working)
  const endings = Promise.all([
    payload.visitsOf(granted, options.slice),
    // With a visit granted, the crawl is not over.
    granted.length > 0 ? undefined : readTotals(working.tx),
    writing,
  ])
  const hasMore = allowance.isSpent || !exhausted
  const answer = endings.then(([visits, totals]) => {
    const due = Math.max(0, dueCache.nextDue(worker) - working.now)
    const { hasPages } = allowance
    // All buckets with something due were read: what is due is for other workers.
    const wait = due === 0 && !hasMore ? ASK_AGAIN : due
    const next = totals
      ? whenToAskAgain(totals, wait, hasMore, hasPages)
      : hasPages
        ? Math.min(due, ASK_AGAIN)
        : ASK_AGAIN
    return { visits, next: next === 'over' && !hasEnded ? ASK_AGAIN : next, short: !allowance.isSpent }
  })
  // When the transaction fails because of it, it is never awaited.
  answer.catch(() => {})
  return { answer, granted: granted.map(({ site }) => visitId(site.key, site.fence)) }
}

/** Nothing in these sites is worth a visit any more. */
async function postponeAll(working: WorkingSet, sites: readonly SharedSite[]): Promise<void> {
  const heads = await working.readHeads(sites)
  for (const site of sites) {
    postpone(working, site, heads.get(site.key))
    working.sites.change(site)
    if (site.state !== 'waiting') continue
    working.tools.dueCache.waits(bucketFor(site.key), site.region, site.not_before, classOf(site))
  }
}

/** Sites that will be granted if their addresses are free. */
function likelyOf(sites: readonly SharedSite[], worst: number, allowance: Allowance, sharers: number): Granted[] {
  const likely: Granted[] = []
  for (const site of sites) {
    if (allowance.isSpent || classOf(site) > worst) break
    likely.push({ site, pages: spendOn(allowance, site, sharers) })
  }
  return likely
}

/** The reads see the writes before them. Where nothing was due, what waits has not changed. */
function writeAndLook(
  { tx, sites, now, tools: { dueCache } }: WorkingSet,
  { party, leaningIn }: Taking,
  taken: Taken,
  unused: readonly SharedSite[],
  buckets: readonly number[],
): Promise<unknown> {
  const looking = async (bucket: number) => {
    const next = dueCache.isDue(bucket, now) ? await readNextDue(tx, bucket, leaningIn(bucket), party) : {}
    dueCache.asked(bucket, { ...next, ...whatIsLeft(taken, unused, bucket) }, party.name)
  }
  return Promise.all([writeSites(tx, sites), ...buckets.map(looking)])
}

/** Of a bucket that was read: whether sites are left for any worker, for this worker, and the class of the first. */
function whatIsLeft({ sites, more, moreLeaning }: Taken, unused: readonly SharedSite[], bucket: number) {
  const left = unused.filter(({ key }) => bucketFor(key) === bucket)
  const isFree = more.has(bucket) || left.some(({ state }) => state === 'free')
  const isEmpty = !isFree && left.length === 0 && !moreLeaning.has(bucket)
  if (isEmpty) return { isFree, isEmpty }
  // Sites after the last one taken are no better.
  const last = sites.findLast(({ key }) => bucketFor(key) === bucket)
  const first = left.length > 0 ? Math.min(...left.map(classOf)) : last === undefined ? 0 : classOf(last)
  return { isFree, isEmpty, best: first }
}

/** By what is known of the site before its payload is read. Returns the pages of a visit to it. */
function spendOn(allowance: Allowance, site: SharedSite, sharers: number, carriesKeys = true): number {
  const pages = allowance.pagesFor(site, sharers)
  const items = carriesKeys ? Math.min(pages, site.waiting) : MAX_LOOKS
  allowance.spend(pages, items, carriesKeys && site.known <= MAX_KNOWN ? site.known : 0)
  return pages
}

/** A due site becomes a visit, in memory until the working set writes it. */
export function grant(
  working: WorkingSet,
  site: SharedSite,
  worker: WorkerId,
  post: Post | undefined,
  pages: number,
): Granted {
  if (site.state === 'waiting') site.state = stateAfter(site.state, { kind: 'due' })
  grantLease(working, site, worker, pages)
  site.region = post?.region ?? ANYWHERE
  working.sites.change(site)
  return { site, pages }
}
