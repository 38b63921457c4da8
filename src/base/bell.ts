/** Something to wait for that may ring before the time is over: `clock.sleep(ms, bell.next())`. */
export class Bell {
  #controller = new AbortController()

  /** A signal that the next ring aborts. */
  next(): AbortSignal {
    if (this.#controller.signal.aborted) this.#controller = new AbortController()
    return this.#controller.signal
  }

  ring(): void {
    this.#controller.abort()
  }
}
