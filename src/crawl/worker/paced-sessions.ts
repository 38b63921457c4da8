/**
 * Answers that are handed on in groups, a few milliseconds of work in each turn of the event loop.
 *
 * In groups, because visits that are woken together go through their work side by side: all of the group's pages are read,
 * then all are written to the volume, then the links of all are followed. Code and tables of one step stay in the
 * processor's caches while it is done, which takes 15 % off the CPU of a page; one page after the other, each step finds
 * them cold. In slices, because timers, leases and the coordinator would else wait until hundreds of pages are read: 700 ms at
 * full load with 300 visits.
 *
 * An answer that waits here is whole, and its time of arrival is in it; its site's pause begins when it is handed on, so a wait
 * only makes it longer. One for each visit at most.
 *
 * While many wait, requests wait too, before they are sent: an answer that comes sooner than it can be read only grows old in
 * memory, and what is old there is collected late and at a cost. Nobody is asked sooner than else, or more often. But a site
 * that takes longer to answer than those answers take to be read is asked at once: held back, thousands of slow sites would fall
 * into step, with nothing to read while all of them are asked, and nobody asked while all are read (5,000 sites with 3.4 s:
 * two thirds of the rate).
 */
import type { Clock, Millis } from '../../base/clock.ts'
import type { Exchange, OpenSession } from '../../contracts/exchange.ts'

/** After this no other group begins: with the one under way, and with what sockets bring, a turn is some 20 ms. */
const SLICE: Millis = 8
/** More gain nothing, and take long. */
const GROUP_ANSWERS = 24
/** Some large pages are a group, too. */
const GROUP_BYTES = 512 * 1024
/** Answers that wait before requests do: more than one slice reads, so that the next one has work. */
const MAX_WAITING = 64

/** Of what a turn shows about the time that an answer takes. */
const LEARNT_IN_A_TURN = 0.1

/** `turn` resolves after one turn of the event loop. */
export function pacedSessions(open: OpenSession, clock: Clock, turn: () => Promise<void>): OpenSession {
  const pace = new Pace(clock, turn)
  return () => {
    const session = open()
    /** How long the last answer took to come. */
    let latency: Millis = 0
    return {
      async fetch(request, signal) {
        const isLate = latency > pace.backlog()
        if (!isLate && pace.isFull) await pace.room()
        const asked = clock.elapsed()
        const exchange = await session.fetch(request, signal)
        latency = clock.elapsed() - asked
        await pace.wait(bytesOf(exchange), isLate)
        return exchange
      },
      release: () => session.release?.(),
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
  /** Of the answers that wait, those of sites that were not asked at once: slow sites, however many, leave the others their room. */
  #quick = 0
  #turning = false
  /** What an answer takes until the next can be handed on, of late. */
  #perAnswer: Millis = 1

  constructor(clock: Clock, turn: () => Promise<void>) {
    this.#clock = clock
    this.#turn = turn
  }

  /** Until it is the turn of an answer of that size. */
  wait(bytes: number, isLate = false): Promise<void> {
    if (!this.#turning) void this.#turns()
    if (!isLate) this.#quick++
    return new Promise((goOn) => this.#waiting.push({ bytes, isLate, goOn }))
  }

  /** How long it will take until the answers that wait have been handed on. */
  backlog(): Millis {
    return this.#waiting.length * this.#perAnswer
  }

  /** So many answers wait that no request should be sent now whose answer may come at once. */
  get isFull(): boolean {
    return this.#quick >= MAX_WAITING || this.#held.length > 0
  }

  /** Until the next request may be sent. */
  room(): Promise<void> {
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
      if (next > 0) this.#perAnswer += ((this.#clock.elapsed() - before) / next - this.#perAnswer) * LEARNT_IN_A_TURN
      for (const { isLate } of this.#waiting.splice(0, next)) if (!isLate) this.#quick--
      this.#release(MAX_WAITING - this.#quick)
    } while (this.#waiting.length > 0 || this.#held.length > 0)
    this.#turning = false
  }

  /** So many in every turn, however long their answers take: who is held here never waits for the slowest site. */
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

/** Who was woken has gone on by then to the first thing that it must wait for: it is some promises away from its work. */
async function workDone(): Promise<void> {
  for (let hops = 0; hops < 24; hops++) await undefined
}
