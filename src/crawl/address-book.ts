/**
 * Courtesy per address (B3): a worker's visits at one address share a second, shorter pause, and there are at most so
 * many of them. The address itself belongs to one worker at a time (`Frontier.enter`), so memory is enough here.
 */
import type { Clock, Millis } from '../base/clock.ts'

interface Shared {
  visits: number
  /** On the monotonic clock: no request there begins before. */
  freeAt: Millis
  /** Whose turn it is, or was. */
  turn: unknown
  /** A request is under way there since then. */
  busySince: Millis | undefined
  /** When the next of those that found no place may come back. */
  nextBack: Millis
}

/** Who finds no place comes back after this, at the soonest and at the latest. */
const SOONEST_BACK: Millis = 5_000
const LATEST_BACK: Millis = 3_600_000
/** Neighbours of a request that takes longer than this wait for it no more. */
const LONGEST_BUSY: Millis = 10_000
const LOOK_AGAIN: Millis = 100

export class AddressBook {
  readonly #clock: Clock
  readonly #pause: Millis
  readonly #maxVisits: number
  readonly #shared = new Map<string, Shared>()

  constructor(clock: Clock, pause: Millis, maxVisits: number) {
    this.#clock = clock
    this.#pause = pause
    this.#maxVisits = maxVisits
  }

  /** False when there are already as many visits at the address as there may be. */
  join(address: string): boolean {
    const shared = this.#shared.get(address) ?? {
      visits: 0,
      freeAt: 0,
      turn: undefined,
      busySince: undefined,
      nextBack: 0,
    }
    if (shared.visits >= this.#maxVisits) return false
    shared.visits++
    this.#shared.set(address, shared)
    return true
  }

  /**
   * For one who found no place: when to come back. Each is told a time of its own, one address pause after the other,
   * for no site takes less. Else the thousands of sites of a shared host would all come back every few seconds, and
   * keep the coordinator from all others.
   */
  comeBackAfter(address: string): Millis {
    const shared = this.#shared.get(address)
    const now = this.#clock.elapsed()
    if (shared === undefined) return SOONEST_BACK
    const back = Math.min(Math.max(now + SOONEST_BACK, shared.nextBack), now + LATEST_BACK)
    shared.nextBack = back + this.#pause
    return back - now
  }

  leave(address: string): void {
    const shared = this.#shared.get(address)
    if (shared === undefined) return
    shared.visits--
    if (shared.visits > 0) return
    // The pause outlives the last visit, so that a site that comes next at the address still waits for it.
    this.#clock.after(Math.max(0, shared.freeAt - this.#clock.elapsed()), () => {
      if (this.#shared.get(address)?.visits === 0) this.#shared.delete(address)
    })
  }

  wait(address: string): Millis {
    const shared = this.#shared.get(address)
    if (shared === undefined) return 0
    const now = this.#clock.elapsed()
    // The pause counts from the end of an answer; but one site that never answers does not stop its neighbours for long.
    const isBusy = shared.busySince !== undefined && now - shared.busySince < LONGEST_BUSY
    return Math.max(0, shared.freeAt - now, isBusy ? LOOK_AGAIN : 0)
  }

  /**
   * True when it is the visitor's turn to ask, now: all others keep their distance from here on. Asked before the
   * connection is made, and again just before the first byte: another may have been faster meanwhile.
   */
  takeTurn(address: string, visitor: unknown): boolean {
    const shared = this.#shared.get(address)
    if (shared === undefined) return true
    if (shared.turn !== visitor && this.wait(address) > 0) return false
    shared.turn = visitor
    shared.freeAt = Math.max(shared.freeAt, this.#clock.elapsed() + this.#pause)
    return true
  }

  /** The first byte of a request is being written. */
  begin(address: string): void {
    const shared = this.#shared.get(address)
    if (shared !== undefined) shared.busySince = this.#clock.elapsed()
  }

  /** An answer has just ended: the next request there keeps its distance from it. */
  touch(address: string): void {
    const shared = this.#shared.get(address)
    if (shared === undefined) return
    shared.busySince = undefined
    shared.freeAt = Math.max(shared.freeAt, this.#clock.elapsed() + this.#pause)
  }
}
