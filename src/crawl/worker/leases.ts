/** The leases of a worker's visits, on its monotonic clock. A lease counts from before its check-out was requested. */
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
  #stopped = false

  constructor(worker: string, frontier: Frontier, clock: Clock) {
    this.#worker = worker
    this.#frontier = frontier
    this.#clock = clock
  }

  /** `end` aborts when the lease is lost or the visit must stop. */
  hold(visit: VisitId, from: Millis, lease: Millis): { lease: Lease; end: AbortSignal } {
    const held: Held = { endsAt: from + lease, end: new AbortController() }
    this.#held.set(visit, held)
    // Checked out while the worker was stopping: the visit is given back unused.
    if (this.#stopped) held.end.abort()
    return { lease: { left: () => held.endsAt - this.#clock.elapsed() }, end: held.end.signal }
  }

  stopAll(): void {
    this.#stopped = true
    for (const held of this.#held.values()) held.end.abort()
  }

  release(visit: VisitId): void {
    this.#held.delete(visit)
  }

  /** The visit must end, and keeps its lease until it does. */
  stop(visit: VisitId): void {
    this.#held.get(visit)?.end.abort()
  }

  /** The lease is not renewed, and the visit may make no more requests. */
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

/**
 * Visits that do not end. A visit checks its slice's time before each page, so it may exceed that by one page: some
 * waits, some requests, each with its own deadline. One that takes much longer hangs on something that never answers.
 * It is told to stop; if it does not, it is given up: its slot is free again, its lease is not renewed, and the
 * coordinator gives the site to another worker when the lease has run out. Should it wake up, it makes no request, for
 * it has no lease.
 */

/** More than any page takes: an exchange is shorter than a lease, and a page has few of them. */
const MIN_GRACE: Millis = 600_000
const LEASES_OF_GRACE = 3
/** Pauses within one page: for robots.txt, redirects, a second try. */
const PAUSES_PER_PAGE = 6

export interface Timed {
  startedAt: Millis
  /** Before its first request. */
  wait: Millis
  /** Of its slice. */
  time: Millis
  lease: Millis
  /** As it is now. */
  pause(): Millis
}

interface Watched extends Timed {
  /** When it was told to stop. */
  stopAt: Millis | undefined
}

export class Overdue {
  readonly #visits = new Map<VisitId, Watched>()

  begin(id: VisitId, visit: Timed): void {
    this.#visits.set(id, { ...visit, stopAt: undefined })
  }

  ended(id: VisitId): void {
    this.#visits.delete(id)
  }

  stopAllRequested(now: Millis): void {
    for (const visit of this.#visits.values()) visit.stopAt ??= now
  }

  stopRequested(id: VisitId, now: Millis): void {
    const visit = this.#visits.get(id)
    if (visit !== undefined) visit.stopAt ??= now
  }

  /** Visits that must stop, and visits to be given up. */
  check(now: Millis): { stop: VisitId[]; giveUp: VisitId[] } {
    const stop: VisitId[] = []
    const giveUp: VisitId[] = []
    for (const [id, visit] of this.#visits) {
      const grace = Math.max(MIN_GRACE, LEASES_OF_GRACE * visit.lease) + PAUSES_PER_PAGE * visit.pause()
      if (visit.stopAt !== undefined) {
        if (now - visit.stopAt > grace) giveUp.push(id)
      } else if (now - visit.startedAt > visit.wait + visit.time + grace) stop.push(id)
    }
    return { stop, giveUp }
  }
}
