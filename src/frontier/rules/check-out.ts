/** What one check-out may do, whatever the database. */
import type { Instant, Millis } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { KnownWorkers } from '../affinity.ts'

/** A check-out holds the coordinator for some milliseconds: who wants more is told to ask again at once. */
export const MAX_AT_ONCE = 64
export const MAX_KEYS_AT_ONCE = 50_000
/** An agenda's URL with its referrer takes as long to read as so many keys (3.2 µs): 64 full agendas took 100 ms. */
export const KEYS_AN_ITEM = 16
/** Sites are looked at in rounds of so many; who met only sites of others' addresses in all of them asks again at once. */
export const MAX_ROUNDS = 4
export const MIN_ROUND = 32
/** While visits are out, they may bring work at any time: ask again after this, at the latest. */
export const ASK_AGAIN: Millis = 1000

const MIN_SHARE = 10

/** Under a page budget a visit gets half of an equal share, so that one site does not keep what others could use now. */
export function shareOf(slicePages: number, mayGrant: number, sharers: number): number {
  return Math.min(slicePages, mayGrant, Math.max(MIN_SHARE, Math.floor(mayGrant / (2 * sharers))))
}

/** Known URLs that a visit carries: above this they would be more than 800 kB. */
export const MAX_KNOWN = 100_000

/**
 * A share of captures is asked for again through another worker (the table `recheck`, which intake keeps). While such a capture
 * is to be asked for, whoever brought the first does not get its site, as long as there is anybody else; but no site waits
 * for another worker for longer than ten minutes. Where several workers brought such captures, it is for any but the one that
 * brought the first of them: else they would wait for each other.
 */

/** After the first: what changes by the second has its chance, and a crawl that is nearly over does not wait for long. */
export const ASKED_AGAIN_AFTER: Millis = 60_000
const LONGEST: Millis = 600_000
/** No worker is called so. */
const NOBODY = ''

/** Sites with an open recheck of what this party brought between these moments are for others. */
export interface Party {
  name: string
  from: Instant
  to: Instant
}

/** `now`: as captures have it. */
export function partyOf(workers: KnownWorkers | undefined, worker: WorkerId, now: Instant): Party {
  const own = workers?.postOf(worker)?.process
  const hasOthers = workers?.present().some(({ process }) => process !== own) === true
  const to = now - ASKED_AGAIN_AFTER
  return { name: own !== undefined && hasOthers ? own : NOBODY, from: to - LONGEST, to }
}
