/**
 * Observation never steers: whoever has news tells the journal; log, live view and tests read it. Nothing waits for a
 * reader, and a reader throws nothing: only tests do, to end a life at the moment they heard of. The events themselves are
 * a closed union in `contracts/events.ts`.
 */
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
