/**
 * How one request is stopped: by its signal, or by the end of its session. `AbortSignal.any` does the same for several
 * microseconds a request.
 */
export class Stop {
  #isStopped = false
  #call: (() => void) | undefined

  get isStopped(): boolean {
    return this.#isStopped
  }

  /** Whom to call; only the last one asked for is called, at most once. */
  whenStopped(call: (() => void) | undefined): void {
    this.#call = call
  }

  readonly stop = (): void => {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#call?.()
  }
}
