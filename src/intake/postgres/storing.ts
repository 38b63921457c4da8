/** Makes parts durable: what comes while a transaction is under way goes together into the next. */
import { Problem } from '../../base/errors.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'

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

  /** That have come and are not durable yet. */
  get parts(): number {
    return this.#parts
  }

  /** Resolves when all of them are durable; rejects when they could not be made so: bring them again. */
  add(parts: readonly SealedPart[]): Promise<void> {
    const bytes = parts.reduce((sum, { body }) => sum + body.length, 0)
    this.#parts += parts.length
    return new Promise((done, failed) => {
      this.#deliveries.push({ parts, bytes, done, failed })
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
      this.#over(deliveries, ({ done }) => done())
    } catch (error) {
      // A database that is away is no better one by one, and each would wait for it in turn.
      if (deliveries.length === 1 || error instanceof Problem)
        return this.#over(deliveries, ({ failed }) => failed(error))
      // What one brought may be at fault: the others' need not share its fate.
      for (const delivery of deliveries) await this.#deliver([delivery])
    }
  }

  #over(deliveries: readonly Delivery[], tell: (delivery: Delivery) => void): void {
    for (const delivery of deliveries) {
      this.#parts -= delivery.parts.length
      tell(delivery)
    }
  }
}
