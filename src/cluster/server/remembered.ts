/** An answer that many may want to know is asked for at most so often, whoever wants it and however many at once. */
import type { Clock, Millis } from '../../base/clock.ts'

export function remembered<T>(clock: Clock, freshMs: Millis, ask: () => Promise<T>): () => Promise<T> {
  let last: { at: Millis; answer: Promise<T> } | undefined
  return () => {
    const now = clock.elapsed()
    if (last !== undefined && now - last.at < freshMs) return last.answer
    last = { at: now, answer: ask() }
    return last.answer
  }
}
