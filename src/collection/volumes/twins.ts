/**
 * The payloads that this worker wrote itself, so that a second copy becomes a revisit record. Bounded: the one that was
 * not asked for longest is forgotten first. A payload is answered for only once its record is durable.
 */
import type { Instant } from '../../base/clock.ts'
import type { Twin } from '../../contracts/ports.ts'

export class Twins {
  readonly #limit: number
  readonly #durable = new Map<string, Twin>()
  #fresh: { digest: string; twin: Twin }[] = []

  constructor(limit: number) {
    this.#limit = limit
  }

  wrote(digest: string, url: string, at: Instant): void {
    this.#fresh.push({ digest, twin: { url, at } })
  }

  /** What was written before the call is being synced; the function it returns is called when it has been. */
  syncing(): () => void {
    const promised = this.#fresh
    this.#fresh = []
    return () => {
      for (const { digest, twin } of promised) this.#remember(digest, twin)
    }
  }

  find(digest: string): Twin | undefined {
    const twin = this.#durable.get(digest)
    if (twin !== undefined) {
      this.#durable.delete(digest)
      this.#durable.set(digest, twin)
    }
    return twin
  }

  #remember(digest: string, twin: Twin): void {
    this.#durable.delete(digest)
    this.#durable.set(digest, twin)
    if (this.#durable.size > this.#limit) this.#durable.delete(this.#durable.keys().next().value as string)
  }
}
