/**
 * How long a worker's answers are waiting to be reported, by its own journal. On a machine with more processes than cores that
 * may be much longer than the second between two reports, and who dies meanwhile takes all of them with it.
 */
import type { Event } from '../../src/contracts/events.ts'

/** What is younger is taken for unreported anyway. */
const LATE_MS = 3000
/** A report that is to follow begins within a second of the last; later there was nothing left to report. */
const NEXT_REPORT_MS = 3000

export class Unreported {
  /** The oldest answer since the last report was made durable, and the oldest since the one before: that one may have come too late for it. */
  #newer: number | undefined
  #older: number | undefined
  #reportedAt = 0

  note(kind: Event['kind'], now: number): void {
    if (kind === 'answer') this.#newer ??= now
    if (kind === 'synced') this.#reportedAt = now
    if (kind !== 'checked-in') return
    this.#older = this.#newer
    this.#newer = undefined
    this.#reportedAt = now
  }

  /** How long the oldest unreported answer has waited, if that is too long; else 0. */
  lateBy(now: number): number {
    if (now - this.#reportedAt > NEXT_REPORT_MS) this.#older = undefined
    const oldest = this.#older ?? this.#newer
    return oldest !== undefined && now - oldest > LATE_MS ? now - oldest : 0
  }
}
