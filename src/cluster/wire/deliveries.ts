/**
 * Delivers parts to the servers. While servers answer, parts are sent at once; otherwise they are written to the
 * outbox, where they are durable, and the visit goes on. From then on new parts queue behind them, so that the parts of
 * a visit arrive in order.
 */

import { type Clock, type Millis, Wakeup } from '../../base/clock.ts'
import { isDiskFull, Problem, reasonOf } from '../../base/errors.ts'
import { grouped } from '../../base/grouped.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { Refusal } from './classify-answer.ts'
import type { Outbox, Waiting } from './outbox.ts'
import { frameParts, pack, type TicketedPart } from './parts-frame.ts'
import { MAX_PART_BYTES, MAX_PARTS } from './protocol.ts'
import { type Servers, Unreachable } from './servers.ts'

export interface DeliveryTools {
  servers: Servers
  outbox: Outbox
  clock: Clock
  journal: Journal<Event>
  /** Called before parts are sent: makes the payloads they reference durable. Throws if that fails now. */
  ready(): Promise<void>
}

/** Bytes per call: what a server can unpack and store while others wait. */
const BYTES_A_CALL = 4 * 2 ** 20
/** Part, ticket, envelope. */
const LARGEST_PART = MAX_PART_BYTES - 2 ** 20
const FULL_REST: Millis = 1000
const IDLE_REST: Millis = 60_000
const REFUSED_REST: Millis = 30_000
const UNREADY_REST: Millis = 1000
/** Statuses that say the parts themselves are at fault. */
const NEVER = new Set([400, 413, 415])

export class Deliveries {
  readonly #tools: DeliveryTools
  /** Rung when the outbox changes. */
  readonly #bell = new Wakeup()
  readonly #over = new AbortController()
  readonly #loop: Promise<void>
  /** Resolves when they are durable, there or here. Parts that come meanwhile are sent together next. */
  readonly send = grouped(async (take: () => readonly (readonly TicketedPart[])[]) => {
    const together = take()
    await this.#sendParts(together.flat())
    return together.map(() => undefined)
  })
  #saysFull = false
  #refusal: Refusal | undefined

  constructor(tools: DeliveryTools) {
    this.#tools = tools
    this.#loop = this.#empty()
  }

  /** Why servers refuse this worker, since one last accepted something. */
  get refusal(): Refusal | undefined {
    return this.#refusal
  }

  async #sendParts(parts: readonly TicketedPart[]): Promise<void> {
    for (const batch of batchesOf(parts, (part) => this.#tell(`a part of ${part.part.site} is too large to be sent`))) {
      await this.#sendBatch(frameParts(batch), batch.length)
    }
  }

  async #sendBatch(frame: Uint8Array, parts: number): Promise<void> {
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

  /** Refused parts are kept as well, in the outbox. */
  async #sendAtOnce(frame: Uint8Array): Promise<boolean> {
    try {
      return await this.#send(frame, 0)
    } catch (error) {
      if (error instanceof Refusal) return false
      throw error
    }
  }

  /** False when no server accepts them now. */
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
      if (!(error instanceof Unreachable)) this.#tell(`reports wait: ${reasonOf(error)}`)
      return false
    }
  }

  /** Sends the outbox batch by batch until it is empty. */
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
      this.#tell(`${first.parts} parts in the outbox are not delivered: ${reasonOf(error)}`)
      // A refused worker or a full disk may be put right; faulty parts can't.
      if (error instanceof Refusal && error.isOurs && NEVER.has(error.status)) outbox.setAside(first)
      else {
        if (error instanceof Refusal) this.#refusal = error
        await clock.sleep(REFUSED_REST, signal)
      }
    }
    this.#bell.wake()
  }

  /** Waits until the outbox is empty, up to a limit; returns how many parts are left. */
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

  /** The outbox stays for the next process. */
  async close(): Promise<void> {
    this.#over.abort()
    this.#bell.wake()
    await this.#loop
  }

  #tell(what: string): void {
    this.#tools.journal.record({ kind: 'trouble', what })
  }
}

/** Groups parts in order; `tooLarge` receives parts that no server would accept. */
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
