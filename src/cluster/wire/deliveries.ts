/**
 * Parts on their way to the servers. They are sent at once while servers answer; else they are written to the outbox, and
 * whoever brought them may go on: they are durable here. From then on all that comes goes behind them, so that the parts
 * of a visit arrive in their order.
 */

import type { Clock, Millis } from '../../base/clock.ts'
import { Wakeup } from '../../base/clock.ts'
import { isDiskFull, Problem } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { Refusal } from './judge-answer.ts'
import type { Outbox, Waiting } from './outbox.ts'
import { frameParts, pack, type TicketedPart } from './parts-frame.ts'
import { MAX_PART_BYTES, MAX_PARTS } from './protocol.ts'
import { type Servers, Unreachable } from './servers.ts'

export interface DeliveryTools {
  servers: Servers
  outbox: Outbox
  clock: Clock
  journal: Journal<Event>
  /** Before parts are sent: what they name is durable where it will be read. Throws when it cannot be made so now. */
  ready(): Promise<void>
}

/** Of one call: what a server can unpack and store while others wait. */
const BYTES_A_CALL = 4 * 2 ** 20
/** Part, ticket, envelope. */
const LARGEST_PART = MAX_PART_BYTES - 2 ** 20
const FULL_REST: Millis = 1000
const IDLE_REST: Millis = 60_000
const REFUSED_REST: Millis = 30_000
const UNREADY_REST: Millis = 1000
/** Statuses by which a server says that the parts themselves are at fault. */
const NEVER = new Set([400, 413, 415])

interface Brought {
  parts: readonly TicketedPart[]
  done(): void
  failed(error: unknown): void
}

export class Deliveries {
  readonly #tools: DeliveryTools
  /** Rung when something was put into the outbox, or taken out of it. */
  readonly #bell = new Wakeup()
  readonly #over = new AbortController()
  readonly #loop: Promise<void>
  #brought: Brought[] = []
  #isSending = false
  #saysFull = false
  #refusal: Refusal | undefined

  constructor(tools: DeliveryTools) {
    this.#tools = tools
    this.#loop = this.#empty()
  }

  /** What servers have against this worker, since they last took something from it. */
  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  /** Resolves when they are durable, there or here. What comes while others are on their way goes together with the next. */
  deliver(parts: readonly TicketedPart[]): Promise<void> {
    return new Promise((done, failed) => {
      this.#brought.push({ parts, done, failed })
      if (!this.#isSending) void this.#deliverAll()
    })
  }

  async #deliverAll(): Promise<void> {
    this.#isSending = true
    while (this.#brought.length > 0) {
      const together = this.#brought.splice(0)
      try {
        await this.#deliverParts(together.flatMap(({ parts }) => parts))
        for (const { done } of together) done()
      } catch (error) {
        for (const { failed } of together) failed(error)
      }
    }
    this.#isSending = false
  }

  async #deliverParts(parts: readonly TicketedPart[]): Promise<void> {
    for (const batch of batchesOf(parts, (part) => this.#tell(`a part of ${part.part.site} is too large to be sent`))) {
      await this.#deliverBatch(frameParts(batch), batch.length)
    }
  }

  async #deliverBatch(frame: Uint8Array, parts: number): Promise<void> {
    const { outbox, clock } = this.#tools
    for (;;) {
      const bell = this.#bell.signal()
      if (outbox.isEmpty && (await this.#sendAtOnce(frame))) return
      if (await this.#put(frame, parts)) return this.#bell.wake()
      if (!this.#saysFull) this.#tell('no server answers and there is no room for more reports: visits wait')
      this.#saysFull = true
      if (this.#over.signal.aborted)
        throw new Problem('disk-full', 'reports could not be delivered, and there was no room to keep them')
      await clock.sleep(FULL_REST, bell)
    }
  }

  async #put(frame: Uint8Array, parts: number): Promise<boolean> {
    try {
      return await this.#tools.outbox.put(frame, parts)
    } catch (error) {
      if (isDiskFull(error)) return false
      throw error
    }
  }

  /** What is refused is kept as well: the outbox knows what to do with it. */
  async #sendAtOnce(frame: Uint8Array): Promise<boolean> {
    try {
      return await this.#send(frame, 0)
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }

  /** False when no server took them now. */
  async #send(frame: Uint8Array, patience: Millis): Promise<boolean> {
    if (!(await this.#isReady())) return false
    const { bytes: body, packing } = await pack(frame)
    try {
      const { signal } = this.#over
      const { answer } = await this.#tools.servers.ask('checkIn', undefined, {
        patience,
        signal,
        bytes: { body, packing },
      })
      const refused = answer.answers.filter((word) => word !== 'stored')
      if (refused.length > 0) this.#tell(`${refused.length} parts were refused: ${[...new Set(refused)].join(', ')}`)
      this.#saysFull = false
      this.#refusal = undefined
      return true
    } catch (error) {
      if (error instanceof Unreachable) return false
      throw error
    }
  }

  async #isReady(): Promise<boolean> {
    try {
      await this.#tools.ready()
      return true
    } catch (error) {
      if (!(error instanceof Unreachable)) this.#tell(`reports wait: ${error instanceof Error ? error.message : error}`)
      return false
    }
  }

  /** The outbox, one batch after the other, for as long as there is any. */
  async #empty(): Promise<void> {
    const { outbox, clock } = this.#tools
    while (!this.#over.signal.aborted) {
      const bell = this.#bell.signal()
      const { first } = outbox
      if (first === undefined) await clock.sleep(IDLE_REST, bell)
      else await this.#sendFirst(first)
    }
  }

  async #sendFirst(first: Waiting): Promise<void> {
    const { outbox, clock } = this.#tools
    const { signal } = this.#over
    try {
      if (await this.#send(outbox.read(first), Number.POSITIVE_INFINITY)) outbox.remove(first)
      else await clock.sleep(UNREADY_REST, signal)
    } catch (error) {
      this.#tell(
        `${first.parts} parts in the outbox are not delivered: ${error instanceof Error ? error.message : error}`,
      )
      // What the server has against the worker, or the disk against us, may be put right; what is wrong with parts is not.
      if (error instanceof Refusal && error.isOurs && NEVER.has(error.status)) outbox.setAside(first)
      else {
        if (error instanceof Refusal) this.#refusal = error
        await clock.sleep(REFUSED_REST, signal)
      }
    }
    this.#bell.wake()
  }

  /** Waits until the outbox is empty, at most so long; says how many parts are left in it. */
  async drain(withinMs: Millis, signal?: AbortSignal): Promise<number> {
    const { outbox, clock } = this.#tools
    const until = clock.elapsed() + withinMs
    for (;;) {
      const bell = this.#bell.signal()
      const left = until - clock.elapsed()
      if (outbox.isEmpty || left <= 0 || signal?.aborted) return outbox.parts
      await clock.sleep(left, signal === undefined ? bell : AbortSignal.any([bell, signal]))
    }
  }

  /** What is in the outbox stays there for the next time. */
  async close(): Promise<void> {
    this.#over.abort()
    this.#bell.wake()
    await this.#loop
  }

  #tell(what: string): void {
    this.#tools.journal.record({ kind: 'trouble', what })
  }
}

/** In their order; `tooLarge` hears of parts that no server would take. */
function* batchesOf(
  parts: readonly TicketedPart[],
  tooLarge: (part: TicketedPart) => void,
): Generator<TicketedPart[], void, undefined> {
  let batch: TicketedPart[] = []
  let bytes = 0
  for (const one of parts) {
    const { length } = one.part.body
    if (length > LARGEST_PART) {
      tooLarge(one)
      continue
    }
    if (batch.length === MAX_PARTS || (batch.length > 0 && bytes + length > BYTES_A_CALL)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(one)
    bytes += length
  }
  if (batch.length > 0) yield batch
}
