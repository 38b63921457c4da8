/** Parts that have come and are not durable yet, in the order in which they came; who brought them waits. */
import type { SealedPart } from '../visit/sealed-part.ts'

interface Delivery {
  parts: readonly SealedPart[]
  done(): void
  failed(error: unknown): void
}

export class Arrivals {
  #deliveries: Delivery[] = []
  /** Parts of the first delivery that are durable. */
  #begun = 0
  #parts = 0
  #bytes = 0

  get parts(): number {
    return this.#parts
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

  /** The first ones, as many as their bytes allow, at least one if there is any. They stay until they are `durable`. */
  first(mostBytes: number): SealedPart[] {
    const first: SealedPart[] = []
    let bytes = 0
    let from = this.#begun
    for (const { parts } of this.#deliveries) {
      for (; from < parts.length; from++) {
        first.push(parts[from])
        bytes += parts[from].body.length
        if (bytes >= mostBytes) return first
      }
      from = 0
    }
    return first
  }

  /** The first `parts` are: whoever has no other here is told so. */
  durable(parts: readonly SealedPart[]): void {
    this.#parts -= parts.length
    for (const { body } of parts) this.#bytes -= body.length
    this.#begun += parts.length
    let over = 0
    while (over < this.#deliveries.length && this.#begun >= this.#deliveries[over].parts.length)
      this.#begun -= this.#deliveries[over++].parts.length
    for (const { done } of this.#deliveries.splice(0, over)) done()
  }

  fail(error: unknown): void {
    const all = this.#deliveries
    this.#deliveries = []
    this.#begun = this.#parts = this.#bytes = 0
    for (const { failed } of all) failed(error)
  }
}
