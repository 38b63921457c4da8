/** The visits of a worker's threads as this end of the wire knows them, with the tickets that were given out with them. */
import type { Millis } from '../../base/clock.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'

export interface HeldVisit {
  thread: WorkerId
  ticket: string
  endsAt: Millis
}

export class HeldVisits {
  readonly #held = new Map<VisitId, HeldVisit>()
  /** Their last part is on its way: a server has them still, for all that is known. */
  readonly #ending = new Map<VisitId, WorkerId>()

  get(visit: VisitId): HeldVisit | undefined {
    return this.#held.get(visit)
  }

  hold(visit: VisitId, held: HeldVisit): void {
    this.#held.set(visit, held)
  }

  /** The thread is done with them, and has told so. */
  end(visits: readonly VisitId[]): void {
    for (const visit of visits) {
      const held = this.#held.get(visit)
      if (held === undefined) continue
      this.#held.delete(visit)
      this.#ending.set(visit, held.thread)
    }
  }

  /** A server has their last parts. */
  ended(visits: readonly VisitId[]): void {
    for (const visit of visits) this.#ending.delete(visit)
  }

  /** The thread is no more. */
  drop(thread: WorkerId): void {
    for (const [visit, held] of this.#held) if (held.thread === thread) this.#held.delete(visit)
    for (const [visit, of] of this.#ending) if (of === thread) this.#ending.delete(visit)
  }

  /** Every visit of the thread of which a server may say that it is out. */
  of(thread: WorkerId): VisitId[] {
    const held = [...this.#held].filter(([, held]) => held.thread === thread)
    const ending = [...this.#ending].filter(([, of]) => of === thread)
    return [...held, ...ending].map(([visit]) => visit)
  }
}
