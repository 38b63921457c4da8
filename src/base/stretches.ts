/** Long work as a generator that yields every few milliseconds, so that one page cannot block its thread's other visits. */
export type Stretches<T> = Generator<void, T>

export function runThrough<T>(work: Stretches<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** `rest` yields the thread; `stretch` wraps each piece of work. */
export async function inTurns<T>(
  work: Stretches<T>,
  rest: () => Promise<void>,
  stretch: (next: () => IteratorResult<void, T>) => IteratorResult<void, T> = (next) => next(),
): Promise<T> {
  for (;;) {
    const { done, value } = stretch(() => work.next())
    if (done) return value
    await rest()
  }
}
