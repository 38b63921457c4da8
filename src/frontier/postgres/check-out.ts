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
import type { SiteRow } from '../site-row.ts'
import { bucketFor } from './by-bucket.ts'
import { chooseBuckets } from './choose-buckets.ts'
import { classOf } from './hints.ts'
import { readHolders, setAside } from './holders.ts'
import { type Granted, grant, visitsOf } from './lease.ts'
import { readTotals } from './read-totals.ts'
import type { Sheaf } from './sheaf.ts'
import { takeFree } from './take-free.ts'

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
  const { hints } = sheaf.rules
  await sheaf.readNames()
  const atMost = Math.min(wanted, MOST_AT_ONCE)
  const granted: Granted[] = []
  const done = new Set<number>()
  let mayGrant = left === undefined ? Number.POSITIVE_INFINITY : Math.floor(left) - grantedBefore
  let mayRead = MOST_KEYS_AT_ONCE
  let exhausted = false
  const enough = () => granted.length >= atMost || mayGrant <= 0 || mayRead <= 0
  for (let round = 0; round < MOST_ROUNDS && !enough(); round++) {
    const { buckets, worst } = chooseBuckets(hints, worker, sheaf.now, done)
    exhausted = buckets.length === 0
    if (exhausted) break
    const most = Math.max(atMost - granted.length, LEAST_ROUND)
    const { sites, empty } = await takeFree(sheaf.tx, hints, worker, buckets, most, sheaf.now)
    sheaf.sites.take(sites)
    const holders = await readHolders(
      sheaf.tx,
      sites.flatMap(({ address }) => address ?? []),
      sheaf.now,
    )
    const sharers = Math.min(sites.length, atMost)
    const others: SiteRow[] = []
    /** By bucket, the class of the first that is left. */
    const unused = new Map<number, number>()
    for (const site of sites) {
      const holder = site.address === null ? undefined : holders.get(site.address)
      if (enough() || classOf(site) > worst) leave(unused, site)
      else if (holder !== undefined && holder !== worker) others.push(site)
      else {
        const pages = cautiousPages(site.losses, shareOf(options.slice.pages, mayGrant, sharers))
        granted.push(grant(sheaf, site, worker, pages))
        mayGrant -= pages
        mayRead -= KEYS_AN_ITEM * Math.min(pages, site.waiting) + (site.known > MOST_KNOWN ? 0 : site.known)
      }
    }
    for (const site of await setAside(sheaf, others)) leave(unused, site)
    await sheaf.sites.write()
    for (const bucket of buckets) {
      const due = empty.get(bucket)
      const left = unused.get(bucket)
      if (due === undefined || left !== undefined) hints.asked(bucket, 0, left ?? lastClass(sites, bucket))
      else {
        hints.asked(bucket, due)
        done.add(bucket)
      }
    }
  }
  const [visits, totals] = await Promise.all([visitsOf(sheaf, granted, options.slice), readTotals(sheaf.tx)])
  growBooks(sheaf, totals)
  const next = whenToAskAgain(sheaf, totals, enough() || !exhausted, mayGrant > 0)
  return { visits, next, short: !enough() }
}

/** What is in memory grows with what there is. */
function growBooks({ rules: { texts, trusted } }: Sheaf, { sites, urls }: Totals): void {
  texts.refresh(0, () => urls.known)
  trusted.refresh(0, () => Object.values(sites).reduce((sum, some) => sum + some, 0))
}

function leave(unused: Map<number, number>, site: SiteRow): void {
  const bucket = bucketFor(site.key)
  unused.set(bucket, Math.min(classOf(site), unused.get(bucket) ?? Number.POSITIVE_INFINITY))
}

/** What comes after the last that was taken is no better. */
function lastClass(sites: readonly SiteRow[], bucket: number): number {
  const last = sites.findLast(({ key }) => bucketFor(key) === bucket)
  return last === undefined ? 0 : classOf(last)
}

/** `more`: it was not for want of free sites that no more were given. `granting`: the budget allows more. */
function whenToAskAgain(sheaf: Sheaf, { sites }: Totals, more: boolean, granting: boolean): Millis | 'over' {
  const out = sites.leased + sites.returning
  if (out === 0 && (!granting || sites.free + sites.waiting === 0)) return 'over'
  if (!granting) return ASK_AGAIN
  if (sites.free > 0) return more ? 0 : ASK_AGAIN
  const wait = Math.max(0, sheaf.rules.hints.nextDue - sheaf.now)
  // What nobody here has seen yet is seen within a second.
  return out > 0 || !Number.isFinite(wait) ? Math.min(wait, ASK_AGAIN) : wait
}
