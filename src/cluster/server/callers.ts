/** Who is calling: id and secret against the hash in the table, which is remembered for a little while. */
import { timingSafeEqual } from 'node:crypto'
import type { Clock, Millis } from '../../base/clock.ts'
import { ApiError } from '../wire/api-error.ts'
import { nobody } from './errors.ts'
import { type Credentials, hashOf, type WorkerBook } from './worker-table.ts'

/** A worker that was barred is turned away after this at the latest. */
const REMEMBERED: Millis = 30_000
const MAX_REMEMBERED = 10_000

export class Callers {
  readonly #book: Pick<WorkerBook, 'credentials'>
  readonly #clock: Clock
  readonly #known = new Map<string, { credentials: Credentials; until: Millis }>()

  constructor(book: Pick<WorkerBook, 'credentials'>, clock: Clock) {
    this.#book = book
    this.#clock = clock
  }

  /** The id of the worker; throws an ApiError for everybody else. */
  async who(authorization: string | undefined): Promise<string> {
    const [, id, secret] = /^Bearer ([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/.exec(authorization ?? '') ?? []
    if (id === undefined) throw nobody('only workers may do that, and this request does not say which it comes from')
    const credentials = await this.#credentials(id)
    const shown = hashOf(Buffer.from(secret, 'base64url'))
    if (credentials === undefined || !timingSafeEqual(shown, credentials.secretHash))
      throw nobody(`no worker ${id} with that secret is known here`)
    if (credentials.state === 'barred')
      throw new ApiError('forbidden', `worker ${id} is barred`, 'the operator of the servers did that: ask there')
    return id
  }

  async #credentials(id: string): Promise<Credentials | undefined> {
    const now = this.#clock.elapsed()
    const known = this.#known.get(id)
    if (known !== undefined && known.until > now) return known.credentials
    this.#known.delete(id)
    const credentials = await this.#book.credentials(id)
    if (credentials === undefined) return undefined
    if (this.#known.size >= MAX_REMEMBERED) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(id, { credentials, until: now + REMEMBERED })
    return credentials
  }
}

/** How often somebody may ask: so many a second, and so many more at once after a rest. */

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
