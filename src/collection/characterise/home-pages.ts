/** Is a URL, known by its keys only, the home page of its site? */
import { hash64 } from '../../base/digest.ts'
import type { Queries } from '../../database/queries.ts'
import { siteAt } from '../site-key.ts'

/** Sites whose home pages are remembered: most links lead to few sites. */
const MOST_SITES = 200_000

export class HomePages {
  readonly #keys = new Map<bigint, readonly [bigint, bigint] | undefined>()

  /** Undefined: the site's name is not known (any more). No rule of normalisation changes a home page's URL. */
  async has(db: Queries, site: bigint, key: bigint): Promise<boolean | undefined> {
    if (!this.#keys.has(site)) {
      if (this.#keys.size >= MOST_SITES) this.#keys.clear()
      this.#keys.set(site, await keysOf(db, site))
    }
    const keys = this.#keys.get(site)
    return keys === undefined ? undefined : key === keys[0] || key === keys[1]
  }
}

async function keysOf(db: Queries, site: bigint): Promise<readonly [bigint, bigint] | undefined> {
  const row = await db.get<{ name: string }>(
    `SELECT name FROM site WHERE bucket = ?1 AND key = ?2
     UNION ALL SELECT name FROM server WHERE bucket = ?1 AND site = ?2 LIMIT 1`,
    ...siteAt(db.dialect, site),
  )
  return row === undefined ? undefined : [hash64(`http://${row.name}/`), hash64(`https://${row.name}/`)]
}
