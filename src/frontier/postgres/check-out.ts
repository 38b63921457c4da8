import type { Millis } from '../../base/clock.ts'
import type { Visit, VisitId, WorkerId } from '../../contracts/visit.ts'
import { ASK_AGAIN, LEAST_ROUND, MOST_AT_ONCE, MOST_ROUNDS } from '../check-out-bounds.ts'
import type { FrontierOptions } from '../house.ts'
import type { Totals } from '../looks.ts'
import { partyOf } from '../second-opinion.ts'
import { visitId } from '../visit-id.ts'
import { Allowance } from './allowance.ts'
import { Baggage } from './baggage.ts'
import { bucketFor } from './by-bucket.ts'
import { chooseBuckets } from './choose-buckets.ts'
import { classOf } from './hints.ts'
import { readHolders, setAside } from './holders.ts'
import { type Granted, grant } from './lease.ts'
import { readNextDue } from './read-next-due.ts'
import { readTotals } from './read-totals.ts'
import type { Sheaf } from './sheaf.ts'
import type { SharedSite } from './site-rows.ts'
import { type Taken, type Taking, takeFree } from './take-free.ts'

export interface CheckedOut {
  visits: Visit[]
  next: Millis | 'over'
  /** What there was for the worker was not enough. */
  short: boolean
}

export interface CheckingOut {
  /** Not before the COMMIT. It fails when the connection was lost meanwhile, also where the COMMIT was done. */
  answer: Promise<CheckedOut>
  /** All that are in it. */
  granted: VisitId[]
}

/**
 * Three trips, as a rule: candidates are taken; what the likely ones carry is read, with who holds their addresses; they are
 * written. A trip costs more than what is asked in it, above all where the thread that awaits its answer has parts to
 * apply meanwhile. So the last statements are begun and not awaited: the COMMIT travels with them, and `answer` is there
 * when it is done.
 *
 * `left`: pages that the budget allows; infinite when nothing bounds them.
 */
export async function checkOut(
  sheaf: Sheaf,
  options: FrontierOptions,
  worker: WorkerId,
  wanted: number,
  left: number,
): Promise<CheckingOut> {
  const { hints, affinity } = sheaf.rules
  const post = affinity.postOf(worker)
  const party = partyOf(options.affinity?.fleet, worker, sheaf.rules.clock.now())
  const atMost = Math.min(wanted, MOST_AT_ONCE)
  const allowance = new Allowance(options.slice.pages, atMost, left)
  const baggage = new Baggage(sheaf)
  const granted: Granted[] = []
  const done = new Set<number>()
  let exhausted = false
  let writing: Promise<unknown> | undefined
  for (let round = 0; round < MOST_ROUNDS && !allowance.isSpent; round++) {
    await writing
    // Whoever found only sites of others' addresses looks at more.
    const most = round === 0 ? atMost : Math.max(atMost - granted.length, LEAST_ROUND)
    const { buckets, worst } = chooseBuckets(hints, worker, sheaf.now, done, most)
    exhausted = buckets.length === 0
    if (exhausted) break
    const taking: Taking = {
      worker,
      party,
      now: sheaf.now,
      overdue: hints.overdueFor(worker, sheaf.now),
      windowMs: affinity.windowOf(post),
      leaningIn: (bucket) => affinity.leaningTo(post, bucket),
    }
    const [taken] = await Promise.all([takeFree(sheaf.tx, hints, taking, buckets, most), sheaf.readNames()])
    const { sites } = taken
    sheaf.sites.take(sites)
    const sharers = Math.min(sites.length, atMost)
    const [holders] = await Promise.all([
      readHolders(
        sheaf.tx,
        sites.flatMap(({ address }) => address ?? []),
        sheaf.now,
      ),
      baggage.read(likelyOf(sites, worst, allowance.copy(), sharers)),
    ])
    const others: SharedSite[] = []
    const unused: SharedSite[] = []
    const given: Granted[] = []
    for (const site of sites) {
      const holder = site.address === null ? undefined : holders.get(site.address)?.worker
      if (allowance.isSpent || classOf(site) > worst) unused.push(site)
      else if (holder !== undefined && holder !== worker) others.push(site)
      else given.push(grant(sheaf, site, worker, post, allowance.spend(site, sharers)))
    }
    granted.push(...given)
    if (others.length > 0) {
      unused.push(...(await setAside(sheaf, others)))
      await baggage.read(given)
    }
    writing = writeAndLook(sheaf, taking, taken, unused, buckets)
    for (const bucket of buckets) if (whatIsLeft(taken, unused, bucket).isEmpty) done.add(bucket)
  }
  const endings = Promise.all([
    baggage.visitsOf(granted, options.slice),
    // Who got something has it now: the crawl is not over.
    granted.length > 0 ? undefined : readTotals(sheaf.tx),
    writing,
  ])
  const hasMore = allowance.isSpent || !exhausted
  const answer = endings.then(([visits, totals]) => ({
    visits,
    next: whenToAskAgain(sheaf, worker, totals, hasMore, allowance.hasPages),
    short: !allowance.isSpent,
  }))
  // Where the transaction fails by it, nobody awaits it.
  answer.catch(() => {})
  return { answer, granted: granted.map(({ site }) => visitId(site.key, site.fence)) }
}

/** Those that will be granted if nobody holds their addresses. */
function likelyOf(sites: readonly SharedSite[], worst: number, allowance: Allowance, sharers: number): Granted[] {
  const likely: Granted[] = []
  for (const site of sites) {
    if (allowance.isSpent || classOf(site) > worst) break
    likely.push({ site, pages: allowance.spend(site, sharers) })
  }
  return likely
}

/** What is read is what was written before it. Where nothing was due, what waits is as it was. */
function writeAndLook(
  { tx, sites, now, rules: { hints } }: Sheaf,
  { party, leaningIn }: Taking,
  taken: Taken,
  unused: readonly SharedSite[],
  buckets: readonly number[],
): Promise<unknown> {
  const looking = async (bucket: number) => {
    const next = hints.isDue(bucket, now) ? await readNextDue(tx, bucket, leaningIn(bucket), party) : {}
    hints.asked(bucket, { ...next, ...whatIsLeft(taken, unused, bucket) }, party.name)
  }
  return Promise.all([sites.write(), ...buckets.map(looking)])
}

/** Of a bucket that was asked: whether anybody may have more, whether this worker may, and of which class the first is. */
function whatIsLeft({ sites, more, moreLeaning }: Taken, unused: readonly SharedSite[], bucket: number) {
  const left = unused.filter(({ key }) => bucketFor(key) === bucket)
  const isFree = more.has(bucket) || left.some(({ state }) => state === 'free')
  const isEmpty = !isFree && left.length === 0 && !moreLeaning.has(bucket)
  if (isEmpty) return { isFree, isEmpty }
  // What comes after the last that was taken is no better.
  const last = sites.findLast(({ key }) => bucketFor(key) === bucket)
  const first = left.length > 0 ? Math.min(...left.map(classOf)) : last === undefined ? 0 : classOf(last)
  return { isFree, isEmpty, best: first }
}

/**
 * `totals`: of a check-out that got nothing. `more`: it was not for want of free sites that no more were given. `granting`: the
 * budget allows more.
 */
function whenToAskAgain(
  sheaf: Sheaf,
  worker: WorkerId,
  totals: Totals | undefined,
  more: boolean,
  granting: boolean,
): Millis | 'over' {
  const due = untilDue(sheaf, worker)
  if (totals === undefined) return granting ? Math.min(due, ASK_AGAIN) : ASK_AGAIN
  // All was asked for that is due by the hints: it is for others.
  const wait = due === 0 && !more ? ASK_AGAIN : due
  const { sites } = totals
  const out = sites.leased + sites.returning
  if (out === 0 && (!granting || sites.free + sites.waiting === 0)) return 'over'
  if (!granting) return ASK_AGAIN
  if (sites.free > 0) return more ? 0 : Math.min(wait, ASK_AGAIN)
  // What nobody here has seen yet is seen within a second.
  return out > 0 || !Number.isFinite(wait) ? Math.min(wait, ASK_AGAIN) : wait
}

function untilDue(sheaf: Sheaf, worker: WorkerId): Millis {
  return Math.max(0, sheaf.rules.hints.nextDue(worker) - sheaf.now)
}
