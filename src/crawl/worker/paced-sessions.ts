/**
 * Hands answers on in groups, a few milliseconds of work per turn of the event loop.
 *
 * In groups, because visits that are woken together do the same step side by side: all pages of the group are read, then all
 * are written to the volume, then the links of all are followed. Code and tables of one step stay in the processor's caches,
 * which takes 15 % off the CPU of a page. In slices, because timers, leases and the coordinator would otherwise wait until
 * hundreds of pages are read: 700 ms at full load with 300 visits.
 *
 * An answer that waits here is complete and has its time of arrival. Its site's pause begins when it is handed on, so waiting
 * only makes the pause longer. At most one answer per visit waits.
 *
 * While many answers wait, requests wait too: an answer that comes sooner than it can be read only grows old in memory, where
 * garbage collection makes it expensive. No site is asked sooner or more often than otherwise. A site that answers more slowly
 * than the waiting answers are read is asked at once. Held back, thousands of slow sites would fall into step, with nothing to
 * read while all are asked and none asked while all are read (5,000 sites with 3.4 s: two thirds of the rate).
 */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Exchange, OpenSession } from '../../contracts/exchange.ts'

/** No group begins after this. With the one under way and what sockets bring, a turn takes some 20 ms. */
const SLICE: Millis = 8
/** Larger groups gain nothing and take longer. */
const GROUP_ANSWERS = 24
const GROUP_BYTES = 512 * 1024
/** When this many answers wait, requests wait too. It is more than one slice reads, so the next slice has work. */
const MAX_WAITING = 64

/** Weight of one turn in the running mean of the time per answer. */
const TURN_WEIGHT = 0.1

/** `turn` resolves after one turn of the event loop. */
export function pacedSessions(open: OpenSession, clock: Clock, turn: () => Promise<void>): OpenSession {
  const pace = new Pace(clock, turn)
  return () => {
    const session = open()
    /** Of the last answer. */
    let latency: Millis = 0
    return {
      async fetch(request) {
        const isLate = latency > pace.backlog()
        if (!isLate && pace.isFull) await pace.mayAsk()
        const asked = clock.elapsed()
        const exchange = await session.fetch(request)
        latency = clock.elapsed() - asked
        await pace.wait(bytesOf(exchange), isLate)
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
  isLate: boolean
  goOn(): void
}

export class Pace {
  readonly #clock: Clock
  readonly #turn: () => Promise<void>
  /** The longest waiting first. */
  #waiting: Waiting[] = []
  /** Requests that are not sent yet, the longest waiting first. */
  #held: (() => void)[] = []
  /** Waiting answers of sites that were not asked at once. Slow sites are not counted, so however many there are they hold no others back. */
  #quick = 0
  #turning = false
  /** Running mean of the time until the next answer can be handed on. */
  #timePerAnswer: Millis = 1

  constructor(clock: Clock, turn: () => Promise<void>) {
    this.#clock = clock
    this.#turn = turn
  }

  /** Resolves when an answer of that size may be handed on. */
  wait(bytes: number, isLate = false): Promise<void> {
    if (!this.#turning) void this.#turns()
    if (!isLate) this.#quick++
    return new Promise((goOn) => this.#waiting.push({ bytes, isLate, goOn }))
  }

  /** Time until the waiting answers have been handed on. */
  backlog(): Millis {
    return this.#waiting.length * this.#timePerAnswer
  }

  /** Too many answers wait to send a request to a fast site now. */
  get isFull(): boolean {
    return this.#quick >= MAX_WAITING || this.#held.length > 0
  }

  /** Resolves when the next request may be sent. */
  mayAsk(): Promise<void> {
    if (!this.#turning) void this.#turns()
    return new Promise((goOn) => this.#held.push(goOn))
  }

  async #turns(): Promise<void> {
    this.#turning = true
    do {
      const before = this.#clock.elapsed()
      await this.#turn()
      const begun = this.#clock.elapsed()
      let next = 0
      do {
        next = this.#wakeGroup(next)
        await workDone()
      } while (next < this.#waiting.length && this.#clock.elapsed() - begun < SLICE)
      if (next > 0) this.#timePerAnswer += ((this.#clock.elapsed() - before) / next - this.#timePerAnswer) * TURN_WEIGHT
      for (const { isLate } of this.#waiting.splice(0, next)) if (!isLate) this.#quick--
      this.#release(MAX_WAITING - this.#quick)
    } while (this.#waiting.length > 0 || this.#held.length > 0)
    this.#turning = false
  }

  /** Some in every turn, however long their answers take: a held request never waits for the slowest site. */
  #release(requests: number): void {
    if (requests <= 0) return
    for (const goOn of this.#held.splice(0, requests)) goOn()
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

/** By then each woken visit has reached the first thing it must wait for: its work is some promises away. */
async function workDone(): Promise<void> {
  for (let hops = 0; hops < 24; hops++) await undefined
}
