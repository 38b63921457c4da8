/** How often somebody may ask: so many a second, and so many more at once after a rest. */
import type { Clock, Millis } from '../../base/clock.ts'

export interface RateOptions {
  aSecond: number
  /** That may come at once. */
  burst: number
}

interface Bucket {
  left: number
  at: Millis
}

/** Names that are remembered; of more, those that were not heard of for longest are forgotten, which only favours them. */
const MAX_NAMES = 50_000

export class Rates {
  readonly #clock: Clock
  readonly #options: RateOptions
  readonly #buckets = new Map<string, Bucket>()

  constructor(clock: Clock, options: RateOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** Undefined: it may. Else how long it should wait. */
  ask(name: string): Millis | undefined {
    const { aSecond, burst } = this.#options
    const now = this.#clock.elapsed()
    const bucket = this.#buckets.get(name) ?? { left: burst, at: now }
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) * aSecond) / 1000)
    bucket.at = now
    // Moved to the end: the first of the map is the one that was heard of longest ago.
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    if (this.#buckets.size > MAX_NAMES) this.#buckets.delete(this.#buckets.keys().next().value!)
    if (bucket.left < 1) return ((1 - bucket.left) * 1000) / aSecond
    bucket.left -= 1
    return undefined
  }
}
