/**
 * Where and when sites are due, as far as this process knows, so that a check-out reads a few buckets instead of 256.
 * It is only a cache: it learns once a second what other servers did, and an entry that is too early costs one query.
 */
import type { Instant, Millis } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import { BUCKETS } from '../../database/bucket.ts'
import type { ByBucket } from '../../database/postgres/by-bucket.ts'
import type { Post } from '../contract.ts'
import type { SiteRow } from '../rules/site.ts'
import { Affinity, bucketOrder } from './affinity.ts'
import type { SharedSite } from './site-rows.ts'

/**
 * How old the knowledge of other servers may be for a worker that finds nothing. A bit older for one that finds enough: the
 * coordinator's tick refreshes it every second, so that no check-out has to.
 */
const FRESH_FOR: Millis = 1000
const FRESH_ENOUGH_FOR: Millis = 1250
/** The same for sites that others reserved for a worker that finds enough. */
const RESERVED_FRESH_ENOUGH_FOR: Millis = 20_000

const MAX_WORKERS = 10_000
/** 2 KiB each. */
const MAX_REGIONS = 1000
const NEVER = Number.POSITIVE_INFINITY

export class DueCache {
  readonly #affinity: Affinity
  /** 1: the bucket has a site for any worker. */
  readonly #free = new Uint8Array(BUCKETS)
  /** Of those buckets, the process that found nothing there: the free sites may be for others only. */
  readonly #notFor: (string | undefined)[] = new Array(BUCKETS).fill(undefined)
  /** When the first waiting site is due. */
  readonly #waits = new Float64Array(BUCKETS).fill(NEVER)
  /** The same by region, for sites that lean to it. */
  readonly #leaning = new Map<string, Float64Array>()
  /** The class of the first site, as far as is known: see `classOf`. */
  readonly #best = new Float64Array(BUCKETS)
  /** When the first address of the shard with reserved sites becomes free. */
  readonly #idle = new Float64Array(BUCKETS).fill(NEVER)
  #tidied = 0
  /** The number of the last query; 0: never read. */
  readonly #asked = new Float64Array(BUCKETS)
  #questions = 0
  readonly #workers = new Map<WorkerId, OfWorker>()
  #at: Millis = -NEVER

  constructor(affinity = new Affinity()) {
    this.#affinity = affinity
  }

  /** Sites were written; `idle`: when addresses of these shards become free. */
  changed(sites: ByBucket<SharedSite>, idle: ReadonlyMap<number, Instant>): void {
    for (const [bucket, rows] of sites)
      for (const site of rows)
        if (site.state === 'free') this.free(bucket, classOf(site))
        else if (site.state === 'waiting') this.waits(bucket, site.region, site.not_before, classOf(site))
    for (const [shard, until] of idle) this.idle(shard, until)
  }

  /** There is a site for any worker. */
  free(bucket: number, best = 0): void {
    this.#noteBest(bucket, best)
    this.#free[bucket] = 1
    this.#notFor[bucket] = undefined
  }

  /** There is a site that waits until then and leans to the region. */
  waits(bucket: number, region: string, at: Instant, best = 0): void {
    this.#noteBest(bucket, best)
    if (at < this.#waits[bucket]) this.#waits[bucket] = at
    const leaning = this.#leaningTo(region)
    if (at < leaning[bucket]) leaning[bucket] = at
  }

  #noteBest(bucket: number, best: number): void {
    const isNothing = this.#free[bucket] === 0 && this.#waits[bucket] === NEVER
    if (isNothing || best < this.#best[bucket]) this.#best[bucket] = best
  }

  idle(shard: number, at: Instant): void {
    if (at < this.#idle[shard]) this.#idle[shard] = at
  }

  reserve(bucket: number, holder: WorkerId): void {
    this.#of(holder).reserved.add(bucket)
  }

  /**
   * What a check-out saw, beside what it took. `party`: a process that does not see sites reserved for rechecks by others.
   * If this process sees nothing, the bucket may still have something for another one.
   */
  asked(bucket: number, { isFree, waits, leaning = [], best = 0 }: Seen, party = ''): void {
    const isHidden = !isFree && party !== '' && this.#free[bucket] === 1 && (this.#notFor[bucket] ?? party) === party
    this.#free[bucket] = isFree || isHidden ? 1 : 0
    this.#notFor[bucket] = isHidden ? party : undefined
    if (waits !== undefined) this.#waits[bucket] = waits
    for (const [region, at] of leaning) this.#leaningTo(region)[bucket] = at
    this.#best[bucket] = best
    this.#asked[bucket] = ++this.#questions
  }

  /** Nothing is reserved for the worker there. */
  nothingReserved(bucket: number, worker: WorkerId): void {
    this.#workers.get(worker)?.reserved.delete(bucket)
  }

  /** The next time that an address of the shard with reserved sites becomes free. */
  freed(shard: number, next: Instant): void {
    this.#idle[shard] = next
  }

  /** Buckets worth a query, in their order. */
  dueBuckets(worker: WorkerId, now: Instant): number[] {
    const reserved = this.#workers.get(worker)?.reserved
    const post = this.#affinity.postOf(worker)
    const overdue = this.overdueFor(worker, now)
    const buckets: number[] = []
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const isDue = this.#isFreeFor(post, bucket) || this.isDue(bucket, overdue) || this.#leansBy(post, bucket) <= now
      if (isDue || reserved?.has(bucket)) buckets.push(bucket)
    }
    return buckets
  }

  /**
   * Sites that lean to others are the worker's, too, when they have been due for a window. When more is due than workers can
   * take, all are overdue. Then a worker first takes older ones that lean to it, and leaves the others to their own processes
   * for as much longer. So a site is passed over only for sites that became due at most a window after it.
   */
  overdueFor(worker: WorkerId, now: Instant): Instant {
    const post = this.#affinity.postOf(worker)
    let oldest = now
    for (let bucket = 0; bucket < BUCKETS; bucket++) oldest = Math.min(oldest, this.#leansBy(post, bucket))
    return oldest - this.#affinity.windowOf(post)
  }

  /** Whether a waiting site is due by then. */
  isDue(bucket: number, by: Instant): boolean {
    return this.#waits[bucket] <= by
  }

  /** When a site may be given to a worker of this process. */
  #dueFor(post: Post | undefined, bucket: number): Instant {
    if (this.#isFreeFor(post, bucket)) return 0
    return Math.min(this.#waits[bucket] + this.#affinity.windowOf(post), this.#leansBy(post, bucket))
  }

  #isFreeFor(post: Post | undefined, bucket: number): boolean {
    return this.#free[bucket] === 1 && (post === undefined || this.#notFor[bucket] !== post.process)
  }

  /**
   * When the first site is due that leans to this process. Not before the first of all: a worker that took a site leaning
   * elsewhere saw only that.
   */
  #leansBy(post: Post | undefined, bucket: number): Instant {
    let due = NEVER
    for (const region of this.#affinity.leaningTo(post, bucket))
      due = Math.min(due, this.#leaning.get(region)?.[bucket] ?? NEVER)
    return Math.max(due, this.#waits[bucket])
  }

  #leaningTo(region: string): Float64Array {
    const known = this.#leaning.get(region)
    if (known !== undefined) return known
    // A forgotten region's sites are due for it when they are for all.
    if (this.#leaning.size >= MAX_REGIONS) this.#leaning.clear()
    const fresh = new Float64Array(BUCKETS).fill(NEVER)
    this.#leaning.set(region, fresh)
    return fresh
  }

  hasReserved(worker: WorkerId): boolean {
    return (this.#workers.get(worker)?.reserved.size ?? 0) > 0
  }

  hasReservedIn(bucket: number, worker: WorkerId): boolean {
    return this.#workers.get(worker)?.reserved.has(bucket) === true
  }

  idleShards(now: Instant): number[] {
    const shards: number[] = []
    for (let shard = 0; shard < BUCKETS; shard++) if (this.#idle[shard] <= now) shards.push(shard)
    return shards
  }

  /** The next shards, in turn. */
  shardsToTidy(count: number): number[] {
    const shards = Array.from({ length: count }, (_, nth) => (this.#tidied + nth) % BUCKETS)
    this.#tidied = (this.#tidied + count) % BUCKETS
    return shards
  }

  /** No site of the bucket is of a better class. */
  bestOf(bucket: number): number {
    return this.#best[bucket]
  }

  /** When the next site is due for the worker, as far as is known. */
  nextDue(worker: WorkerId): Instant {
    const post = this.#affinity.postOf(worker)
    let next = NEVER
    for (let bucket = 0; bucket < BUCKETS; bucket++) next = Math.min(next, this.#dueFor(post, bucket))
    return next
  }

  /** A larger number was read later. */
  lastAsked(bucket: number): number {
    return this.#asked[bucket]
  }

  /** Whether it is time to read what others did; the caller that gets a yes does so. */
  isOld(elapsed: Millis, isWanting: boolean): boolean {
    if (elapsed - this.#at < (isWanting ? FRESH_FOR : FRESH_ENOUGH_FOR)) return false
    this.refreshing(elapsed)
    return true
  }

  /** The caller reads now what others did. */
  refreshing(elapsed: Millis): void {
    this.#at = elapsed
  }

  /** The same for sites that others reserved for a worker. */
  areReservationsOld(worker: WorkerId, elapsed: Millis, isWanting: boolean): boolean {
    const known = this.#of(worker)
    if (elapsed - known.at < (isWanting ? FRESH_FOR : RESERVED_FRESH_ENOUGH_FOR)) return false
    known.at = elapsed
    return true
  }

  /**
   * The buckets that lean to the worker's process, and overdue ones of others (`overdueFor`): first where something has been
   * due for longest, then those not read for longest. Without affinity, all in the worker's own order.
   */
  favouritesOf(worker: WorkerId, buckets: readonly number[], now: Instant): number[] {
    const post = this.#affinity.postOf(worker)
    if (post !== undefined) {
      const window = this.#affinity.windowOf(post)
      const overdue = this.overdueFor(worker, now)
      const dueIn = new Map<number, Instant>()
      for (const bucket of buckets) {
        const isOwn = this.#affinity.leaningTo(post, bucket).length > 0
        const others = this.isDue(bucket, overdue) ? this.#waits[bucket] + window : NEVER
        if (isOwn || others < NEVER) dueIn.set(bucket, Math.min(this.#leansBy(post, bucket), others))
      }
      const since = (bucket: number) => dueIn.get(bucket) ?? NEVER
      return [...dueIn.keys()].sort((a, b) => since(a) - since(b) || this.lastAsked(a) - this.lastAsked(b))
    }
    const wanted = new Set(buckets)
    return [...this.#of(worker).order].filter((bucket) => wanted.has(bucket))
  }

  #of(worker: WorkerId): OfWorker {
    const known = this.#workers.get(worker)
    if (known !== undefined) return known
    const fresh = { reserved: new Set<number>(), at: -NEVER, order: bucketOrder(worker) }
    // Workers come and go; a forgotten one is read anew.
    if (this.#workers.size >= MAX_WORKERS) this.#workers.clear()
    this.#workers.set(worker, fresh)
    return fresh
  }
}

export interface Seen {
  /** Something is left for any worker. */
  isFree: boolean
  /** When the first waiting site is due, if that was read. */
  waits?: Instant
  /** The same for sites that lean to some regions. */
  leaning?: Iterable<readonly [region: string, at: Instant]>
  /** The best class, see `classOf`. */
  best?: number
}

interface OfWorker {
  /** Buckets with sites reserved for it. */
  reserved: Set<number>
  /** When reservations by others were last read. */
  at: Millis
  order: Uint8Array
}

/** Lost sites come after all others, and more deferred ones after less deferred ones (V9, V12): a smaller class goes first. */
export function classOf({ losses, deferral }: Pick<SiteRow, 'losses' | 'deferral'>): number {
  return losses * MAX_DEFERRALS + deferral
}

/** More than there are: each deferral stands for twice as many sites. */
const MAX_DEFERRALS = 64
