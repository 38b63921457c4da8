/** Makes parts durable: those that come while a transaction runs go together into the next one. */
import { Problem } from '../../base/errors.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { Arrivals, type Taken } from '../arrivals.ts'

/** Two, so that one that waits for a site's row does not hold up all others. */
const AT_ONCE = 2
const MAX_BYTES = 4 * 2 ** 20

export class Storing {
  readonly #store: (parts: readonly SealedPart[]) => Promise<void>
  readonly #arrivals = new Arrivals()
  readonly #running = new Set<Promise<void>>()

  /** `store`: one transaction. */
  constructor(store: (parts: readonly SealedPart[]) => Promise<void>) {
    this.#store = store
  }

  /** Parts that have come and are not durable yet. */
  get parts(): number {
    return this.#arrivals.parts + this.#arrivals.underWay
  }

  /** Resolves when all of them are durable; rejects when they must be sent again. */
  add(parts: readonly SealedPart[]): Promise<void> {
    const stored = this.#arrivals.add(parts)
    this.#begin()
    return stored
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #begin(): void {
    if (this.#running.size >= AT_ONCE || this.#arrivals.parts === 0) return
    const running = this.#deliver(this.#arrivals.take(MAX_BYTES)).finally(() => {
      this.#running.delete(running)
      this.#begin()
    })
    this.#running.add(running)
  }

  async #deliver(taken: Taken): Promise<void> {
    try {
      await this.#store(taken.parts)
      taken.durable()
    } catch (error) {
      const each = taken.apart()
      // If the database is away, one by one would only wait longer.
      if (each.length === 1 || error instanceof Problem) return taken.failed(error)
      // One delivery may be at fault; the others need not fail with it.
      for (const one of each) await this.#deliver(one)
    }
  }
}
