/** The visits that a worker's threads hold, with their tickets. */
import type { Millis } from '../../base/clock.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'

export interface HeldVisit {
  thread: WorkerId
  ticket: string
  endsAt: Millis
}

export class HeldVisits {
  readonly #held = new Map<VisitId, HeldVisit>()
  /** Visits whose last part is being sent: a server may still count them as leased. */
  readonly #ending = new Map<VisitId, WorkerId>()

  get(visit: VisitId): HeldVisit | undefined {
    return this.#held.get(visit)
  }

  hold(visit: VisitId, held: HeldVisit): void {
    this.#held.set(visit, held)
  }

  /** The thread has ended them. */
  end(visits: readonly VisitId[]): void {
    for (const visit of visits) {
      const held = this.#held.get(visit)
      if (held === undefined) continue
      this.#held.delete(visit)
      this.#ending.set(visit, held.thread)
    }
  }

  /** A server has stored their last parts. */
  ended(visits: readonly VisitId[]): void {
    for (const visit of visits) this.#ending.delete(visit)
  }

  /** The thread has ended. */
  drop(thread: WorkerId): void {
    for (const [visit, held] of this.#held) if (held.thread === thread) this.#held.delete(visit)
    for (const [visit, of] of this.#ending) if (of === thread) this.#ending.delete(visit)
  }

  /** Every visit that a server may count as leased to the thread. */
  of(thread: WorkerId): VisitId[] {
    const held = [...this.#held].filter(([, held]) => held.thread === thread)
    const ending = [...this.#ending].filter(([, of]) => of === thread)
    return [...held, ...ending].map(([visit]) => visit)
  }
}
