/** Makes parts durable: those that come while a transaction runs go together into the next one. */
import { Problem } from '../../base/errors.ts'
import type { SealedPart } from '../../contracts/sealed-part.ts'
import { Arrivals, type Taken } from '../arrivals.ts'

/** Two, so that one that waits for a site's row does not hold up all others. */
const AT_ONCE = 2
const MAX_BYTES = 4 * 2 ** 20

export type Storing = ReturnType<typeof storing>

/** `store`: one transaction. */
export function storing(store: (parts: readonly SealedPart[]) => Promise<void>) {
  const arrivals = new Arrivals()
  const running = new Set<Promise<void>>()

  const deliver = async (taken: Taken): Promise<void> => {
    try {
      await store(taken.parts)
      taken.durable()
    } catch (error) {
      const each = taken.apart()
      // If the database is away, one by one would only wait longer.
      if (each.length === 1 || error instanceof Problem) return taken.failed(error)
      // One delivery may be at fault; the others need not fail with it.
      for (const one of each) await deliver(one)
    }
  }
  const begin = (): void => {
    if (running.size >= AT_ONCE || arrivals.parts === 0) return
    const next = deliver(arrivals.take(MAX_BYTES)).finally(() => {
      running.delete(next)
      begin()
    })
    running.add(next)
  }
  return {
    /** Parts that have come and are not durable yet. */
    get parts(): number {
      return arrivals.parts + arrivals.underWay
    },
    /** Resolves when all of them are durable; rejects when they must be sent again. */
    add(parts: readonly SealedPart[]): Promise<void> {
      const stored = arrivals.add(parts)
      begin()
      return stored
    },
    async idle(): Promise<void> {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
