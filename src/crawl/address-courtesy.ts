/**
 * Courtesy per address (B3): a worker's visits at one address share a second, shorter pause, and their number is
 * limited. The address itself belongs to one worker at a time (`Frontier.enter`), so this needs no storage.
 */
import type { Clock, Millis } from '../base/clock.ts'
import { LOOK_AGAIN } from './courtesy.ts'

interface Shared {
  visits: number
  /** On the monotonic clock: no request there begins before. */
  freeAt: Millis
  /** The visit that has or had the last turn. */
  turn: unknown
  /** Since when a request is under way there. */
  busySince: Millis | undefined
  /** When the next site that found no slot may come back. */
  nextBack: Millis
}

/** A site that finds no slot comes back after this, at the earliest and at the latest. */
const SOONEST_BACK: Millis = 5_000
const LATEST_BACK: Millis = 3_600_000
/** After this, neighbours of a request no longer wait for it. */
const LONGEST_BUSY: Millis = 10_000

export class AddressCourtesy {
  readonly #clock: Clock
  readonly #pause: Millis
  readonly #maxVisits: number
  readonly #shared = new Map<string, Shared>()

  constructor(clock: Clock, pause: Millis, maxVisits: number) {
    this.#clock = clock
    this.#pause = pause
    this.#maxVisits = maxVisits
  }

  /** False when the address has as many visits as it may have. */
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
   * When a site that found no slot should come back. Each gets a time of its own, one address pause apart, for no site
   * takes less. Otherwise the thousands of sites of a shared host would all come back every few seconds and keep the
   * coordinator busy.
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
    // The pause outlives the last visit, so that the next site at the address still waits for it.
    this.#clock.after(Math.max(0, shared.freeAt - this.#clock.elapsed()), () => {
      if (this.#shared.get(address)?.visits === 0) this.#shared.delete(address)
    })
  }

  wait(address: string): Millis {
    const shared = this.#shared.get(address)
    if (shared === undefined) return 0
    const now = this.#clock.elapsed()
    // The pause counts from the end of an answer, but a site that never answers must not block its neighbours for long.
    const isBusy = shared.busySince !== undefined && now - shared.busySince < LONGEST_BUSY
    return Math.max(0, shared.freeAt - now, isBusy ? LOOK_AGAIN : 0)
  }

  /**
   * True when the visitor may send its request now: all others keep their distance from here on. Called before
   * connecting, and again just before the first byte, because another visit may have been faster.
   */
  takeTurn(address: string, visitor: unknown): boolean {
    const shared = this.#shared.get(address)
    if (shared === undefined) return true
    if (shared.turn !== visitor && this.wait(address) > 0) return false
    shared.turn = visitor
    shared.freeAt = this.#clock.elapsed() + this.#pause
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
    shared.freeAt = this.#clock.elapsed() + this.#pause
  }
}
