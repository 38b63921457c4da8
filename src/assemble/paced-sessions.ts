/**
 * Answers that are handed on a few at a time. Whoever gets one reads the page at once, in half a millisecond; when hundreds
 * are there, timers, leases and the house would wait until all are read: 700 ms at full load with 300 visits. So after a
 * slice of time the rest waits for the next turn of the event loop, in order of arrival.
 *
 * An answer that waits here is whole: its time of arrival is in it, and its site's pause has begun. One for each visit at most.
 */
import type { Clock, Millis } from '../base/clock.ts'
import type { OpenSession } from '../visit/exchange.ts'

/** Long beside a page, short beside what may be late. */
const SLICE: Millis = 20

/** `turn` resolves after one turn of the event loop. */
export function pacedSessions(open: OpenSession, clock: Clock, turn: () => Promise<void>): OpenSession {
  const pace = new Pace(clock, turn)
  return () => {
    const session = open()
    return {
      async fetch(request, signal) {
        const exchange = await session.fetch(request, signal)
        const wait = pace.wait()
        if (wait !== undefined) await wait
        return exchange
      },
      close: () => session.close(),
    }
  }
}

export class Pace {
  readonly #clock: Clock
  readonly #turn: () => Promise<void>
  /** Of those that must wait, the longest waiting first. */
  #waiting: (() => void)[] = []
  /** When the work of this turn began; undefined when there has been none. */
  #begun: Millis | undefined

  constructor(clock: Clock, turn: () => Promise<void>) {
    this.#clock = clock
    this.#turn = turn
  }

  /** Undefined: there is time left in this turn. */
  wait(): Promise<void> | undefined {
    if (this.#begun === undefined) {
      this.#begun = this.#clock.elapsed()
      void this.#turns()
      return undefined
    }
    if (this.#waiting.length === 0 && this.#hasTime()) return undefined
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #hasTime(): boolean {
    return this.#begun !== undefined && this.#clock.elapsed() - this.#begun < SLICE
  }

  async #turns(): Promise<void> {
    do {
      await this.#turn()
      this.#begun = this.#clock.elapsed()
      const waiting = this.#waiting
      let next = 0
      while (next < waiting.length && this.#hasTime()) {
        waiting[next++]()
        await workDone()
      }
      this.#waiting = waiting.slice(next)
    } while (this.#waiting.length > 0)
    this.#begun = undefined
  }
}

/** Who was woken has gone on by then to the first thing that it must wait for: it is some promises away from its work. */
async function workDone(): Promise<void> {
  for (let hops = 0; hops < 8; hops++) await undefined
}
