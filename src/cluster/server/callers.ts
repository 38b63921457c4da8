/** Authenticates callers: id and secret against the stored hash, which is cached briefly. */
import { timingSafeEqual } from 'node:crypto'
import type { Clock, Millis } from '../../base/clock.ts'
import { ApiError } from '../wire/protocol.ts'
import { unauthorized } from './handlers.ts'
import { type Credentials, hashOf, type WorkerTable } from './worker-table.ts'

/** A barred worker is refused after this time at the latest. */
const REMEMBERED: Millis = 30_000
const MAX_REMEMBERED = 10_000

export class Callers {
  readonly #workerRows: Pick<WorkerTable, 'credentials'>
  readonly #clock: Clock
  readonly #known = new Map<string, { credentials: Credentials; until: Millis }>()

  constructor(workerRows: Pick<WorkerTable, 'credentials'>, clock: Clock) {
    this.#workerRows = workerRows
    this.#clock = clock
  }

  /** The worker's id; throws an ApiError for other callers. */
  async who(authorization: string | undefined): Promise<string> {
    const [, id, secret] = /^Bearer ([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/.exec(authorization ?? '') ?? []
    if (id === undefined)
      throw unauthorized('only workers may do that, and this request does not say which it comes from')
    const credentials = await this.#credentials(id)
    const shown = hashOf(Buffer.from(secret, 'base64url'))
    if (credentials === undefined || !timingSafeEqual(shown, credentials.secretHash))
      throw unauthorized(`no worker ${id} with that secret is known here`)
    if (credentials.state === 'barred')
      throw new ApiError('forbidden', `worker ${id} is barred`, 'the operator of the servers did that: ask there')
    return id
  }

  async #credentials(id: string): Promise<Credentials | undefined> {
    const now = this.#clock.elapsed()
    const known = this.#known.get(id)
    if (known !== undefined && known.until > now) return known.credentials
    this.#known.delete(id)
    const credentials = await this.#workerRows.credentials(id)
    if (credentials === undefined) return undefined
    if (this.#known.size >= MAX_REMEMBERED) this.#known.delete(this.#known.keys().next().value!)
    this.#known.set(id, { credentials, until: now + REMEMBERED })
    return credentials
  }
}

/** Per caller: calls per second, and a burst after a rest. */
export interface RateOptions {
  aSecond: number
  burst: number
}

/** Callers remembered; beyond that the least recent are forgotten, which only favours them. */
const MAX_NAMES = 50_000

export class Rates {
  readonly #clock: Clock
  readonly #options: RateOptions
  readonly #buckets = new Map<string, { left: number; at: Millis }>()

  constructor(clock: Clock, options: RateOptions) {
    this.#clock = clock
    this.#options = options
  }

  /** Undefined if allowed; otherwise how long to wait. */
  ask(name: string): Millis | undefined {
    const { aSecond, burst } = this.#options
    const now = this.#clock.elapsed()
    const bucket = this.#buckets.get(name) ?? { left: burst, at: now }
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) * aSecond) / 1000)
    bucket.at = now
    // Move to the end: the map is ordered by last call.
    this.#buckets.delete(name)
    this.#buckets.set(name, bucket)
    if (this.#buckets.size > MAX_NAMES) this.#buckets.delete(this.#buckets.keys().next().value!)
    if (bucket.left < 1) return ((1 - bucket.left) * 1000) / aSecond
    bucket.left -= 1
    return undefined
  }
}
