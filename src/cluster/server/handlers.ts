/** What answers a call: a function from what was asked to the answer that the call's definition promises. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Millis } from '../../base/clock.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { ApiError } from '../wire/api-error.ts'
import type { AnswerOf, CallName, RequestOf } from '../wire/calls.ts'
import { hashOf } from './worker-table.ts'

/** One request, after all that is common to calls has been checked. */
export interface Asked {
  /** The worker that asks; '' where anyone may. */
  worker: string
  /** Where it comes from, as far as the socket knows. */
  address: string
  /** A proxy stands between. */
  forwarded: boolean
  /** Of the path: the name of a volume. */
  name: string
  offset: number
  /** Of what an operator reads. */
  length?: number
  /** The join secret, as an operator shows it. */
  join?: string
  /** The body, where that is no JSON, and how it is packed. */
  bytes: Uint8Array
  packing: string
  /** The caller has hung up: nobody will read the answer. */
  gone(): boolean
  /** For the record of calls. */
  note: { visit?: string; items: number; result: string }
}

export type Handlers = {
  [Name in CallName]: (asked: Asked, body: RequestOf<Name>) => Promise<AnswerOf<Name>>
}

/**
 * A ticket shows that a visit was given to this worker: a keyed hash of both. Any server that knows the key can check it,
 * however old the visit is, without asking a table.
 */

/** 128 bits cannot be guessed, and a visit has hundreds of parts that carry them. */
const BYTES = 16

export interface Tickets {
  of(worker: string, visit: VisitId): string
  isFor(ticket: string, worker: string, visit: VisitId): boolean
}

export function ticketsBy(key: Uint8Array): Tickets {
  const hashOf = (worker: string, visit: VisitId) =>
    createHmac('sha256', key).update(`${worker}\n${visit}`).digest().subarray(0, BYTES)
  return {
    of: (worker, visit) => hashOf(worker, visit).toString('base64url'),
    isFor(ticket, worker, visit) {
      const shown = Buffer.from(ticket, 'base64url')
      return shown.length === BYTES && timingSafeEqual(shown, hashOf(worker, visit))
    },
  }
}

/**
 * How many leases a worker has out, as far as this server knows: those that it handed out or renewed, until their last
 * part came or their time was over. A bound for workers that take without end, not the truth: that is the frontier's.
 */

export class Holdings {
  readonly #clock: Clock
  readonly #ofWorker = new Map<string, Map<VisitId, Millis>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  hold(worker: string, visits: readonly VisitId[], lease: Millis): void {
    const held = this.#ofWorker.get(worker) ?? new Map<VisitId, Millis>()
    const until = this.#clock.elapsed() + lease
    for (const visit of visits) held.set(visit, until)
    if (held.size > 0) this.#ofWorker.set(worker, held)
  }

  release(worker: string, visits: readonly VisitId[]): void {
    const held = this.#ofWorker.get(worker)
    for (const visit of visits) held?.delete(visit)
    if (held?.size === 0) this.#ofWorker.delete(worker)
  }

  /** Counts anew only when the bound is reached. */
  isFull(worker: string, max: number): boolean {
    const held = this.#ofWorker.get(worker)
    if (held === undefined || held.size < max) return false
    const now = this.#clock.elapsed()
    for (const [visit, until] of held) if (until < now) held.delete(visit)
    return held.size >= max
  }
}

/** Each thread has leases and addresses of its own, and nobody can name a thread of another worker. */
export const threadOf = (worker: string, thread: string): WorkerId => `${worker}.${thread}`

/** The worker that a thread is of. Ids of workers have no dot. */
export const workerOf = (thread: WorkerId): string => thread.split('.', 1)[0]

/** Who may become a worker, and read volumes. */

/** Compared as hashes: neither the time nor a length tells anything of the secret. */
export function checkJoin(
  secret: string | undefined,
  shown: string | undefined,
  { address, forwarded }: Pick<Asked, 'address' | 'forwarded'>,
): void {
  const hash = (text: string) => hashOf(new TextEncoder().encode(text))
  if (secret !== undefined) {
    if (timingSafeEqual(hash(secret), hash(shown ?? ''))) return
    throw new ApiError('forbidden', 'the join secret is missing or another', 'give --join-secret as the server has it')
  }
  if (!forwarded && /^(127\.|::1$|::ffff:127\.)/.test(address)) return
  throw new ApiError(
    'forbidden',
    'only those on the machine of the server may do that',
    'start the server with --join-secret, and the worker or the command with the same',
  )
}
