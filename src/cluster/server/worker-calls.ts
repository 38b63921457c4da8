/** Workers' calls about visits, passed to the coordinator in the name of one of the worker's threads. */

import { createHash } from 'node:crypto'
import { type Millis, turn } from '../../base/clock.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import type { PlanForWorkers, ServerCalls } from '../../contracts/calls.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import type { Visit, VisitId, WorkerId } from '../../contracts/visit.ts'
import type { PartAnswer } from '../wire/calls.ts'
import { type Packing, readFrame, type TicketedPart, unpack } from '../wire/parts-frame.ts'
import { ApiError } from '../wire/protocol.ts'
import { visitToWire } from '../wire/visit-json.ts'
import { type Asked, apiErrorOf, type CallTools, type Handlers, noDatabase } from './handlers.ts'
import { isSound } from './validate-report.ts'
import { threadOf } from './worker-table.ts'

/** Minimum and maximum pause between attempts to find a site for a waiting call. */
const SHORTEST_REST: Millis = 50
const LONGEST_REST: Millis = 1000
/** Lookups of stored copies that run at once. */
const COPIES_AT_ONCE = 16

type Names = 'checkOut' | 'checkIn' | 'enter' | 'renew' | 'unreadable' | 'leave' | 'findCopies' | 'plan'

export function workerHandlers(tools: CallTools): Pick<Handlers, Names> {
  const { calls, tickets, holdings, clock, journal } = tools
  /** The latest question of each thread: one that asks again no longer waits for the earlier answer. */
  const latest = new Map<WorkerId, symbol>()
  return {
    async checkOut(asked, { thread, atMost, waitMs, has }) {
      const { worker, note } = asked
      const name = threadOf(worker, thread)
      const question = Symbol(name)
      latest.set(name, question)
      const isLast = () => latest.get(name) === question
      const gone = () => asked.gone() || !isLast()
      try {
        if (has !== undefined) {
          // A hang-up is noticed after the question. The thread has asked again since and may hold visits that it doesn't
          // name here, which must not go to another worker.
          await clock.sleep(SHORTEST_REST)
          if (!gone()) await takeBack(worker, name, has)
        }
        const { visits, next, heldMs } = await waitForVisits(tools, { ...asked, gone }, name, atMost, waitMs)
        note.items = visits.length
        if (visits.length === 0) note.result = 'nothing'
        return { visits: visits.map((visit) => ticketed(visit, worker)), next, heldMs }
      } finally {
        if (isLast()) latest.delete(name)
      }
    },
    async enter({ worker, note }, { thread, visit, address }) {
      const answer = await calls.enter(threadOf(worker, thread), visit, address)
      note.visit = visit
      note.result = answer
      return { answer }
    },
    async renew({ worker, note }, { thread, visits }) {
      const { lease, lost } = await calls.renew(threadOf(worker, thread), visits)
      const gone = new Set(lost)
      const kept = visits.filter((visit) => !gone.has(visit))
      holdings.release(worker, lost)
      holdings.hold(worker, kept, lease)
      note.items = kept.length
      return { lease, lost }
    },
    async unreadable({ worker, note }, { thread, ticket, reading }) {
      note.visit = reading.visit
      if (!tickets.isFor(ticket, worker, reading.visit))
        throw new ApiError('forbidden', `visit ${reading.visit} is not yours`, 'show the ticket that came with it')
      await calls.unreadable(threadOf(worker, thread), reading)
      return {}
    },
    async leave({ worker, note }, { thread }) {
      const lost = await calls.leave(threadOf(worker, thread))
      holdings.release(worker, lost)
      note.items = lost.length
      return {}
    },
    async findCopies({ note }, { digests }) {
      const copies = []
      for (let at = 0; at < digests.length; at += COPIES_AT_ONCE) {
        const some = digests.slice(at, at + COPIES_AT_ONCE)
        copies.push(...(await Promise.all(some.map((digest) => calls.findCopy(digest)))))
      }
      note.items = digests.length
      return { copies: copies.map((copy) => (copy === undefined ? null : { url: copy.url, at: copy.at })) }
    },
    plan: planHandler(calls),
    checkIn: acceptParts(tools),
  }

  async function takeBack(worker: string, thread: WorkerId, has: readonly VisitId[]): Promise<void> {
    const taken = await calls.takeBack(thread, has)
    if (taken.length === 0) return
    holdings.release(worker, taken)
    const what = `an answer to worker ${worker} got lost: ${taken.length} sites that it was to have are taken back`
    journal.record({ kind: 'trouble', what })
  }

  function ticketed(visit: Visit, worker: string) {
    return { visit: visitToWire(visit), ticket: tickets.of(worker, visit.id) }
  }
}

/** Answers when a visit is available or the time is over. `heldMs`: how long the leases have run. */
async function waitForVisits(
  { calls, holdings, clock, journal, nudge, isEnding, maxLeases }: CallTools,
  { worker, gone }: Asked,
  thread: WorkerId,
  atMost: number,
  waitMs: Millis,
): Promise<{ visits: Visit[]; next: Millis | 'over'; heldMs: Millis }> {
  const began = clock.elapsed()
  const full = () => holdings.isFull(worker, maxLeases)
  for (;;) {
    const bell = nudge.signal()
    const heldMs = clock.elapsed() - began
    if (isEnding() || gone()) return { visits: [], next: LONGEST_REST, heldMs }
    const { visits, next } = full() ? NOTHING : await calls.checkOut(thread, atMost)
    if (visits.length > 0 && gone()) {
      const ids = visits.map(({ id }) => id)
      journal.record({ kind: 'trouble', what: `worker ${worker} hung up: ${ids.length} sites are taken back` })
      await calls.giveBack(ids)
      return { visits: [], next: LONGEST_REST, heldMs }
    }
    for (const visit of visits) holdings.hold(worker, [visit.id], visit.lease)
    const left = waitMs - (clock.elapsed() - began)
    if (visits.length > 0 || next === 'over' || left <= 0) return { visits, next, heldMs }
    const rest = Math.max(SHORTEST_REST, Math.min(next, LONGEST_REST))
    await clock.sleep(Math.min(SHORTEST_REST, left))
    await clock.sleep(Math.min(rest, left) - SHORTEST_REST, bell)
  }
}

const NOTHING: { visits: Visit[]; next: Millis | 'over' } = { visits: [], next: LONGEST_REST }

/**
 * Sends the plan only if the worker has none or another one: it may have millions of seeds, and workers ask every
 * minute.
 */
function planHandler(calls: Pick<ServerCalls, 'plan'>): Handlers['plan'] {
  const digests = new WeakMap<PlanForWorkers, string>()
  const digestOf = (plan: PlanForWorkers): string => {
    const known = digests.get(plan)
    if (known !== undefined) return known
    const digest = createHash('sha256').update(JSON.stringify(plan)).digest('base64url')
    digests.set(plan, digest)
    return digest
  }
  return async ({ note }, { have }) => {
    const plan = await calls.plan().catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== 'bad-config') throw error
      throw new ApiError('too-big', error.message, 'the operator of the servers must change that')
    })
    const digest = digestOf(plan)
    if (digest === have) {
      note.result = 'same'
      return { digest }
    }
    const { version, settings, seeds, alternates, files } = plan
    return { digest, plan: { version, settings, seeds: [...seeds], alternates: [...alternates], files: { ...files } } }
  }
}

/** Accepts report parts: unpacks them, checks tickets and contents, makes them durable, and only then acknowledges them. */

/** Bytes of check-ins in memory at once; further ones must retry later. */
const MAX_IN_FLIGHT = 128 * 2 ** 20
/** Reports are read in pieces (about 5 ms each), yielding to the event loop in between. */
const BYTES_A_TURN = 512 * 1024
const BUSY_SECONDS = 1

function acceptParts({ calls, tickets, holdings, journal }: CallTools): Handlers['checkIn'] {
  let inFlight = 0

  const check = async (worker: string, parts: readonly TicketedPart[]): Promise<PartAnswer[]> => {
    const answers: PartAnswer[] = []
    let read = 0
    for (const { ticket, part } of parts) {
      if (read > BYTES_A_TURN) {
        read = 0
        await turn()
      }
      read += part.body.length
      answers.push(!tickets.isFor(ticket, worker, part.visit) ? 'not-yours' : isSound(part) ? 'stored' : 'unreadable')
    }
    return answers
  }
  const accept = async (worker: string, parts: SealedPart[]): Promise<void> => {
    try {
      if (parts.length > 0) await calls.accept(worker, parts)
    } catch (error) {
      // On any error they are not durable: the worker keeps them and needs to know when to retry.
      const known = apiErrorOf(error)
      const what = `parts of worker ${worker} could not be stored: ${reasonOf(error)}`
      journal.record({ kind: 'trouble', what })
      throw known.retryAfterSeconds === undefined ? noDatabase('the parts could not be made durable') : known
    }
  }

  return async ({ worker, bytes, packing, note }) => {
    if (inFlight + bytes.length > MAX_IN_FLIGHT)
      throw new ApiError('too-many', 'too many reports at once', 'send them again', BUSY_SECONDS)
    inFlight += bytes.length
    try {
      const parts = await readParts(bytes, packing)
      const answers = await check(worker, parts)
      const stored = parts.filter((_, at) => answers[at] === 'stored').map(({ part }) => part)
      await accept(worker, stored)
      holdings.release(
        worker,
        stored.filter(({ last }) => last).map(({ visit }) => visit),
      )
      note.items = stored.length
      if (parts.length === 1) note.visit = parts[0].part.visit
      note.result = answers.find((answer) => answer !== 'stored') ?? 'ok'
      return { answers }
    } finally {
      inFlight -= bytes.length
    }
  }
}

async function readParts(bytes: Uint8Array, packing: string): Promise<TicketedPart[]> {
  try {
    return readFrame(await unpack(bytes, packingOf(packing)))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ApiError('bad-request', `the parts cannot be read: ${error.message}`, 'nothing of them was stored')
  }
}

function packingOf(text: string): Packing {
  if (text === '' || text === 'identity') return 'identity'
  if (text === 'zstd' || text === 'gzip') return text
  throw new ApiError('other-type', `parts packed by ${text.slice(0, 40)}`, 'send them as zstd, gzip or as they are')
}
