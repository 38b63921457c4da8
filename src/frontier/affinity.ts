/**
 * Whom a site waits for, and how long. A site that was visited before waits, when its time has come, for the process that its
 * bucket leans to: of all that are there, or of the region that it leans to. When that has not asked within the window,
 * anybody has it. Sites that are new wait for nobody.
 */
import type { Millis } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import type { WorkerId } from '../contracts/visit.ts'
import { BUCKETS } from '../database/bucket.ts'
import { type Nearness, regionFor } from './nearness.ts'
import type { SiteRow } from './rules/site.ts'

/** What sites lean to that lean to no region. */
export const ANYWHERE = ''
/** Sites that were lost, and those of crowds, come after all others, also of those to whom they would lean. */
const NOWHERE = '(nowhere)'
const MAX_WEIGHTS = 10_000

export class Affinity {
  readonly #workers: KnownWorkers
  readonly #window: Millis
  #present: readonly Post[] = []
  /** Of those at work: where they are, and by region the processes that its buckets lean to. */
  #regions: readonly string[] = []
  readonly #owners = new Map<string, readonly string[]>()
  readonly #weights = new Map<string, BigUint64Array>()

  constructor(workers: KnownWorkers = NO_WORKERS, window: Millis = 0) {
    this.#workers = workers
    this.#window = window
  }

  /** Whether sites wait for anybody at all. */
  get isOn(): boolean {
    return this.#window > 0
  }

  /** Undefined: it may have every site at once, and none leans to it. */
  postOf(worker: WorkerId): Post | undefined {
    return this.isOn ? this.#workers.postOf(worker) : undefined
  }

  /** How long the others let those before that a site leans to. */
  windowOf(post: Post | undefined): Millis {
    return post === undefined ? 0 : this.#window
  }

  /** What sites of the bucket lean to that lean to this post. */
  leaningTo(post: Post | undefined, bucket: number): string[] {
    if (post === undefined) return []
    return [ANYWHERE, post.region].filter((region) => this.#ownersIn(region)[bucket] === post.process)
  }

  /** What a site leans to that begins to wait. */
  regionFor(site: Nearness & Pick<SiteRow, 'key' | 'fence' | 'losses' | 'deferral'>): string {
    if (site.losses > 0 || site.deferral > 0) return NOWHERE
    this.#view()
    return regionFor(site, site.key, site.fence, this.#regions)
  }

  #ownersIn(region: string): readonly string[] {
    this.#view()
    const known = this.#owners.get(region)
    if (known !== undefined) return known
    const posts = region === ANYWHERE ? this.#present : this.#present.filter((post) => post.region === region)
    const owners =
      posts.length === 0
        ? []
        : ownersOf([...new Set(posts.map(({ process }) => process))], (name) => this.#weightsOf(name))
    this.#owners.set(region, owners)
    return owners
  }

  #weightsOf(process: string): BigUint64Array {
    let weights = this.#weights.get(process)
    if (weights !== undefined) return weights
    if (this.#weights.size >= MAX_WEIGHTS) this.#weights.clear()
    weights = weightsOf(process)
    this.#weights.set(process, weights)
    return weights
  }

  #view(): void {
    const present = this.#workers.present()
    if (present === this.#present) return
    this.#present = present
    this.#regions = [...new Set(present.map(({ region }) => region))].sort()
    this.#owners.clear()
  }
}

/**
 * Who is at work, and where: what check-out must know to send a site to whoever had it before (Y1), or is near it (C13).
 * A worker of the frontier is a thread; those of one process stand at one post.
 */

export interface Post {
  process: string
  /** Of one region: near the same sites. A process that was given none is a region of its own. */
  region: string
}

export interface KnownWorkers {
  /** All that are at work now, whichever server they ask; another array when that has changed. */
  present(): readonly Post[]
  /** Undefined: nothing is known of it (yet), and it waits for nobody. */
  postOf(worker: WorkerId): Post | undefined
}

export const NO_WORKERS: KnownWorkers = { present: () => [], postOf: () => undefined }

/**
 * Which buckets lean to whom (Y1): everybody has a weight for every bucket, which depends on nothing but the two names, and the
 * heaviest has it. So a worker meets the same sites again and has their names and connections at hand, and when one comes or
 * goes only its own share moves.
 */

export function weightsOf(name: string): BigUint64Array {
  return BigUint64Array.from({ length: BUCKETS }, (_, bucket) => hash64(`${bucket} ${name}`))
}

/** All buckets, the ones that lean to it most first. */
export function bucketOrder(name: string): Uint8Array {
  const weights = weightsOf(name)
  const order = Uint8Array.from(weights.keys())
  return order.sort((a, b) => (weights[a] > weights[b] ? -1 : weights[a] < weights[b] ? 1 : a - b))
}

/** By bucket, to whom it leans. `weights`: of each of the names, of which there is at least one. */
export function ownersOf(names: readonly string[], weights: (name: string) => BigUint64Array): string[] {
  const [first, ...others] = names
  const owners = Array<string>(BUCKETS).fill(first)
  const max = weights(first).slice()
  for (const name of others)
    for (const [bucket, weight] of weights(name).entries())
      if (weight > max[bucket]) {
        max[bucket] = weight
        owners[bucket] = name
      }
  return owners
}
