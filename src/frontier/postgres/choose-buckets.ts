import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { DueCache } from './due-cache.ts'

/** Buckets of one question, a statement each. Where fewer have something, the order is as if they were one. */
export const MAX_BUCKETS = 16
/** Where more have something, whoever wants few sites asks for few: of one site, 12 statements instead of 24. */
const MIN_BUCKETS = 4
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
  dueCache: DueCache,
  worker: WorkerId,
  now: Instant,
  done: ReadonlySet<number>,
  wanted: number,
): Chosen {
  const due = dueCache.dueBuckets(worker, now).filter((bucket) => !done.has(bucket))
  if (due.length <= MAX_BUCKETS) return { buckets: due, worst: Number.POSITIVE_INFINITY }
  const count = Math.min(MAX_BUCKETS, Math.max(MIN_BUCKETS, wanted))
  const places = new Map([...preference(dueCache, worker, now, due, count)].map((bucket, place) => [bucket, place]))
  const placeOf = (bucket: number) => places.get(bucket) ?? due.length
  due.sort((a, b) => dueCache.bestOf(a) - dueCache.bestOf(b) || placeOf(a) - placeOf(b))
  return {
    buckets: due.slice(0, count).sort((a, b) => a - b),
    worst: dueCache.bestOf(due[count]),
  }
}

/** The worker's favourites, then those that nobody asked for longest, then the rest. */
function preference(
  dueCache: DueCache,
  worker: WorkerId,
  now: Instant,
  due: readonly number[],
  count: number,
): Set<number> {
  const favourites = dueCache.favouritesOf(worker, due, now).slice(0, count * FAVOURITES)
  const neglected = [...due].sort((a, b) => dueCache.lastAsked(a) - dueCache.lastAsked(b))
  return new Set([...favourites, ...neglected])
}
