/**
 * The leases of a worker's visits, on its monotonic clock. A lease counts from before its check-out was requested.
 *
 * Some visits do not end. A visit checks its slice's time before each page, so it may exceed that by one page: some
 * waits, some requests, each with its own deadline. One that takes much longer hangs on something that never answers.
 * It is told to stop; if it does not, it is given up: its slot is free again, its lease is not renewed, and the
 * coordinator gives the site to another worker when the lease has run out. Should it wake up, it makes no request, for
 * it has no lease.
 */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Frontier } from '../../contracts/ports.ts'
import type { VisitId } from '../../contracts/visit.ts'
import type { Lease } from '../tools.ts'

/** More than any page takes: an exchange is shorter than a lease, and a page has few of them. */
const MIN_GRACE: Millis = 600_000
const LEASES_OF_GRACE = 3
/** Pauses within one page: for robots.txt, redirects, a second try. */
const PAUSES_PER_PAGE = 6

interface Timed {
  /** Before its first request. */
  wait: Millis
  /** Of its slice. */
  time: Millis
  lease: Millis
  /** As it is now. */
  pause(): Millis
}

interface Held extends Timed {
  startedAt: Millis
  endsAt: Millis
  end: AbortController
  /** When it was told to stop. */
  stopAt: Millis | undefined
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
  hold(visit: VisitId, from: Millis, timed: Timed): { lease: Lease; end: AbortSignal } {
    const startedAt = this.#clock.elapsed()
    const end = new AbortController()
    const held: Held = { ...timed, startedAt, endsAt: from + timed.lease, end, stopAt: undefined }
    this.#held.set(visit, held)
    // Checked out while the worker was stopping: the visit is given back unused.
    if (this.#stopped) this.stop(visit)
    return { lease: { left: () => held.endsAt - this.#clock.elapsed() }, end: end.signal }
  }

  stopAll(): void {
    this.#stopped = true
    for (const visit of this.#held.keys()) this.stop(visit)
  }

  release(visit: VisitId): void {
    this.#held.delete(visit)
  }

  /** The visit must end, and keeps its lease until it does. */
  stop(visit: VisitId): void {
    const held = this.#held.get(visit)
    if (held === undefined) return
    held.stopAt ??= this.#clock.elapsed()
    held.end.abort()
  }

  /** The lease is not renewed, and the visit may make no more requests. */
  giveUp(visit: VisitId): void {
    this.#lose(visit)
    this.#held.delete(visit)
  }

  get visits(): VisitId[] {
    return [...this.#held.keys()]
  }

  /** One call for all. Returns the visits whose lease is lost: they end without another request. */
  async renew(): Promise<VisitId[]> {
    const { visits } = this
    if (visits.length === 0) return []
    const before = this.#clock.elapsed()
    const { lease, lost } = await this.#frontier.renew(this.#worker, visits)
    const gone = new Set(lost)
    for (const id of visits) {
      const held = this.#held.get(id)
      if (gone.has(id)) this.#lose(id)
      else if (held !== undefined) held.endsAt = before + lease
    }
    return lost
  }

  /** Visits that must stop, and visits to be given up. */
  overdue(): { stop: VisitId[]; giveUp: VisitId[] } {
    const now = this.#clock.elapsed()
    const stop: VisitId[] = []
    const giveUp: VisitId[] = []
    for (const [id, { lease, pause, startedAt, stopAt, time, wait }] of this.#held) {
      const grace = Math.max(MIN_GRACE, LEASES_OF_GRACE * lease) + PAUSES_PER_PAGE * pause()
      if (stopAt === undefined && now - startedAt > wait + time + grace) stop.push(id)
      if (stopAt !== undefined && now - stopAt > grace) giveUp.push(id)
    }
    return { stop, giveUp }
  }

  #lose(visit: VisitId): void {
    const held = this.#held.get(visit)
    if (held !== undefined) held.endsAt = Number.NEGATIVE_INFINITY
    this.stop(visit)
  }
}
