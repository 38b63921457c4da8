/**
 * How many leases a worker has out, as far as this server knows: those that it handed out or renewed, until their last
 * part came or their time was over. A bound for workers that take without end, not the truth: that is the frontier's.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import type { VisitId } from '../../contracts/visit.ts'

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
