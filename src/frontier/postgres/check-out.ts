import type { Millis } from '../../base/clock.ts'
import type { Visit, WorkerId } from '../../visit/visit.ts'
import { cautiousPages } from '../caution.ts'
import {
  ASK_AGAIN,
  KEYS_AN_ITEM,
  LEAST_ROUND,
  MOST_AT_ONCE,
  MOST_KEYS_AT_ONCE,
  MOST_ROUNDS,
  shareOf,
} from '../check-out-bounds.ts'
import type { FrontierOptions } from '../house.ts'
import type { Totals } from '../looks.ts'
import { MOST_KNOWN } from '../most-known.ts'
import { bucketFor } from './by-bucket.ts'
import { chooseBuckets } from './choose-buckets.ts'
import { classOf } from './hints.ts'
import { readHolders, setAside } from './holders.ts'
import { type Granted, grant, visitsOf } from './lease.ts'
import { readNextDue } from './read-next-due.ts'
import { readTotals } from './read-totals.ts'
import type { Sheaf } from './sheaf.ts'
import type { SharedSite } from './site-rows.ts'
import { type Taken, type Taking, takeFree } from './take-free.ts'

/** Pages left, or undefined when nothing bounds them. */
type Left = number | undefined

export interface CheckedOut {
  visits: Visit[]
  next: Millis | 'over'
  /** What there was for the worker was not enough. */
  short: boolean
}

export async function checkOut(
  sheaf: Sheaf,
  options: FrontierOptions,
  worker: WorkerId,
  wanted: number,
  left: Left,
  grantedBefore: number,
): Promise<CheckedOut> {
  const { hints, affinity } = sheaf.rules
  const post = affinity.postOf(worker)
  const taking: Taking = {
    worker,
    now: sheaf.now,
    overdue: sheaf.now - affinity.windowOf(post),
    leaningIn: (bucket) => affinity.leaningTo(post, bucket),
  }
  await sheaf.readNames()
  const atMost = Math.min(wanted, MOST_AT_ONCE)
  const granted: Granted[] = []
  const done = new Set<number>()
  let mayGrant = left === undefined ? Number.POSITIVE_INFINITY : Math.floor(left) - grantedBefore
  let mayRead = MOST_KEYS_AT_ONCE
  let exhausted = false
  const enough = () => granted.length >= atMost || mayGrant <= 0 || mayRead <= 0
  for (let round = 0; round < MOST_ROUNDS && !enough(); round++) {
    // Whoever found only sites of others' addresses looks at more.
    const most = round === 0 ? atMost : Math.max(atMost - granted.length, LEAST_ROUND)
    const { buckets, worst } = chooseBuckets(hints, worker, sheaf.now, done, most)
    exhausted = buckets.length === 0
    if (exhausted) break
    const taken = await takeFree(sheaf.tx, hints, taking, buckets, most)
    const { sites } = taken
    sheaf.sites.take(sites)
    const holders = await readHolders(
      sheaf.tx,
      sites.flatMap(({ address }) => address ?? []),
      sheaf.now,
    )
    const sharers = Math.min(sites.length, atMost)
    const others: SharedSite[] = []
    const unused: SharedSite[] = []
    for (const site of sites) {
      const holder = site.address === null ? undefined : holders.get(site.address)
      if (enough() || classOf(site) > worst) unused.push(site)
      else if (holder !== undefined && holder !== worker) others.push(site)
      else {
        const pages = cautiousPages(site.losses, shareOf(options.slice.pages, mayGrant, sharers))
        granted.push(grant(sheaf, site, worker, post, pages))
        mayGrant -= pages
        mayRead -= KEYS_AN_ITEM * Math.min(pages, site.waiting) + (site.known > MOST_KNOWN ? 0 : site.known)
      }
    }
    unused.push(...(await setAside(sheaf, others)))
    // What they read is what was written before them. Where nothing was due, what waits is as it was.
    const writing = sheaf.sites.write()
    const reading = buckets.map((bucket) =>
      hints.isDue(bucket, sheaf.now) ? readNextDue(sheaf.tx, bucket, taking.leaningIn(bucket)) : {},
    )
    const [, ...nexts] = await Promise.all([writing, ...reading])
    for (const [at, bucket] of buckets.entries()) {
      const left = whatIsLeft(taken, unused, bucket)
      hints.asked(bucket, { ...nexts[at], ...left })
      if (left.isEmpty) done.add(bucket)
    }
  }
  // Who got all that was wanted need not know what else there is.
  const isSatisfied = granted.length >= atMost && mayGrant > 0
  const [visits, totals] = await Promise.all([
    visitsOf(sheaf, granted, options.slice),
    isSatisfied ? undefined : readTotals(sheaf.tx),
  ])
  const next =
    totals === undefined
      ? Math.min(untilDue(sheaf, worker), ASK_AGAIN)
      : whenToAskAgain(sheaf, worker, totals, enough() || !exhausted, mayGrant > 0)
  return { visits, next, short: !enough() }
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

/** `more`: it was not for want of free sites that no more were given. `granting`: the budget allows more. */
function whenToAskAgain(
  sheaf: Sheaf,
  worker: WorkerId,
  { sites }: Totals,
  more: boolean,
  granting: boolean,
): Millis | 'over' {
  const out = sites.leased + sites.returning
  if (out === 0 && (!granting || sites.free + sites.waiting === 0)) return 'over'
  if (!granting) return ASK_AGAIN
  if (sites.free > 0) return more ? 0 : Math.min(untilDue(sheaf, worker), ASK_AGAIN)
  const wait = untilDue(sheaf, worker)
  // What nobody here has seen yet is seen within a second.
  return out > 0 || !Number.isFinite(wait) ? Math.min(wait, ASK_AGAIN) : wait
}

function untilDue(sheaf: Sheaf, worker: WorkerId): Millis {
  return Math.max(0, sheaf.rules.hints.nextDue(worker) - sheaf.now)
}
