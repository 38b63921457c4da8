/**
 * Sends small parts often: once a second one sync of the volume and one check-in for all visits that have news; at once
 * when a visit needs it (`durable`). Order of durability: parts are cut first, then the bytes they name are synced,
 * then they are sent, so no part ever names bytes that a power failure could take.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import { oneForAll } from '../../base/in-order.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import type { Archive, ReportSink } from '../../contracts/ports.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { Reporter } from '../reporter.ts'

export const PART_EVERY: Millis = 1000
/** Thousands of visits have news in the same second: timers and answers have a turn in between. */
const PARTS_PER_TURN = 128

export interface ReportSenderTools {
  worker: string
  clock: Clock
  archive: Archive
  sink: ReportSink
  journal: Journal<Event>
}

export class ReportSender {
  readonly #tools: ReportSenderTools
  readonly #reporters = new Set<Reporter>()
  #timer: (() => void) | undefined
  #failure: unknown
  /** Resolves when everything reported so far is durable. Calls made while a delivery runs share the next one. */
  readonly send = oneForAll(() => this.#carry())
  /** Called once when a delivery fails: the worker can only stop. */
  onFailure: (error: unknown) => void = () => {}

  constructor(tools: ReportSenderTools) {
    this.#tools = tools
  }

  add(reporter: Reporter): void {
    this.#reporters.add(reporter)
    this.#timer ??= this.#tools.clock.after(PART_EVERY, () => this.#tick())
  }

  /** The visit never ends; what it has reported so far is still sent. */
  forget(reporter: Reporter): void {
    if (!this.#reporters.has(reporter)) return
    const forget = () => this.#reporters.delete(reporter)
    this.send().then(forget, forget)
  }

  #tick(): void {
    this.#timer = undefined
    this.send().catch(() => {})
    if (this.#reporters.size > 0) this.#timer = this.#tools.clock.after(PART_EVERY, () => this.#tick())
  }

  async #carry(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    const parts: VisitReport[] = []
    for (const reporter of this.#reporters) {
      const part = reporter.take()
      if (part === undefined) continue
      parts.push(part)
      if (part.ended !== undefined) this.#reporters.delete(reporter)
      if (parts.length % PARTS_PER_TURN === 0) await this.#tools.clock.sleep(0)
    }
    if (parts.length === 0) return
    const { archive, sink, journal, worker } = this.#tools
    try {
      await archive.synced()
      journal.record({ kind: 'synced', worker })
      await sink.send(worker, parts)
      const sum = (of: (part: VisitReport) => number) => parts.reduce((total, part) => total + of(part), 0)
      const pages = sum((part) => part.pages.length)
      const bytes = sum((part) => part.counts.get('bytes') ?? 0)
      journal.record({ kind: 'checked-in', worker, parts: parts.length, pages, bytes })
    } catch (error) {
      this.#failure = error
      this.onFailure(error)
      throw error
    }
  }

  close(): void {
    this.#timer?.()
    this.#timer = undefined
  }
}
