/**
 * Stops a session's requests: by their signal, or at the end of the session. One signal may stop thousands of requests, and Node
 * scans all listeners of a signal to add or remove one: 0.3 µs with 50 requests in flight, 22 with 5,000. So each signal has one
 * listener and a doubly linked ring of the requests it stops. (A set of 5,000 took 3 to 10 µs.)
 */
export interface Stoppable {
  stopped(): void
}

const rings = new WeakMap<AbortSignal, Stop>()

export class Stop {
  #isStopped = false
  #under: Stoppable | undefined
  #before: Stop = this
  #after: Stop = this

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** This signal may stop the request that begins now. */
  begin(signal: AbortSignal): void {
    this.#isStopped = signal.aborted
    const ring = rings.get(signal) ?? Stop.#listenTo(signal)
    this.#before = ring.#before
    this.#after = ring
    ring.#before.#after = this
    ring.#before = this
  }

  end(): void {
    this.#before.#after = this.#after
    this.#after.#before = this.#before
    this.#before = this
    this.#after = this
    this.#under = undefined
  }

  /** Replaces the one set before; called at most once. */
  whenStopped(under: Stoppable | undefined): void {
    this.#under = under
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#under?.stopped()
  }

  /** The ring's sentinel. */
  static #listenTo(signal: AbortSignal): Stop {
    const ring = new Stop()
    rings.set(signal, ring)
    const stopAll = () => {
      // Collected first: stopping one may remove it from the ring.
      const all: Stop[] = []
      for (let one = ring.#after; one !== ring; one = one.#after) all.push(one)
      for (const one of all) one.stop()
    }
    signal.addEventListener('abort', stopAll, { once: true })
    return ring
  }
}
