/**
 * Whether another worker thread is worth its start, which costs 50 MB and half a second of CPU: the others must be full, and
 * there must be sites for it. Sites that wait for a thread are; those that are all leased go to the new one only as visits
 * end, so it is started for them only when the crawl goes on for a while. 200 sites × 50 pages without pauses, which one
 * thread took all at once, cost 9 % less CPU without the second, and no time.
 */

/** Fewer are no work for a thread. */
const SITES_PER_THREAD = 20
/** Looks that find all threads full, one a second. */
const A_WHILE = 10

export interface Look {
  threads: number
  /** No thread has time, or a slot, for another site. */
  full: boolean
  /** Sites that could be checked out now, and that are. */
  free: number
  leased: number
}

/** Answers the looks at a crew, one after the other. */
export function anotherThread(): (look: Look) => boolean {
  let fullFor = 0
  return ({ threads, full, free, leased }) => {
    fullFor = full && free + leased > threads * SITES_PER_THREAD ? fullFor + 1 : 0
    if (fullFor === 0 || (free < SITES_PER_THREAD && fullFor < A_WHILE)) return false
    fullFor = 0
    return true
  }
}
