/**
 * How a session's requests are stopped: by their signal, or by the end of the session. One signal may stop thousands of
 * sessions, and Node walks through all listeners of a signal to add or remove one (at 5,000 open visits that is half of
 * what a request costs): so a signal has one listener of ours, and a set of those that it stops.
 */
export interface Stoppable {
  stopped(): void
}

const stops = new WeakMap<AbortSignal, Set<Stop>>()

export class Stop {
  #isStopped = false
  #under: Stoppable | undefined
  #others: Set<Stop> | undefined

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** A request begins that this signal may stop. */
  begin(signal: AbortSignal): void {
    this.#isStopped = signal.aborted
    this.#others = stops.get(signal) ?? listenTo(signal)
    this.#others.add(this)
  }

  end(): void {
    this.#others?.delete(this)
    this.#others = undefined
    this.#under = undefined
  }

  /** Whom to tell; only the last one named is told, at most once. */
  whenStopped(under: Stoppable | undefined): void {
    this.#under = under
  }

  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#under?.stopped()
  }
}

function listenTo(signal: AbortSignal): Set<Stop> {
  const set = new Set<Stop>()
  stops.set(signal, set)
  const stopAll = () => {
    for (const stop of [...set]) stop.stop()
  }
  signal.addEventListener('abort', stopAll, { once: true })
  return set
}
