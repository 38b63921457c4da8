/** The leases of a worker, on its own monotonic clock. A lease counts from before the check-out was asked for. */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { VisitId } from '../../contracts/visit.ts'
import type { Lease } from '../tools.ts'

interface Held {
  endsAt: Millis
  end: AbortController
}

export class Leases {
  readonly #held = new Map<VisitId, Held>()
  readonly #clock: Clock
  readonly #frontier: Frontier
  readonly #worker: string
  #over = false

  constructor(worker: string, frontier: Frontier, clock: Clock) {
    this.#worker = worker
    this.#frontier = frontier
    this.#clock = clock
  }

  /** `end` aborts when the lease is lost or all visits are told to end. */
  hold(visit: VisitId, from: Millis, lease: Millis): { lease: Lease; end: AbortSignal } {
    const held: Held = { endsAt: from + lease, end: new AbortController() }
    this.#held.set(visit, held)
    // It was checked out while the worker was told to end: it is given back unused.
    if (this.#over) held.end.abort()
    return { lease: { left: () => held.endsAt - this.#clock.elapsed() }, end: held.end.signal }
  }

  endAll(): void {
    this.#over = true
    for (const held of this.#held.values()) held.end.abort()
  }

  release(visit: VisitId): void {
    this.#held.delete(visit)
  }

  /** It is to end, and keeps its lease until it does. */
  tell(visit: VisitId): void {
    this.#held.get(visit)?.end.abort()
  }

  /** It is renewed no more, and whoever still has it asks nothing. */
  giveUp(visit: VisitId): void {
    const held = this.#held.get(visit)
    if (held === undefined) return
    held.endsAt = Number.NEGATIVE_INFINITY
    held.end.abort()
    this.#held.delete(visit)
  }

  get visits(): VisitId[] {
    return [...this.#held.keys()]
  }

  /** One call for all. Returns the visits whose lease is lost: they end without another request. */
  async renew(): Promise<VisitId[]> {
    const visits = this.visits
    if (visits.length === 0) return []
    const before = this.#clock.elapsed()
    const { lease, lost } = await this.#frontier.renew(this.#worker, visits)
    const gone = new Set(lost)
    for (const id of visits) {
      const held = this.#held.get(id)
      if (held === undefined) continue
      if (gone.has(id)) {
        held.endsAt = Number.NEGATIVE_INFINITY
        held.end.abort()
      } else held.endsAt = before + lease
    }
    return lost
  }
}
