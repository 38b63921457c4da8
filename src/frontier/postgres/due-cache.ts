/**
 * Where something is due, and when, as this process has seen it: so that a check-out asks a few buckets and not 256 in vain.
 * Never the truth. What other servers did is learnt once a second; a hint that is too early costs one question.
 */
import type { Instant, Millis } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import { BUCKETS } from '../../database/bucket.ts'
import type { Post } from '../affinity.ts'
import { Affinity, bucketOrder } from '../affinity.ts'
import type { SiteRow } from '../rules/site.ts'
import type { ByBucket } from './by-bucket.ts'
import type { SharedSite } from './site-rows.ts'

/**
 * How old what is known of other servers may be, for a worker that finds nothing. For one that finds what it wants a bit more:
 * every tick of the coordinator, a second, asks anew, so that no check-out waits for that.
 */
const FRESH_FOR: Millis = 1000
const FRESH_ENOUGH_FOR: Millis = 1250
/** The same for what others set aside for a worker that finds what it wants. */
const ASIDE_FRESH_ENOUGH_FOR: Millis = 20_000

const MAX_WORKERS = 10_000
/** Of 2 KiB each. */
const MAX_REGIONS = 1000
const NEVER = Number.POSITIVE_INFINITY

export class DueCache {
  readonly #affinity: Affinity
  /** 1: a site of the bucket may be given to anybody. */
  readonly #free = new Uint8Array(BUCKETS)
  /** Of those buckets, the process that found nothing there for itself: what is free may be for others only. */
  readonly #notFor: (string | undefined)[] = new Array(BUCKETS).fill(undefined)
  /** When the first of those that wait is due. */
  readonly #waits = new Float64Array(BUCKETS).fill(NEVER)
  /** By region, the same of those that lean to it. */
  readonly #leaning = new Map<string, Float64Array>()
  /** How good the first of them is, as far as is known: see `classOf`. */
  readonly #best = new Float64Array(BUCKETS)
  /** When an address of the shard is nobody's any more, for whose holder sites were set aside. */
  readonly #idle = new Float64Array(BUCKETS).fill(NEVER)
  #tidied = 0
  /** In the order of questions; those never asked come first. */
  readonly #asked = new Float64Array(BUCKETS)
  #questions = 0
  readonly #workers = new Map<WorkerId, OfWorker>()
  #at: Millis = -NEVER

  constructor(affinity = new Affinity()) {
    this.#affinity = affinity
  }

  /** Sites were written, and of these shards addresses are held until then. */
  changed(sites: ByBucket<SharedSite>, idle: ReadonlyMap<number, Instant>): void {
    for (const [bucket, rows] of sites)
      for (const site of rows)
        if (site.state === 'free') this.free(bucket, classOf(site))
        else if (site.state === 'waiting') this.waits(bucket, site.region, site.not_before, classOf(site))
    for (const [shard, until] of idle) this.idle(shard, until)
  }

  /** There is a site for anybody. */
  free(bucket: number, best = 0): void {
    this.#noteBest(bucket, best)
    this.#free[bucket] = 1
    this.#notFor[bucket] = undefined
  }

  /** There is one that waits until then, and leans to the region. */
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

  setAside(bucket: number, holder: WorkerId): void {
    this.#of(holder).aside.add(bucket)
  }

  /**
   * What a check-out saw, after all that it took. `party`: a process that is not shown what is to go to another one
   * (`../second-opinion.ts`): that it sees nothing does not mean that there is nothing, until another says so, too.
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

  /** There is nothing set aside for the worker there. */
  nothingAside(bucket: number, worker: WorkerId): void {
    this.#workers.get(worker)?.aside.delete(bucket)
  }

  /** What a look at all idle addresses of the shard saw. */
  freed(shard: number, next: Instant): void {
    this.#idle[shard] = next
  }

  /** Buckets worth a question, in their order. */
  dueBuckets(worker: WorkerId, now: Instant): number[] {
    const aside = this.#workers.get(worker)?.aside
    const post = this.#affinity.postOf(worker)
    const overdue = this.overdueFor(worker, now)
    const buckets: number[] = []
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const isDue = this.#isFreeFor(post, bucket) || this.isDue(bucket, overdue) || this.#leansBy(post, bucket) <= now
      if (isDue || aside?.has(bucket)) buckets.push(bucket)
    }
    return buckets
  }

  /**
   * Sites that lean to others are the worker's, too, when they are due since then: a window ago. Where more is due than workers
   * can take, all are; so whoever has older ones that lean to it takes those first, and leaves the others as much longer to
   * whom they lean to. Thus every site is passed over only for such as were due at most a window after it.
   */
  overdueFor(worker: WorkerId, now: Instant): Instant {
    const post = this.#affinity.postOf(worker)
    let oldest = now
    for (let bucket = 0; bucket < BUCKETS; bucket++) oldest = Math.min(oldest, this.#leansBy(post, bucket))
    return oldest - this.#affinity.windowOf(post)
  }

  /** Whether one of those that wait is due by then. */
  isDue(bucket: number, by: Instant): boolean {
    return this.#waits[bucket] <= by
  }

  /** When a site may be given to somebody who stands there. */
  #dueFor(post: Post | undefined, bucket: number): Instant {
    if (this.#isFreeFor(post, bucket)) return 0
    return Math.min(this.#waits[bucket] + this.#affinity.windowOf(post), this.#leansBy(post, bucket))
  }

  #isFreeFor(post: Post | undefined, bucket: number): boolean {
    return this.#free[bucket] === 1 && (post === undefined || this.#notFor[bucket] !== post.process)
  }

  /**
   * When the first is due that leans to somebody who stands there. Not before the first of all: who took it for whom it did
   * not lean saw only that.
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
    // What is forgotten is due for its region when it is for everybody.
    if (this.#leaning.size >= MAX_REGIONS) this.#leaning.clear()
    const fresh = new Float64Array(BUCKETS).fill(NEVER)
    this.#leaning.set(region, fresh)
    return fresh
  }

  hasAside(worker: WorkerId): boolean {
    return (this.#workers.get(worker)?.aside.size ?? 0) > 0
  }

  hasAsideIn(bucket: number, worker: WorkerId): boolean {
    return this.#workers.get(worker)?.aside.has(bucket) === true
  }

  idleShards(now: Instant): number[] {
    const shards: number[] = []
    for (let shard = 0; shard < BUCKETS; shard++) if (this.#idle[shard] <= now) shards.push(shard)
    return shards
  }

  /** The next so many, in turn. */
  shardsToTidy(count: number): number[] {
    const shards = Array.from({ length: count }, (_, nth) => (this.#tidied + nth) % BUCKETS)
    this.#tidied = (this.#tidied + count) % BUCKETS
    return shards
  }

  /** The first site of the bucket is of no better class. */
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

  /** A greater one was asked later. */
  lastAsked(bucket: number): number {
    return this.#asked[bucket]
  }

  /** Whether it is time to ask what others did; whoever gets a yes does so. */
  isOld(elapsed: Millis, isWanting: boolean): boolean {
    if (elapsed - this.#at < (isWanting ? FRESH_FOR : FRESH_ENOUGH_FOR)) return false
    this.refreshing(elapsed)
    return true
  }

  /** Somebody asks now what others did. */
  refreshing(elapsed: Millis): void {
    this.#at = elapsed
  }

  /** The same for what others set aside for a worker. */
  isAsideOld(worker: WorkerId, elapsed: Millis, isWanting: boolean): boolean {
    const known = this.#of(worker)
    if (elapsed - known.at < (isWanting ? FRESH_FOR : ASIDE_FRESH_ENOUGH_FOR)) return false
    known.at = elapsed
    return true
  }

  /**
   * Buckets as they lean to the worker: its process's own, and those of others that have let it wait too long (`overdueFor`); first
   * where something is due for longest, then those that nobody asked for longest. Or all in its order.
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
    const fresh = { aside: new Set<number>(), at: -NEVER, order: bucketOrder(worker) }
    // Workers come and go; whoever is forgotten is asked about anew.
    if (this.#workers.size >= MAX_WORKERS) this.#workers.clear()
    this.#workers.set(worker, fresh)
    return fresh
  }
}

export interface Seen {
  /** Something is left for anybody. */
  isFree: boolean
  /** When the first of those that wait is due, if that was looked at. */
  waits?: Instant
  /** The same of those that lean to some regions. */
  leaning?: Iterable<readonly [region: string, at: Instant]>
  /** Nothing is better, see `classOf`. */
  best?: number
}

interface OfWorker {
  /** Buckets with sites that were set aside for it. */
  aside: Set<number>
  /** When others were asked what they set aside. */
  at: Millis
  order: Uint8Array
}

/** Sites that were lost come after all others, and large crowds after small ones (V9, V12): a smaller class goes first. */
export function classOf({ losses, deferral }: Pick<SiteRow, 'losses' | 'deferral'>): number {
  return losses * CROWDS + deferral
}

/** More than there are: a crowd doubles from one to the next. */
const CROWDS = 64
