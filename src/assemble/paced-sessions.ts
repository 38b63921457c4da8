/**
 * Answers that are handed on in groups, a few milliseconds of work in each turn of the event loop.
 *
 * In groups, because visits that are woken together go through their work side by side: all of the group's pages are read,
 * then all are written to the volume, then the links of all are followed. Code and tables of one step stay in the
 * processor's caches while it is done, which takes 15 % off the CPU of a page; one page after the other, each step finds
 * them cold. In slices, because timers, leases and the house would else wait until hundreds of pages are read: 700 ms at
 * full load with 300 visits.
 *
 * An answer that waits here is whole, and its time of arrival is in it; its site's pause begins when it is handed on, so a wait
 * only makes it longer. One for each visit at most.
 */
import type { Clock, Millis } from '../base/clock.ts'
import type { Exchange, OpenSession } from '../visit/exchange.ts'

/** Long beside a group, short beside what may be late. */
const SLICE: Millis = 20
/** More gain nothing, and take long. */
const GROUP_ANSWERS = 24
/** Some large pages are a group, too. */
const GROUP_BYTES = 512 * 1024

/** `turn` resolves after one turn of the event loop. */
export function pacedSessions(open: OpenSession, clock: Clock, turn: () => Promise<void>): OpenSession {
  const pace = new Pace(clock, turn)
  return () => {
    const session = open()
    return {
      async fetch(request, signal) {
        const exchange = await session.fetch(request, signal)
        await pace.wait(bytesOf(exchange))
        return exchange
      },
      close: () => session.close(),
    }
  }
}

function bytesOf({ answer }: Exchange): number {
  return answer.kind === 'full' || answer.kind === 'cut' ? answer.payload.length : 0
}

interface Waiting {
  bytes: number
  goOn(): void
}

export class Pace {
  readonly #clock: Clock
  readonly #turn: () => Promise<void>
  /** The longest waiting first. */
  #waiting: Waiting[] = []
  #turning = false

  constructor(clock: Clock, turn: () => Promise<void>) {
    this.#clock = clock
    this.#turn = turn
  }

  /** Until it is the turn of an answer of that size. */
  wait(bytes: number): Promise<void> {
    if (!this.#turning) void this.#turns()
    return new Promise((goOn) => this.#waiting.push({ bytes, goOn }))
  }

  async #turns(): Promise<void> {
    this.#turning = true
    do {
      await this.#turn()
      const begun = this.#clock.elapsed()
      let next = 0
      do {
        next = this.#wakeGroup(next)
        await workDone()
      } while (next < this.#waiting.length && this.#clock.elapsed() - begun < SLICE)
      this.#waiting.splice(0, next)
    } while (this.#waiting.length > 0)
    this.#turning = false
  }

  /** Returns where the next group begins. */
  #wakeGroup(from: number): number {
    let bytes = 0
    let next = from
    while (next < this.#waiting.length && next - from < GROUP_ANSWERS && bytes < GROUP_BYTES) {
      bytes += this.#waiting[next].bytes
      this.#waiting[next++].goOn()
    }
    return next
  }
}

/** Who was woken has gone on by then to the first thing that it must wait for: it is some promises away from its work. */
async function workDone(): Promise<void> {
  for (let hops = 0; hops < 24; hops++) await undefined
}
