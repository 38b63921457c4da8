/**
 * Where something is due, and when, as this process has seen it: so that a check-out asks a few buckets and not 256 in vain.
 * Never the truth. What other servers did is learnt once a second; a hint that is too early costs one question.
 */
import type { Instant, Millis } from '../../base/clock.ts'
import { BUCKETS, shardOf } from '../../database/bucket.ts'
import type { WorkerId } from '../../visit/visit.ts'
import { bucketOrder } from '../rendezvous.ts'
import type { SiteRow } from '../site-row.ts'
import type { ByBucket } from './by-bucket.ts'

/** How old what is known of other servers may be. */
const FRESH_FOR: Millis = 1000

const MOST_WORKERS = 10_000
const NEVER = Number.POSITIVE_INFINITY

export class Hints {
  /** When a site of the bucket may be given to anybody. */
  readonly #due = new Float64Array(BUCKETS).fill(NEVER)
  /** How good the first of them is, as far as is known: see `classOf`. */
  readonly #best = new Float64Array(BUCKETS)
  /** When an address of the shard is nobody's any more. */
  readonly #idle = new Float64Array(BUCKETS).fill(NEVER)
  /** In the order of questions; those never asked come first. */
  readonly #asked = new Float64Array(BUCKETS)
  #questions = 0
  readonly #workers = new Map<WorkerId, OfWorker>()
  #at: Millis = -NEVER

  /** Sites were written, and addresses are held until then. */
  changed(sites: ByBucket<SiteRow>, idle: ReadonlyMap<string, Instant>): void {
    for (const [bucket, rows] of sites)
      for (const site of rows)
        if (site.state === 'free') this.due(bucket, 0, classOf(site))
        else if (site.state === 'waiting') this.due(bucket, site.not_before, classOf(site))
    for (const [address, until] of idle) this.idle(shardOf(address), until)
  }

  due(bucket: number, at: Instant, best = 0): void {
    if (this.#due[bucket] === NEVER || best < this.#best[bucket]) this.#best[bucket] = best
    if (at < this.#due[bucket]) this.#due[bucket] = at
  }

  idle(shard: number, at: Instant): void {
    if (at < this.#idle[shard]) this.#idle[shard] = at
  }

  setAside(bucket: number, holder: WorkerId): void {
    this.#of(holder).aside.add(bucket)
  }

  /** What a check-out saw: nothing is to be had before `due`, and then nothing better than `best`. */
  asked(bucket: number, due: Instant, best = 0): void {
    this.#due[bucket] = due
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
    const buckets: number[] = []
    for (let bucket = 0; bucket < BUCKETS; bucket++)
      if (this.#due[bucket] <= now || aside?.has(bucket)) buckets.push(bucket)
    return buckets
  }

  hasAside(worker: WorkerId): boolean {
    return (this.#workers.get(worker)?.aside.size ?? 0) > 0
  }

  idleShards(now: Instant): number[] {
    const shards: number[] = []
    for (let shard = 0; shard < BUCKETS; shard++) if (this.#idle[shard] <= now) shards.push(shard)
    return shards
  }

  /** The first site of the bucket is of no better class. */
  bestOf(bucket: number): number {
    return this.#best[bucket]
  }

  /** When the next site is due, as far as is known. */
  get nextDue(): Instant {
    return Math.min(...this.#due)
  }

  /** A greater one was asked later. */
  lastAsked(bucket: number): number {
    return this.#asked[bucket]
  }

  /** Whether it is time to ask what others did; whoever gets a yes does so. */
  isOld(elapsed: Millis): boolean {
    if (elapsed - this.#at < FRESH_FOR) return false
    this.#at = elapsed
    return true
  }

  /** The same for what others set aside for a worker. */
  isAsideOld(worker: WorkerId, elapsed: Millis): boolean {
    const known = this.#of(worker)
    if (elapsed - known.at < FRESH_FOR) return false
    known.at = elapsed
    return true
  }

  /** The buckets as they lean to the worker. */
  orderOf(worker: WorkerId): Uint8Array {
    return this.#of(worker).order
  }

  #of(worker: WorkerId): OfWorker {
    const known = this.#workers.get(worker)
    if (known !== undefined) return known
    const fresh = { aside: new Set<number>(), at: -NEVER, order: bucketOrder(worker) }
    // Workers come and go; whoever is forgotten is asked about anew.
    if (this.#workers.size >= MOST_WORKERS) this.#workers.clear()
    this.#workers.set(worker, fresh)
    return fresh
  }
}

interface OfWorker {
  /** Buckets with sites that were set aside for it. */
  aside: Set<number>
  /** When others were asked what they set aside. */
  at: Millis
  order: Uint8Array
}

/** Sites that were lost come after all others, and large crowds after small ones (V9, V12): a smaller class goes first. */
export function classOf({ losses, crowd }: Pick<SiteRow, 'losses' | 'crowd'>): number {
  return losses * CROWDS + crowd
}

/** More than there are: a crowd doubles from one to the next. */
const CROWDS = 64
