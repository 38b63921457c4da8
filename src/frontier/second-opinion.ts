/**
 * A share of captures is asked for again through another worker (the table `recheck`, which intake keeps). While such a capture
 * is to be asked for, whoever brought the first does not get its site, as long as there is anybody else; but no site waits
 * for another worker for longer than ten minutes. Where several workers brought such captures, it is for any but the one that
 * brought the first of them: else they would wait for each other.
 */
import type { Instant, Millis } from '../base/clock.ts'
import type { WorkerId } from '../contracts/visit.ts'
import type { KnownWorkers } from './known-workers.ts'

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
