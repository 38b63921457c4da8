/** Turns of the event loop inside long work. */
import { type Clock, type Millis, turn } from '../base/clock.ts'

/** A turn costs some microseconds. */
const EVERY: Millis = 1

/**
 * Long work inside a transaction stops for one turn of the event loop now and then, so that check-outs need not wait for its
 * end: those of a prefetched lease need no transaction, and those on PostgreSQL have one of their own. On SQLite no other
 * transaction comes in between.
 */
export class LoopYield {
  readonly #clock: Clock
  #since: Millis

  /** Work begins now. */
  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.elapsed()
  }

  /** Undefined when it is not time yet: then there is nothing to await. */
  take(): Promise<void> | undefined {
    return this.#clock.elapsed() - this.#since < EVERY ? undefined : this.#turn()
  }

  async #turn(): Promise<void> {
    await turn()
    this.#since = this.#clock.elapsed()
  }
}
