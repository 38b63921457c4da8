import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../visit/visit.ts'
import type { Hints } from './hints.ts'

/** Buckets of one question: three statements of 50 µs each. Where fewer have something, the order is as if they were one. */
export const MOST_BUCKETS = 16
/** Of them, those that lean to the worker; the others are those that nobody asked for longest, so that none is forgotten. */
const MOST_FAVOURITES = 12

export interface Chosen {
  buckets: number[]
  /** Sites of a worse class than this wait: there are better ones in the buckets that are asked after these. */
  worst: number
}

/** Of the buckets with something due, those that are asked next: the best first. `done`: those that have nothing more. */
export function chooseBuckets(hints: Hints, worker: WorkerId, now: Instant, done: ReadonlySet<number>): Chosen {
  const due = hints.dueBuckets(worker, now).filter((bucket) => !done.has(bucket))
  if (due.length <= MOST_BUCKETS) return { buckets: due, worst: Number.POSITIVE_INFINITY }
  const places = new Map([...preference(hints, worker, due)].map((bucket, place) => [bucket, place]))
  const placeOf = (bucket: number) => places.get(bucket) ?? due.length
  due.sort((a, b) => hints.bestOf(a) - hints.bestOf(b) || placeOf(a) - placeOf(b))
  return {
    buckets: due.slice(0, MOST_BUCKETS).sort((a, b) => a - b),
    worst: hints.bestOf(due[MOST_BUCKETS]),
  }
}

/** The worker's favourites, then those that nobody asked for longest, then the rest. */
function preference(hints: Hints, worker: WorkerId, due: readonly number[]): Set<number> {
  const favourites = hints.favouritesOf(worker, due).slice(0, MOST_FAVOURITES)
  const neglected = [...due].sort((a, b) => hints.lastAsked(a) - hints.lastAsked(b))
  return new Set([...favourites, ...neglected])
}
