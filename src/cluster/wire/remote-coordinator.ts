/**
 * The coordinator as a worker on another machine sees it (Y2): the same interface over HTTP, through any server that
 * answers. When none does, the worker goes on with what it has: no new visits, leases as they were, reports on its own
 * disk.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import { grouped } from '../../base/grouped.ts'
import type { Journal } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import type { CoordinatorCalls, NowReading, PlanForWorkers } from '../../contracts/calls.ts'
import type { Orders } from '../../contracts/control.ts'
import type { Event } from '../../contracts/events.ts'
import type { FindCopy, StoredCopy } from '../../contracts/ports.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { Visit, VisitId, WorkerId } from '../../contracts/visit.ts'
import type { RequestOf, WorkerNews } from './calls.ts'
import { Deliveries } from './deliveries.ts'
import type { HttpClient } from './http-client.ts'
import { type Outbox, openOutbox } from './outbox.ts'
import { MAX_DIGESTS, MAX_RENEWED, MAX_VISITS } from './protocol.ts'
import { type Identity, type ServerClock, Servers, serverClock, Unreachable } from './servers.ts'
import { visitFromWire } from './visit-json.ts'

export interface ReachOptions {
  servers: readonly string[]
  identity: Identity
  /** Unique per process: threads of two runs of a worker must not be confused. */
  life: string
  clock: Clock
  random: Random
  journal: Journal<Event>
  disk: Disk
  outboxFolder: string
  outboxBytes: number
  /** Called before parts are sent: makes the payloads they reference durable. Throws if that fails now. */
  ready?: () => Promise<void>
  /** How long a check-out waits at the server for a free site. */
  pollMs: Millis
  /** A finished crawl may get more work, so threads do not learn that it is over. */
  outlivesCrawl?: boolean
  /** Owned from then on, and closed with it. */
  client: HttpClient
}

/** Patience for essential calls and for optional ones. */
const PATIENCE: Millis = 60_000
const SHORT_PATIENCE: Millis = 10_000
const REST: Millis = 1000

/** Registers with those servers; keep the result. */
export async function joinServers(
  servers: readonly string[],
  who: RequestOf<'register'>,
  { clock, random, client }: Pick<ReachOptions, 'clock' | 'random' | 'client'>,
): Promise<Identity> {
  const all = new Servers(servers, client, serverClock(clock), random)
  return orProblem(all.ask('register', who, { patience: PATIENCE }))
}

export class RemoteServers implements CoordinatorCalls {
  /** The servers' time. */
  readonly clock: ServerClock
  readonly findCopy: FindCopy
  readonly volumes: VolumeCalls
  /** Awaited before visits are handed to a thread. */
  onVisits: (visits: readonly Visit[]) => Promise<void> = async () => {}
  readonly #options: ReachOptions
  readonly #servers: Servers
  readonly #outbox: Outbox
  readonly #deliveries: Deliveries
  readonly #asking = new AbortController()
  readonly #held = new Map<VisitId, HeldVisit>()
  /** Ended visits whose last parts are durable, at a server or in the outbox. */
  readonly #reported: VisitId[] = []
  readonly #unanswered = new Map<WorkerId, Unanswered>()
  #plan: { digest: string; plan: PlanForWorkers } | undefined

  constructor(options: ReachOptions) {
    const { client, random, disk, journal, ready = async () => {} } = options
    this.#options = options
    this.clock = serverClock(options.clock)
    this.#servers = new Servers(options.servers, client, this.clock, random)
    this.#servers.callAs(options.identity)
    this.#outbox = openOutbox(disk, options.outboxFolder, options.outboxBytes)
    const { clock } = this
    this.#deliveries = new Deliveries({ servers: this.#servers, outbox: this.#outbox, clock, journal, ready })
    this.findCopy = copyFinder(this.#servers)
    this.volumes = volumeCalls(this.#servers)
  }

  /** Parts waiting here for a server. */
  get undelivered(): number {
    return this.#outbox.parts
  }

  /** How long no server has answered; undefined if the last call was answered. */
  get lostMs(): Millis | undefined {
    return this.#servers.lostMs
  }

  /** The servers' name for this process's thread. */
  nameOf(worker: WorkerId): string {
    return `${this.#options.life}-${worker}`
  }

  async checkOut(worker: WorkerId, atMost: number): ReturnType<CoordinatorCalls['checkOut']> {
    const { pollMs } = this.#options
    const { signal } = this.#asking
    if (signal.aborted) return { visits: [], next: REST }
    const calledAt = this.clock.elapsed()
    // Reports go first: others may be given the same sites, and a server that can't store needs no more work.
    if ((await this.#deliveries.drain(pollMs, signal)) > 0) {
      if (this.#deliveries.refusal !== undefined) throw this.#deliveries.refusal
      return { visits: [], next: REST }
    }
    if (this.#outbox.isEmpty) for (const visit of this.#reported.splice(0)) this.#held.delete(visit)
    const lost = this.#unanswered.get(worker) ?? new Unanswered()
    this.#unanswered.set(worker, lost)
    const question = () => {
      const plain = { thread: this.nameOf(worker), atMost: Math.min(atMost, MAX_VISITS), waitMs: pollMs }
      if (!lost.sending(this.clock.elapsed(), pollMs)) return plain
      const has = this.#heldBy(worker)
      return has.length > MAX_RENEWED ? plain : { ...plain, has }
    }
    const options = { patience: 0, extraMs: pollMs, signal }
    const asked = await this.#servers.ask('checkOut', question, options).catch(ifUnreachable)
    if (asked instanceof Unreachable) return { visits: [], next: Math.max(REST, asked.retryMs) }
    const { answer, sentAt, answeredAt } = asked
    lost.answered(sentAt)
    // Leases began no earlier than when the request was sent, plus its wait there.
    const from = sentAt + Math.max(0, Math.min(answer.heldMs, answeredAt - sentAt))
    const visits = answer.visits.map(({ visit, ticket }) => {
      this.#held.set(visit.id, { thread: worker, ticket, endsAt: from + visit.lease })
      return { ...visitFromWire(visit), lease: visit.lease + from - calledAt }
    })
    await this.onVisits(visits)
    const goesOn = answer.next === 'over' && this.#options.outlivesCrawl === true
    return { visits, next: goesOn ? REST : answer.next, heldMs: from - calledAt }
  }

  async enter(worker: WorkerId, visit: VisitId, address: string): ReturnType<CoordinatorCalls['enter']> {
    const left = (this.#active(visit)?.endsAt ?? 0) - this.clock.elapsed()
    const body = { thread: this.nameOf(worker), visit, address }
    const options = { patience: Math.max(0, left), signal: this.#asking.signal }
    const asked = await this.#servers.ask('enter', body, options).catch(ifUnreachable)
    // Without permission nothing is fetched: the visit ends unused, as if another worker held the address.
    return asked instanceof Unreachable ? 'elsewhere' : asked.answer.answer
  }

  /** When no server answers, the leases stay as they are; returns the shortest. */
  async renew(worker: WorkerId, visits: VisitId[]): ReturnType<CoordinatorCalls['renew']> {
    const calledAt = this.clock.elapsed()
    const body = { thread: this.nameOf(worker), visits }
    const asked = await this.#servers.ask('renew', body, { patience: SHORT_PATIENCE }).catch(ifUnreachable)
    if (asked instanceof Unreachable) {
      const ends = visits.map((visit) => this.#active(visit)?.endsAt ?? 0).filter((end) => end > this.clock.elapsed())
      return { lease: ends.length === 0 ? 0 : Math.min(...ends) - calledAt, lost: [] }
    }
    const { answer, sentAt } = asked
    const gone = new Set(answer.lost)
    for (const visit of visits) {
      const known = this.#active(visit)
      if (known !== undefined && !gone.has(visit)) known.endsAt = sentAt + answer.lease
    }
    return { lease: answer.lease + sentAt - calledAt, lost: answer.lost }
  }

  async accept(_worker: WorkerId, parts: SealedPart[]): Promise<void> {
    const ticketed = parts.flatMap((part) => {
      const known = this.#active(part.visit)
      if (known !== undefined) return [{ ticket: known.ticket, part }]
      this.#warn(`a part of ${part.site} belongs to no visit of this worker`)
      return []
    })
    const ended = parts.filter(({ last }) => last).map(({ visit }) => visit)
    for (const visit of ended) {
      const held = this.#held.get(visit)
      if (held !== undefined) held.isEnding = true
    }
    await this.#deliveries.send(ticketed)
    this.#reported.push(...ended)
  }

  /** The thread that read this page has been ended: the page is recorded as one that cannot be read. */
  async unreadable(worker: WorkerId, reading: NowReading): Promise<void> {
    const ticket = this.#active(reading.visit)?.ticket
    if (ticket === undefined) return
    const { via, ...item } = reading.item
    const plain = { ...reading, item: via === undefined ? item : { ...item, via } }
    await this.#whenDelivered('unreadable', { thread: this.nameOf(worker), ticket, reading: plain })
  }

  /** The thread has ended: its leases are released now instead of expiring. */
  async leave(worker: WorkerId): Promise<void> {
    for (const visit of this.#heldBy(worker)) this.#held.delete(visit)
    this.#unanswered.delete(worker)
    await this.#whenDelivered('leave', { thread: this.nameOf(worker) })
  }

  /**
   * Releases threads of earlier processes of this worker, after delivering their reports. False when no server could be
   * reached: their leases then expire.
   */
  async leaveEarlier(threads: readonly string[]): Promise<boolean> {
    for (const thread of threads) if (!(await this.#whenDelivered('leave', { thread }))) return false
    return true
  }

  /** The same object while the plan is unchanged; it is sent only when it changes. */
  async plan(): Promise<PlanForWorkers> {
    const have = this.#plan === undefined ? {} : { have: this.#plan.digest }
    const asked = this.#servers.ask('plan', have, { patience: PATIENCE, signal: this.#asking.signal })
    const { digest, plan } = await orProblem(asked)
    if (plan !== undefined) this.#plan = { digest, plan }
    if (this.#plan?.digest !== digest) throw new Problem('server-refused', 'the server did not send its plan')
    return this.#plan.plan
  }

  /** What operators decided after `since`; waits up to `waitMs` for it. Undefined: no server answers. */
  async orders(since: number, waitMs: Millis): Promise<Orders | undefined> {
    const options = { patience: 0, extraMs: waitMs, signal: this.#asking.signal }
    const asked = await this.#servers.ask('orders', { since, waitMs }, options).catch(ifUnreachable)
    return asked instanceof Unreachable ? undefined : asked.answer
  }

  /** Call about every ten seconds; learns which servers there are. */
  async alive(news: WorkerNews): Promise<void> {
    const asked = await this.#servers.ask('alive', news, { patience: 0 }).catch(ifUnreachable)
    if (!(asked instanceof Unreachable)) this.#servers.learn(asked.answer.servers)
  }

  /** No more visits: waiting check-outs return at once. */
  stopAsking(): void {
    this.#asking.abort()
  }

  /** Tries to deliver the rest, up to a time limit; returns how many parts stay on disk. */
  async close(withinMs: Millis): Promise<number> {
    this.#asking.abort()
    const left = await this.#deliveries.drain(withinMs)
    await this.#deliveries.close()
    this.#options.client.close()
    return left
  }

  /**
   * Calls after the thread's reports are delivered; otherwise its last parts would come too late. False when no server
   * could be reached: the leases then expire.
   */
  async #whenDelivered<Name extends 'unreadable' | 'leave'>(name: Name, body: RequestOf<Name>): Promise<boolean> {
    if ((await this.#deliveries.drain(SHORT_PATIENCE)) > 0) {
      this.#warn(`call '${name}' was left out: reports still wait to be delivered`)
      return false
    }
    const asked = await this.#servers.ask(name, body, { patience: SHORT_PATIENCE }).catch(ifUnreachable)
    if (asked instanceof Unreachable) this.#warn(`call '${name}' failed: ${asked.message}`)
    return !(asked instanceof Unreachable)
  }

  /** Also undefined for a visit that is ending. */
  #active(visit: VisitId): HeldVisit | undefined {
    const held = this.#held.get(visit)
    return held?.isEnding ? undefined : held
  }

  /** Every visit that a server may count as leased to the thread. */
  #heldBy(thread: WorkerId): VisitId[] {
    return [...this.#held].filter(([, held]) => held.thread === thread).map(([visit]) => visit)
  }

  #warn(what: string): void {
    this.#options.journal.record({ kind: 'trouble', what })
  }
}

function ifUnreachable(error: unknown): Unreachable {
  if (error instanceof Unreachable) return error
  throw error
}

export type VolumeCalls = ReturnType<typeof volumeCalls>

/** For volumes that are sent to a server. All throw when no server answers now. */
function volumeCalls(servers: Servers) {
  return {
    async append(name: string, offset: number, bytes: Uint8Array): Promise<number> {
      const sent = { body: bytes, packing: 'identity' }
      return (await servers.ask('upload', undefined, { patience: 0, name, offset, bytes: sent })).answer.bytes
    },
    async seal(name: string, size: number): Promise<void> {
      await servers.ask('seal', { bytes: size }, { patience: 0, name })
    },
    /** It is elsewhere: `dir:/PATH` or `s3://BUCKET/PREFIX`. */
    async located(name: string, location: string, bytes: number, sealed: boolean): Promise<void> {
      await servers.ask('located', { location, bytes, sealed }, { patience: 0, name })
    },
  }
}

async function orProblem<T>(got: Promise<{ answer: T }>): Promise<T> {
  try {
    return (await got).answer
  } catch (error) {
    throw error instanceof Unreachable ? new Problem('server-unreachable', error.message, { cause: error }) : error
  }
}

/**
 * Check-outs whose answers were lost: no thread has the visits that a server granted with them, or may still grant.
 * Until that is over, each further check-out names the visits held, and the server takes back the rest.
 */
/** Time a server has to grant after its longest wait: a transaction, retried while the database was away. */
const GRANTED_WITHIN: Millis = 60_000

class Unanswered {
  /** Until when the running check-out may be granted. */
  #pending: Millis | undefined
  /** The same for earlier unanswered ones. */
  #lost: Millis | undefined

  /** Call before each check-out: whether visits may have been granted that never arrived. */
  sending(now: Millis, waitMs: Millis): boolean {
    if (this.#pending !== undefined) this.#lost = Math.max(this.#lost ?? 0, this.#pending)
    this.#pending = now + waitMs + GRANTED_WITHIN
    return this.#lost !== undefined
  }

  /** The last check-out was answered. */
  answered(sentAt: Millis): void {
    this.#pending = undefined
    if (this.#lost !== undefined && this.#lost < sentAt) this.#lost = undefined
  }
}

/** No server answers: the payload is stored twice, which only costs bytes. */
function copyFinder(servers: Servers): FindCopy {
  return grouped(
    async (take: () => readonly string[]): Promise<(StoredCopy | undefined)[]> => {
      const digests = [...take()]
      try {
        const { answer } = await servers.ask('findCopies', { digests }, { patience: 0 })
        return answer.copies.map((copy) => copy ?? undefined)
      } catch {
        return []
      }
    },
    { max: MAX_DIGESTS },
  )
}

/** A visit that a thread of this worker holds. */
interface HeldVisit {
  thread: WorkerId
  ticket: string
  endsAt: Millis
  /** Its last part is being sent: a server may still count it as leased. */
  isEnding?: true
}
