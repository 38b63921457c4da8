/**
 * The payloads that this worker wrote itself, so that a second copy becomes a revisit record. Bounded: the one that was
 * not asked for longest is forgotten first. A payload is answered for only once its record is durable.
 */
import type { Instant } from '../../base/clock.ts'
import type { StoredCopy } from '../../contracts/ports.ts'

export class StoredCopies {
  readonly #limit: number
  readonly #durable = new Map<string, StoredCopy>()
  #fresh: { digest: string; copy: StoredCopy }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  wrote(digest: string, url: string, at: Instant): void {
    this.#fresh.push({ digest, copy: { url, at } })
  }

  /** What was written before the call is being synced; the function it returns is called when it has been. */
  syncing(): () => void {
    const promised = this.#fresh
    this.#fresh = []
    return () => {
      for (const { digest, copy } of promised) this.#remember(digest, copy)
    }
  }

  find(digest: string): StoredCopy | undefined {
    const copy = this.#durable.get(digest)
    if (copy !== undefined) {
      this.#durable.delete(digest)
      this.#durable.set(digest, copy)
    }
    return copy
  }

  #remember(digest: string, copy: StoredCopy): void {
    this.#durable.delete(digest)
    this.#durable.set(digest, copy)
    if (this.#durable.size > this.#limit) this.#durable.delete(this.#durable.keys().next().value as string)
  }
}
