/**
 * Whom a site waits for, and how long. A site that was visited before waits, when its time has come, for the process that its
 * bucket leans to: of all that are there, or of the region that it leans to. When that has not asked within the window,
 * anybody has it. Sites that are new wait for nobody.
 */
import type { Millis } from '../base/clock.ts'
import type { WorkerId } from '../contracts/visit.ts'
import { type KnownWorkers, NO_WORKERS, type Post } from './known-workers.ts'
import { type Nearness, regionFor } from './nearness.ts'
import { ownersOf, weightsOf } from './rendezvous.ts'
import type { SiteRow } from './site-row.ts'

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
