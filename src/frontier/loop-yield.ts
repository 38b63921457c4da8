/**
 * Long work inside a transaction stops now and then for one turn of the event loop, so that whoever needs no transaction
 * (a check-out of a lease granted ahead) need not wait for its end. Nobody else's transaction comes in between.
 */
import { type Clock, type Millis, turn } from '../base/clock.ts'

/** A turn costs some microseconds. */
const EVERY: Millis = 1

export class LoopYield {
  readonly #clock: Clock
  #since: Millis

  /** Work begins now. */
  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.elapsed()
  }

  /** Undefined when it is not time yet: then nothing needs to be awaited. */
  take(): Promise<void> | undefined {
    return this.#clock.elapsed() - this.#since < EVERY ? undefined : this.#turn()
  }

  async #turn(): Promise<void> {
    await turn()
    this.#since = this.#clock.elapsed()
  }
}
