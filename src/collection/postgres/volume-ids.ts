/** The ids of volumes, which never change once they are given. */
import type { PostgresTx } from '../../database/postgres/tx.ts'

const READ = 'SELECT id, name FROM volume WHERE name = ANY($1::text[])'
/** Sorted: two transactions that meet the same new volumes at the same time do not wait for each other. */
const ADD = 'INSERT INTO volume (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING'

/** A crawl writes some volumes at a time; those long closed may be forgotten. */
const MAX_KEPT = 10_000

export class VolumeIds {
  readonly #known = new Map<string, number>()

  /** Of what is new in this transaction nothing is remembered yet: `remember` it when that is durable. */
  async of(tx: PostgresTx, names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    // A copy, for what is remembered may be forgotten while the transaction goes on.
    const ids = new Map<string, number>()
    const missing: string[] = []
    for (const name of [...new Set(names)].sort()) {
      const id = this.#known.get(name)
      if (id === undefined) missing.push(name)
      else ids.set(name, id)
    }
    if (missing.length === 0) return ids
    const [, rows] = await Promise.all([tx.run(ADD, missing), tx.all<{ id: number; name: string }>(READ, missing)])
    for (const { id, name } of rows) ids.set(name, id)
    return ids
  }

  remember(ids: ReadonlyMap<string, number>): void {
    if (this.#known.size > MAX_KEPT) this.#known.clear()
    for (const [name, id] of ids) this.#known.set(name, id)
  }
}
