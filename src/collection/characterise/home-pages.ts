/** Is a URL, known by its keys only, the home page of its site? */
import { hash64 } from '../../base/digest.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'

/** Sites whose home pages are remembered: most links lead to few sites. */
const MOST_SITES = 200_000

export class HomePages {
  readonly #keys = new Map<bigint, readonly [bigint, bigint] | undefined>()

  /** Undefined: the site's name is not known (any more). No rule of normalisation changes a home page's URL. */
  has(db: SqliteTx, site: bigint, key: bigint): boolean | undefined {
    if (!this.#keys.has(site)) {
      if (this.#keys.size >= MOST_SITES) this.#keys.clear()
      this.#keys.set(site, keysOf(db, site))
    }
    const keys = this.#keys.get(site)
    return keys === undefined ? undefined : key === keys[0] || key === keys[1]
  }
}

function keysOf(db: SqliteTx, site: bigint): readonly [bigint, bigint] | undefined {
  const row = db.get<{ name: string }>(
    'SELECT name FROM site WHERE key = ?1 UNION ALL SELECT name FROM server WHERE site = ?1 LIMIT 1',
    site,
  )
  return row === undefined ? undefined : [hash64(`http://${row.name}/`), hash64(`https://${row.name}/`)]
}
