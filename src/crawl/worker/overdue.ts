/**
 * Visits that do not end. A visit looks at its slice's time before each page, so it may outlive that by one page: some waits, some
 * requests, each with a deadline of its own. One that takes much longer hangs on something that never answers: it is told
 * to end, and when it does not even hear that, it is given up: its place is free again, its lease is renewed no more, and the coordinator
 * gives the site to another when that has run out. It never asks anything again, should it wake up: it has no lease.
 */
import type { Millis } from '../../base/clock.ts'
import type { VisitId } from '../../contracts/visit.ts'

/** More than any page takes: an exchange is shorter than a lease, and a page's are few. */
const MIN_GRACE: Millis = 600_000
const LEASES_OF_GRACE = 3
/** Pauses that a page may wait for: of robots.txt, of redirects, of its second try. */
const PAUSES_A_PAGE = 6

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
  /** When it was told to end, by whomever. */
  toldAt: Millis | undefined
}

export class Overdue {
  readonly #visits = new Map<VisitId, Watched>()

  begin(id: VisitId, visit: Timed): void {
    this.#visits.set(id, { ...visit, toldAt: undefined })
  }

  ended(id: VisitId): void {
    this.#visits.delete(id)
  }

  /** All were told to end. */
  toldAll(now: Millis): void {
    for (const visit of this.#visits.values()) visit.toldAt ??= now
  }

  told(id: VisitId, now: Millis): void {
    const visit = this.#visits.get(id)
    if (visit !== undefined) visit.toldAt ??= now
  }

  /** Visits to be told to end, and visits to be given up. */
  look(now: Millis): { tell: VisitId[]; giveUp: VisitId[] } {
    const tell: VisitId[] = []
    const giveUp: VisitId[] = []
    for (const [id, visit] of this.#visits) {
      const grace = Math.max(MIN_GRACE, LEASES_OF_GRACE * visit.lease) + PAUSES_A_PAGE * visit.pause()
      if (visit.toldAt !== undefined) {
        if (now - visit.toldAt > grace) giveUp.push(id)
      } else if (now - visit.startedAt > visit.wait + visit.time + grace) tell.push(id)
    }
    return { tell, giveUp }
  }
}
