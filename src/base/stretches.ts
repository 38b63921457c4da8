/**
 * Long work as a generator that yields between stretches of a few milliseconds, so that one page cannot keep a thread from all its
 * other visits. Whoever has nobody waiting runs it through.
 */
export type Stretches<T> = Generator<void, T>

export function runThrough<T>(work: Stretches<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}

/** `rest` lets others have the thread; `stretch` runs around each piece of work. */
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
