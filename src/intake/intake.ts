/**
 * The door at which reports come in. They are acknowledged when they are durable and applied afterwards, a few
 * milliseconds at a time, so that the thread stays free for those who ask.
 */
import { turn } from '../base/clock.ts'
import type { ReportSink } from '../visit/ports.ts'
import type { VisitReport } from '../visit/report.ts'
import { type SealedPart, seal } from '../visit/sealed-part.ts'
import type { WorkerId } from '../visit/visit.ts'
import { type ApplyTools, applyParts } from './apply.ts'
import { Inbox, partsWaiting } from './inbox.ts'
import { Pace } from './pace.ts'

/** Transactions between two syncs of the log: until then the database holds the log's last lines as well. */
const APPLIES_PER_SYNC = 100

export class Intake implements ReportSink {
  readonly #tools: ApplyTools
  readonly #inbox: Inbox
  readonly #pace = new Pace()
  #pending: number
  /** Something has come that no pass has looked at yet. */
  #news = false
  /** Parts that wait for an earlier one, and the last part that this pass has looked at. */
  #early = 0
  #cursor = 0
  #applies = 0
  #running: Promise<void> | undefined
  /** What is being stored: it has come, and will be applied. */
  readonly #storing = new Set<Promise<number>>()
  #failure: { error: unknown } | undefined

  private constructor(tools: ApplyTools, pending: number) {
    this.#tools = tools
    this.#inbox = new Inbox(tools.database, tools.ledger, tools.journal)
    this.#pending = pending
  }

  /** Applies nothing yet: `drain` does, once the house is ready for it. */
  static async open(tools: ApplyTools): Promise<Intake> {
    return new Intake(tools, await tools.database.read(partsWaiting))
  }

  async checkIn(_worker: WorkerId, parts: VisitReport[]): Promise<void> {
    await this.store(parts.map(seal))
  }

  /** The same for parts that come as bytes, from another thread or machine. Resolves when they are durable. */
  async store(parts: readonly SealedPart[]): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error
    if (parts.length === 0) return
    const storing = this.#inbox.store(parts)
    this.#storing.add(storing)
    try {
      const stored = await storing
      this.#pending += stored
      if (stored > 0) this.#wake()
    } finally {
      this.#storing.delete(storing)
    }
  }

  /**
   * Parts that are durable and can be applied: workers should wait when they are many. Without the early ones, whose
   * earlier parts may never come: who waits for an empty inbox before he ends a lease would wait for ever.
   */
  pending(): number {
    return Math.max(0, this.#pending - this.#early)
  }

  /** Resolves when all that has come and could be applied is; rejects when applying failed. */
  async idle(): Promise<void> {
    while (this.#running !== undefined || this.#storing.size > 0) {
      // Whoever brought what cannot be stored hears of it; here it only has to be over.
      await Promise.allSettled(this.#storing)
      await this.#running
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** At the start, for what an earlier process left, and at the end. */
  async drain(): Promise<void> {
    this.#wake()
    await this.idle()
    await this.#tools.log.sync()
  }

  #wake(): void {
    this.#news = true
    this.#running ??= this.#applyAll()
  }

  async #applyAll(): Promise<void> {
    try {
      while (this.#news) {
        this.#news = false
        const applied = await this.#applyPass()
        // What was applied may be what an early part waited for.
        if (applied > 0 && this.#early > 0) this.#news = true
      }
    } catch (error) {
      // A full disk, a lost database: what is in the inbox is safe there. Nothing more is taken in.
      this.#failure = { error }
    } finally {
      this.#running = undefined
    }
  }

  /** From the oldest part to the newest; the early ones once more, for they may be ripe now. */
  async #applyPass(): Promise<number> {
    if (this.#early > 0) this.#cursor = 0
    this.#early = 0
    let sum = 0
    for (let parts = await this.#applySome(); parts !== undefined; parts = await this.#applySome()) {
      sum += parts
      if (++this.#applies % APPLIES_PER_SYNC === 0) await this.#tools.log.sync()
      await turn()
    }
    return sum
  }

  /** The parts that were taken out of the inbox; undefined when there was nothing more to look at. */
  async #applySome(): Promise<number | undefined> {
    const applied = await applyParts(this.#tools, this.#cursor, this.#pace.bytes)
    if (applied.lastId === undefined) return undefined
    this.#pace.learn(applied.bytes, applied.workMs)
    this.#cursor = applied.lastId
    this.#early += applied.early
    this.#pending -= applied.parts + applied.spoilt
    return applied.parts
  }
}
