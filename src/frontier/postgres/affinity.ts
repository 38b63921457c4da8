/**
 * Which process a site waits for, and how long. A site that was visited before waits, once it is due, for the process that
 * its bucket leans to, of all processes or of the region that the site leans to. After the window any worker may have it. New
 * sites wait for no process.
 */
import type { Millis } from '../../base/clock.ts'
import { hash64 } from '../../base/digest.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import { BUCKETS } from '../../database/bucket.ts'
import type { KnownWorkers, Post } from '../contract.ts'
import type { SiteRow } from '../rules/site.ts'
import { type Nearness, regionFor } from './nearness.ts'

/** The region of sites that lean to no region. */
export const ANYWHERE = ''
/** Sites that were lost and deferred sites come after all others, whatever process they would lean to. */
const NOWHERE = '(nowhere)'
const MAX_WEIGHTS = 10_000

export class Affinity {
  readonly #workers: KnownWorkers
  readonly #window: Millis
  #present: readonly Post[] = []
  /** The regions of the processes at work, and by region the process that each bucket leans to. */
  #regions: readonly string[] = []
  readonly #owners = new Map<string, readonly string[]>()
  readonly #weights = new Map<string, BigUint64Array>()

  constructor(workers: KnownWorkers = NO_WORKERS, window: Millis = 0) {
    this.#workers = workers
    this.#window = window
  }

  /** Whether sites wait for a process at all. */
  get isOn(): boolean {
    return this.#window > 0
  }

  /** Undefined: it may have every site at once, and no site leans to it. */
  postOf(worker: WorkerId): Post | undefined {
    return this.isOn ? this.#workers.postOf(worker) : undefined
  }

  /** How long other workers wait before they take a site that leans elsewhere. */
  windowOf(post: Post | undefined): Millis {
    return post === undefined ? 0 : this.#window
  }

  /** The regions whose sites of this bucket lean to this process. */
  leaningTo(post: Post | undefined, bucket: number): string[] {
    if (post === undefined) return []
    return [ANYWHERE, post.region].filter((region) => this.#ownersIn(region)[bucket] === post.process)
  }

  /** The region that a site leans to when it begins to wait. */
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

const NO_WORKERS: KnownWorkers = { present: () => [], postOf: () => undefined }

/**
 * Rendezvous hashing (Y1): every process has a weight for every bucket, which depends only on the two names, and the heaviest
 * owns it. A worker meets the same sites again, with their names and connections at hand, and when a process comes or goes
 * only its own share moves.
 */

function weightsOf(name: string): BigUint64Array {
  return BigUint64Array.from({ length: BUCKETS }, (_, bucket) => hash64(`${bucket} ${name}`))
}

/** All buckets, those that lean to it most first. */
export function bucketOrder(name: string): Uint8Array {
  const weights = weightsOf(name)
  const order = Uint8Array.from(weights.keys())
  return order.sort((a, b) => (weights[a] > weights[b] ? -1 : weights[a] < weights[b] ? 1 : a - b))
}

/** By bucket, the process that it leans to. There is at least one name. */
function ownersOf(names: readonly string[], weights: (name: string) => BigUint64Array): string[] {
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
