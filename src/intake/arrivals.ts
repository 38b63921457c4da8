/** Parts that have come and are not durable yet, in order; each delivery waits for its acknowledgement. */
import type { SealedPart } from '../contracts/sealed-part.ts'

interface Delivery {
  /** Parts that are not durable yet. */
  left: number
  done(): void
  failed(error: unknown): void
}

type Arrived = SealedPart & { delivery: Delivery }

/** Parts that were taken together. Call `durable` or `failed` once. */
export interface Taken {
  readonly parts: readonly SealedPart[]
  /** Acknowledges every delivery that is complete. */
  durable(): void
  /** Their deliveries must be sent again. */
  failed(error: unknown): void
  /** The same parts, those of each delivery alone. */
  apart(): Taken[]
}

export class Arrivals {
  #waiting: Arrived[] = []
  #bytes = 0
  #underWay = 0

  /** Not taken yet. */
  get parts(): number {
    return this.#waiting.length
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Taken, and not durable yet. */
  get underWay(): number {
    return this.#underWay
  }

  /** Resolves when all of them are durable. */
  add(parts: readonly SealedPart[]): Promise<void> {
    const { promise, resolve: done, reject: failed } = Promise.withResolvers<void>()
    const delivery = { left: parts.length, done, failed }
    for (const part of parts) {
      this.#waiting.push({ ...part, delivery })
      this.#bytes += part.body.length
    }
    return promise
  }

  /** The next parts, as many as their bytes allow, at least one if there is any. */
  take(maxBytes: number): Taken {
    let bytes = 0
    const full = this.#waiting.findIndex(({ body }) => (bytes += body.length) >= maxBytes)
    const parts = full < 0 ? this.#waiting.splice(0) : this.#waiting.splice(0, full + 1)
    this.#bytes -= bytes
    this.#underWay += parts.length
    return this.#taken(parts)
  }

  /** Those that wait must be sent again too. */
  fail(error: unknown): void {
    this.take(Number.POSITIVE_INFINITY).failed(error)
  }

  #taken(parts: readonly Arrived[]): Taken {
    return {
      parts,
      durable: () => {
        this.#underWay -= parts.length
        for (const { delivery } of parts) if (--delivery.left === 0) delivery.done()
      },
      failed: (error) => {
        this.#underWay -= parts.length
        for (const { delivery } of parts) delivery.failed(error)
      },
      apart: () => [...Map.groupBy(parts, ({ delivery }) => delivery).values()].map((some) => this.#taken(some)),
    }
  }
}
