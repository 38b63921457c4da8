/**
 * The looks that were applied, counted apart from the product: at the end every known page must show each of them once. A
 * look counts when the transaction that applied its part has been committed.
 */
import { assert } from '../../src/base/assert.ts'
import type { Instant, Millis } from '../../src/base/clock.ts'
import { signed64 } from '../../src/base/digest.ts'
import type { PageReport, VisitReport } from '../../src/contracts/report.ts'
import type { Database, Tx } from '../../src/database/database.ts'
import type { KnownPageRow, Ledger, SeedPosition } from '../../src/frontier/contract.ts'
import { frontierQueries } from '../../src/frontier/queries.ts'

interface Looks {
  url: string
  count: number
  changes: number
  first: Instant
  last: Instant
}

/** Per look; instants are rounded. */
const ROUNDING: Millis = 2
const ROWS = 1000

export class AppliedLooks {
  readonly #byKey = new Map<bigint, Looks>()
  /** By transaction: what it has applied so far. It may still fail. */
  readonly #staged = new WeakMap<Tx, VisitReport[]>()

  /** Innermost, so that it sees what is committed and what is not. */
  database(inner: Database): Database {
    return {
      ...inner,
      transact: async (work) => {
        let mine: VisitReport[] = []
        const result = await inner.transact((tx) => {
          // It is tried again after a conflict, and begins anew. On SQLite all have the same `tx`, one after the other.
          mine = []
          this.#staged.set(tx, mine)
          return work(tx)
        })
        for (const { pages } of mine) for (const page of pages) this.#look(page)
        return result
      },
    }
  }

  ledger(ledger: Ledger): Ledger {
    return {
      ...ledger,
      applyParts: async (tx, parts) => {
        const results = await ledger.applyParts(tx, parts)
        this.#stagedIn(tx).push(...parts.filter((_, at) => results[at] === 'applied'))
        return results
      },
    }
  }

  /** A machine's power has put its own on top of the transaction. */
  #stagedIn(tx: Tx): VisitReport[] {
    const staged = this.#staged.get(tx)
    if (staged !== undefined) return staged
    const below = Object.getPrototypeOf(tx) as Tx | null
    assert(below !== null, 'parts are applied in a transaction that nobody began')
    return this.#stagedIn(below)
  }

  #look({ key, url, at, outcome, ownRequest }: PageReport): void {
    if (ownRequest || outcome.kind !== 'kept') return
    const known = this.#byKey.get(signed64(key))
    if (known === undefined) this.#byKey.set(signed64(key), { url, count: 1, changes: 0, first: at, last: at })
    else {
      known.count++
      if (outcome.how === 'changed') known.changes++
      known.last = Math.max(known.last, at)
    }
  }

  get count(): number {
    let sum = 0
    for (const { count } of this.#byKey.values()) sum += count
    return sum
  }

  /** What known pages show that was not applied, or do not show though it was. */
  async faults(database: Database): Promise<string[]> {
    const faults: string[] = []
    const rows = await knownRows(database)
    for (const [key, { url, count, changes, first, last }] of this.#byKey) {
      const row = rows.get(key)
      if (row === undefined) {
        faults.push(`looks: ${url} was looked at ${count} times and is not known`)
        continue
      }
      if (row.changes !== changes) faults.push(`looks: ${url} has ${row.changes} changes, and not ${changes}`)
      const [shown, took] = [row.changedMs + row.unchangedMs, last - first]
      if (Math.abs(shown - took) > ROUNDING * count)
        faults.push(`looks: the intervals of ${url} are ${shown} ms, and not ${took} ms`)
      if (Math.abs(row.lookedAt - last) > ROUNDING)
        faults.push(`looks: ${url} was looked at ${row.lookedAt}, and not ${last}`)
    }
    return faults
  }
}

async function knownRows(database: Database): Promise<Map<bigint, KnownPageRow>> {
  const rows = new Map<bigint, KnownPageRow>()
  for (let after: SeedPosition | undefined; ; ) {
    const from = after
    const some = await database.read((tx) => frontierQueries.knownPages(tx, from, ROWS))
    for (const row of some) rows.set(row.key, row)
    after = some.at(-1)
    if (some.length < ROWS) return rows
  }
}
