/** The ids of volumes, which never change once they are given. */
import type { PostgresTx } from '../../database/postgres/tx.ts'

const READ = 'SELECT id, name FROM volume WHERE name = ANY($1::text[])'
/** Sorted: two transactions that meet the same new volumes at the same time do not wait for each other. */
const ADD = 'INSERT INTO volume (name) SELECT unnest($1::text[]) ON CONFLICT (name) DO NOTHING'

/** A crawl writes some volumes at a time; those long closed may be forgotten. */
const MOST_KEPT = 10_000

export class VolumeIds {
  readonly #known = new Map<string, number>()

  /** Of what is new in this transaction nothing is remembered yet: `remember` it when that is durable. */
  async of(tx: PostgresTx, names: Iterable<string>): Promise<ReadonlyMap<string, number>> {
    const wanted = [...new Set(names)].sort()
    const missing = wanted.filter((name) => !this.#known.has(name))
    if (missing.length === 0) return this.#known
    const [, rows] = await Promise.all([tx.run(ADD, missing), tx.all<{ id: number; name: string }>(READ, missing)])
    return new Map([...this.#known, ...rows.map(({ id, name }) => [name, id] as const)])
  }

  remember(ids: ReadonlyMap<string, number>): void {
    if (ids === this.#known) return
    if (this.#known.size > MOST_KEPT) this.#known.clear()
    for (const [name, id] of ids) this.#known.set(name, id)
  }
}
