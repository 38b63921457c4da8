/** Authenticates callers: id and secret against the stored hash, which is cached briefly. */
import { timingSafeEqual } from 'node:crypto'
import type { Clock, Millis } from '../../base/clock.ts'
import { ApiError } from '../wire/protocol.ts'
import { unauthorized } from './handlers.ts'
import { type Credentials, hashOf, type WorkerTable } from './worker-table.ts'

/** A barred worker is refused after this time at the latest. */
const REMEMBERED: Millis = 30_000
const MAX_REMEMBERED = 10_000

/** The worker's id; throws an ApiError for other callers. */
export type Callers = ReturnType<typeof knownCallers>

export function knownCallers(workerRows: Pick<WorkerTable, 'credentials'>, clock: Clock) {
  const known = new Map<string, { credentials: Credentials; until: Millis }>()
  const credentialsOf = async (id: string): Promise<Credentials | undefined> => {
    const now = clock.elapsed()
    const remembered = known.get(id)
    if (remembered !== undefined && remembered.until > now) return remembered.credentials
    known.delete(id)
    const credentials = await workerRows.credentials(id)
    if (credentials === undefined) return undefined
    if (known.size >= MAX_REMEMBERED) known.delete(known.keys().next().value!)
    known.set(id, { credentials, until: now + REMEMBERED })
    return credentials
  }
  return async (authorization: string | undefined): Promise<string> => {
    const [, id, secret] = /^Bearer ([0-9a-f]{16})\.([A-Za-z0-9_-]{43})$/.exec(authorization ?? '') ?? []
    if (id === undefined)
      throw unauthorized('only workers may do that, and this request does not say which it comes from')
    const credentials = await credentialsOf(id)
    const shown = hashOf(Buffer.from(secret, 'base64url'))
    if (credentials === undefined || !timingSafeEqual(shown, credentials.secretHash))
      throw unauthorized(`no worker ${id} with that secret is known here`)
    if (credentials.state === 'barred')
      throw new ApiError('forbidden', `worker ${id} is barred`, 'the operator of the servers did that: ask there')
    return id
  }
}

/** Callers remembered; beyond that the least recent are forgotten, which only favours them. */
const MAX_NAMES = 50_000

/** Undefined if this caller may go on; otherwise how long to wait. */
export type Rates = (name: string) => Millis | undefined

/** Per caller: calls per second, and a burst after a rest. */
export function ratesBy(clock: Clock, { aSecond, burst }: { aSecond: number; burst: number }): Rates {
  const buckets = new Map<string, { left: number; at: Millis }>()
  return (name) => {
    const now = clock.elapsed()
    const bucket = buckets.get(name) ?? { left: burst, at: now }
    bucket.left = Math.min(burst, bucket.left + ((now - bucket.at) * aSecond) / 1000)
    bucket.at = now
    // Move to the end: the map is ordered by last call.
    buckets.delete(name)
    buckets.set(name, bucket)
    if (buckets.size > MAX_NAMES) buckets.delete(buckets.keys().next().value!)
    if (bucket.left < 1) return ((1 - bucket.left) * 1000) / aSecond
    bucket.left -= 1
    return undefined
  }
}
