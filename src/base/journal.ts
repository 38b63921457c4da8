/**
 * Observation never steers: modules record events; log, live view and tests read them. Nothing waits for a reader, and a
 * reader never throws (except in tests that simulate a crash). The events are the closed union of `contracts/events.ts`.
 */
import { reasonOf } from './errors.ts'

export interface Journal<Event> {
  record(event: Event): void
}

export class Readers<Event> implements Journal<Event> {
  readonly #readers = new Set<(event: Event) => void>()

  read(reader: (event: Event) => void): () => void {
    this.#readers.add(reader)
    return () => this.#readers.delete(reader)
  }

  record(event: Event): void {
    for (const reader of this.#readers) reader(event)
  }
}

/** Does work that may fail again and again, and reports a failure once until it works again. False: it failed. */
export function tellingOnce(journal: Journal<{ kind: 'trouble'; what: string }>) {
  const failing = new Set<string>()
  return async (what: string, work: () => unknown): Promise<boolean> => {
    try {
      await work()
      failing.delete(what)
      return true
    } catch (error) {
      if (!failing.has(what)) journal.record({ kind: 'trouble', what: `${what}: ${reasonOf(error)}` })
      failing.add(what)
      return false
    }
  }
}
