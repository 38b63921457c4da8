/** A handler: a function from a call's input to the output that its definition promises. */

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock, Millis, Wakeup } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { isDiskFull, Problem, reasonOf } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import type { ServerCalls } from '../../contracts/calls.ts'
import type { Control } from '../../contracts/control.ts'
import type { Event } from '../../contracts/events.ts'
import type { VisitId } from '../../contracts/visit.ts'
import type { Database } from '../../database/database.ts'
import type { Totals } from '../../frontier/contract.ts'
import type { Decisions } from '../../frontier/decisions.ts'
import type { Freshness } from '../maintenance/measure-freshness.ts'
import type { AnswerOf, CallName, RequestOf, WorkerNews } from '../wire/calls.ts'
import { ApiError } from '../wire/protocol.ts'
import { hashOf, type WorkerTable } from './worker-table.ts'

/** One request, after the common checks. */
export interface Asked {
  /** The calling worker; '' where anyone may call. */
  worker: string
  /** The peer's address. */
  address: string
  /** From this machine, by its own name and through no proxy. */
  isLocal: boolean
  /** The volume name in the path. */
  name: string
  /** Which part of a volume or a list. */
  query: Partial<Record<'offset' | 'length' | 'since' | 'after' | 'before', string>>
  /** The join secret sent by an operator. */
  join?: string
  /** A body that is not JSON, and its encoding. */
  bytes: Uint8Array
  packing: string
  /** True once the caller has hung up. */
  gone(): boolean
  /** For the call log. */
  note: { visit?: string; items: number; result: string }
}

export function anonymousRequest(): Asked {
  return {
    worker: '',
    address: '',
    isLocal: false,
    name: '',
    query: {},
    bytes: new Uint8Array(0),
    packing: '',
    gone: () => false,
    note: { items: 0, result: 'ok' },
  }
}

export type Handlers = {
  [Name in CallName]: (asked: Asked, body: RequestOf<Name>) => Promise<AnswerOf<Name>>
}

/** The coordinator's own figures. */
export interface CoordinatorFigures {
  totals: Totals
  /** Sums of the visits' counters (`collection/counters`). */
  counters: ReadonlyMap<string, number>
  /** Durable parts not applied yet. */
  inbox: number
  /** Of a collection that is refreshed. */
  freshness?: Freshness
}

export interface HandlerParts {
  /** Stable across restarts: it identifies volumes sent here. */
  id: string
  calls: ServerCalls
  database: Database
  disk: Disk
  /** Where workers' volumes are stored. */
  archiveFolder: string
  clock: Clock
  journal: Journal<Event>
  figures(): Promise<CoordinatorFigures>
  /** Rung when a site may have become free (parts applied, sites seeded, another server's notice). */
  nudge: Wakeup
  /** What operators do, and what they decided. */
  control: Control
  decisions: Decisions
  program: string
  /** Secret for new workers; undefined: only workers on the same machine may join. */
  joinSecret: string | undefined
}

/** What handlers are made of. */
export interface CallTools extends HandlerParts {
  workerRows: WorkerTable
  isEnding(): boolean
  /** Maximum leases per worker. */
  maxLeases: number
  /** A worker reported its state. */
  onNews(worker: string, news: WorkerNews): void
  tickets: ReturnType<typeof ticketsBy>
  holdings: Holdings
}

/**
 * A ticket proves that a visit was granted to this worker: a keyed hash of both. Any server that has the key can check
 * it without a table, however old the visit is.
 */
/** 128 bits can't be guessed; a visit sends its ticket with hundreds of parts. */
const BYTES = 16

export function ticketsBy(key: Uint8Array) {
  const hashOf = (worker: string, visit: VisitId) =>
    createHmac('sha256', key).update(`${worker}\n${visit}`).digest().subarray(0, BYTES)
  return {
    of: (worker: string, visit: VisitId) => hashOf(worker, visit).toString('base64url'),
    isFor(ticket: string, worker: string, visit: VisitId) {
      const shown = Buffer.from(ticket, 'base64url')
      return shown.length === BYTES && timingSafeEqual(shown, hashOf(worker, visit))
    },
  }
}

/**
 * Leases per worker, as far as this server knows: granted or renewed here, until their last part came or they expired.
 * A bound for greedy workers; the frontier has the truth.
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

  /** Recounts only when the bound is reached. */
  isFull(worker: string, max: number): boolean {
    const held = this.#ofWorker.get(worker)
    if (held === undefined || held.size < max) return false
    const now = this.#clock.elapsed()
    for (const [visit, until] of held) if (until < now) held.delete(visit)
    return held.size >= max
  }
}

/** For new workers, and for reading volumes. Compared as hashes, so that neither time nor length reveals the secret. */
export function checkJoin(
  secret: string | undefined,
  shown: string | undefined,
  { isLocal }: Pick<Asked, 'isLocal'>,
): void {
  const hash = (text: string) => hashOf(new TextEncoder().encode(text))
  if (secret !== undefined) {
    if (timingSafeEqual(hash(secret), hash(shown ?? ''))) return
    throw new ApiError('forbidden', 'the join secret is missing or another', 'give --join-secret as the server has it')
  }
  if (isLocal) return
  throw new ApiError(
    'forbidden',
    'only those on the machine of the server may do that',
    'start the server with --join-secret, and the worker or the command with the same',
  )
}

const SECONDS_FOR_DATABASE = 2
const SECONDS_FOR_DISK = 30

export const unauthorized = (message: string) =>
  new ApiError(
    'unauthorized',
    message,
    'send `Authorization: Bearer ID.SECRET` as registration gave them; a worker that lost them registers anew',
  )

export const noDisk = (message: string) =>
  new ApiError('disk-full', message, 'the operator of the server must make room; send it again later', SECONDS_FOR_DISK)

export const noDatabase = (message: string) =>
  new ApiError(
    'database-unreachable',
    message,
    'keep what you have and send it again; another server may answer',
    SECONDS_FOR_DATABASE,
  )

/** Errors of HTTP itself: too long, not JSON, another media type, no such path. */
const OF_HTTP: Record<number, [code: 'not-found' | 'too-big' | 'other-type', hint: string]> = {
  404: ['not-found', 'the calls are listed in /api/openapi.json'],
  405: ['not-found', 'the calls are listed in /api/openapi.json'],
  413: ['too-big', 'send less at once'],
  414: ['too-big', 'send less at once'],
  415: ['other-type', 'the media types are listed in /api/openapi.json'],
}

/** `bug` for unexpected errors. */
export function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const message = reasonOf(error)
  if (isDiskFull(error) || (error instanceof Problem && error.code === 'disk-full')) return noDisk(message)
  if (error instanceof Problem && error.code === 'database-unreachable') return noDatabase(message)
  const status = (error as { statusCode?: unknown } | null)?.statusCode
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const [code, hint] = OF_HTTP[status] ?? ['bad-request', 'the calls are listed in /api/openapi.json']
    return new ApiError(code, message, hint)
  }
  return new ApiError('bug', 'unexpected error in the server', "see the server's log")
}
