/** Parts that have come and are not durable yet, in order; each delivery waits for its acknowledgement. */
import type { SealedPart } from '../../contracts/sealed-part.ts'

interface Delivery {
  parts: readonly SealedPart[]
  done(): void
  failed(error: unknown): void
}

export class Arrivals {
  #deliveries: Delivery[] = []
  /** Parts taken since the last `durable`, and the durable parts of the first delivery before it. */
  #taken = 0
  #begun = 0
  #parts = 0
  #bytes = 0

  /** Not taken yet. */
  get parts(): number {
    return this.#parts
  }

  /** Taken, and not durable yet. */
  get underWay(): number {
    return this.#taken
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when all of them are durable. */
  add(parts: readonly SealedPart[]): Promise<void> {
    return new Promise((done, failed) => {
      this.#deliveries.push({ parts, done, failed })
      this.#parts += parts.length
      for (const { body } of parts) this.#bytes += body.length
    })
  }

  /** The next parts, as many as their bytes allow, at least one if there is any. */
  take(maxBytes: number): SealedPart[] {
    const next: SealedPart[] = []
    let bytes = 0
    let skip = this.#begun + this.#taken
    for (const { parts } of this.#deliveries) {
      for (; skip < parts.length && bytes < maxBytes; skip++) {
        next.push(parts[skip])
        bytes += parts[skip].body.length
      }
      if (bytes >= maxBytes) break
      skip -= parts.length
    }
    this.#taken += next.length
    this.#parts -= next.length
    this.#bytes -= bytes
    return next
  }

  /** All parts taken are durable: acknowledges every delivery that is complete. */
  durable(): void {
    this.#begun += this.#taken
    this.#taken = 0
    let over = 0
    while (over < this.#deliveries.length && this.#begun >= this.#deliveries[over].parts.length)
      this.#begun -= this.#deliveries[over++].parts.length
    for (const { done } of this.#deliveries.splice(0, over)) done()
  }

  fail(error: unknown): void {
    const all = this.#deliveries
    this.#deliveries = []
    this.#begun = this.#taken = this.#parts = this.#bytes = 0
    for (const { failed } of all) failed(error)
  }
}
