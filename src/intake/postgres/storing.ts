/** Makes parts durable: those that come while a transaction runs go together into the next one. */
import { Problem } from '../../base/errors.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { totalBytes } from '../report-parts.ts'

/** Two, so that one that waits for a site's row does not hold up all others. */
const AT_ONCE = 2
const MAX_BYTES = 4 * 2 ** 20

interface Delivery {
  parts: readonly SealedPart[]
  bytes: number
  done(): void
  failed(error: unknown): void
}

export class Storing {
  readonly #store: (parts: readonly SealedPart[]) => Promise<void>
  #deliveries: Delivery[] = []
  readonly #running = new Set<Promise<void>>()
  #parts = 0

  /** `store`: one transaction. */
  constructor(store: (parts: readonly SealedPart[]) => Promise<void>) {
    this.#store = store
  }

  /** Parts that have come and are not durable yet. */
  get parts(): number {
    return this.#parts
  }

  /** Resolves when all of them are durable; rejects when they must be sent again. */
  add(parts: readonly SealedPart[]): Promise<void> {
    this.#parts += parts.length
    return new Promise((done, failed) => {
      this.#deliveries.push({ parts, bytes: totalBytes(parts), done, failed })
      this.#begin()
    })
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #begin(): void {
    if (this.#running.size >= AT_ONCE || this.#deliveries.length === 0) return
    const running = this.#deliver(this.#take()).finally(() => {
      this.#running.delete(running)
      this.#begin()
    })
    this.#running.add(running)
  }

  #take(): Delivery[] {
    let bytes = 0
    const upto = this.#deliveries.findIndex((delivery) => (bytes += delivery.bytes) >= MAX_BYTES)
    return this.#deliveries.splice(0, upto < 0 ? this.#deliveries.length : upto + 1)
  }

  async #deliver(deliveries: readonly Delivery[]): Promise<void> {
    try {
      await this.#store(deliveries.flatMap(({ parts }) => parts))
      this.#end(deliveries, ({ done }) => done())
    } catch (error) {
      // If the database is away, one by one would only wait longer.
      if (deliveries.length === 1 || error instanceof Problem)
        return this.#end(deliveries, ({ failed }) => failed(error))
      // One delivery may be at fault; the others need not fail with it.
      for (const delivery of deliveries) await this.#deliver([delivery])
    }
  }

  #end(deliveries: readonly Delivery[], end: (delivery: Delivery) => void): void {
    for (const delivery of deliveries) {
      this.#parts -= delivery.parts.length
      end(delivery)
    }
  }
}
