/**
 * Where the time of a visit goes, by operation as in VN's Fig. 7b (V19). A visit does one thing at a time, so each change of
 * operation reads the clock once, and every millisecond belongs to exactly one: some eight reads per page.
 */
import type { Clock, Millis } from '../base/clock.ts'
import { OPERATIONS, type Operation, type Tally } from '../contracts/counts.ts'

type Timed = Operation | 'check-out'
const TIMED: readonly Timed[] = [...OPERATIONS, 'check-out']

/** Fractions of milliseconds that belong to no counter yet. Shared by the visits of a worker, so that short ones count too. */
export type TimeRest = Map<Timed, Millis>

export class VisitTimes {
  readonly #clock: Clock
  readonly #rest: TimeRest
  readonly #sums: Record<Timed, Millis> = { store: 0, processing: 0, download: 0, courtesy: 0, 'check-out': 0 }
  #operation: Operation = 'processing'
  #since: Millis
  #checkOuts = 0

  constructor(clock: Clock, rest: TimeRest) {
    this.#clock = clock
    this.#rest = rest
    this.#since = clock.elapsed()
  }

  /** The earlier operation goes on afterwards. */
  async during<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
    const before = this.#operation
    this.#to(operation)
    try {
      return await work()
    } finally {
      this.#to(before)
    }
  }

  /** How long the call took that brought this visit and others (CoBWeb's scheduler latency, C11). */
  checkedOut(tookMs: Millis): void {
    this.#checkOuts++
    this.#sums['check-out'] += tookMs
  }

  /** Whole milliseconds since the last call. Taken with a part that is sent anyway, not a reason to send one. */
  moveTo(tally: Tally): void {
    this.#to(this.#operation)
    tally.add('checkOuts', this.#checkOuts)
    this.#checkOuts = 0
    for (const name of TIMED) {
      const all = this.#sums[name] + (this.#rest.get(name) ?? 0)
      const ms = Math.floor(all)
      tally.add(`elapsed:${name}`, ms)
      this.#rest.set(name, all - ms)
      this.#sums[name] = 0
    }
  }

  #to(operation: Operation): void {
    const now = this.#clock.elapsed()
    this.#sums[this.#operation] += Math.max(0, now - this.#since)
    this.#since = now
    this.#operation = operation
  }
}
