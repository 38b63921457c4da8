import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { Hints } from './hints.ts'

/** Buckets of one question, a statement each. Where fewer have something, the order is as if they were one. */
export const MOST_BUCKETS = 16
/** Where more have something, whoever wants few sites asks for few: of one site, 12 statements instead of 24. */
const LEAST_BUCKETS = 4
/** The share of those that lean to the worker; the others are those that nobody asked for longest, so that none is forgotten. */
const FAVOURITES = 3 / 4

export interface Chosen {
  buckets: number[]
  /** Sites of a worse class than this wait: there are better ones in the buckets that are asked after these. */
  worst: number
}

/**
 * Of the buckets with something due, those that are asked next, for so many sites: the best first. `done`: those that have
 * nothing more.
 */
export function chooseBuckets(
  hints: Hints,
  worker: WorkerId,
  now: Instant,
  done: ReadonlySet<number>,
  wanted: number,
): Chosen {
  const due = hints.dueBuckets(worker, now).filter((bucket) => !done.has(bucket))
  if (due.length <= MOST_BUCKETS) return { buckets: due, worst: Number.POSITIVE_INFINITY }
  const count = Math.min(MOST_BUCKETS, Math.max(LEAST_BUCKETS, wanted))
  const places = new Map([...preference(hints, worker, now, due, count)].map((bucket, place) => [bucket, place]))
  const placeOf = (bucket: number) => places.get(bucket) ?? due.length
  due.sort((a, b) => hints.bestOf(a) - hints.bestOf(b) || placeOf(a) - placeOf(b))
  return {
    buckets: due.slice(0, count).sort((a, b) => a - b),
    worst: hints.bestOf(due[count]),
  }
}

/** The worker's favourites, then those that nobody asked for longest, then the rest. */
function preference(hints: Hints, worker: WorkerId, now: Instant, due: readonly number[], count: number): Set<number> {
  const favourites = hints.favouritesOf(worker, due, now).slice(0, count * FAVOURITES)
  const neglected = [...due].sort((a, b) => hints.lastAsked(a) - hints.lastAsked(b))
  return new Set([...favourites, ...neglected])
}
