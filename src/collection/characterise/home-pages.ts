/** Is a URL, known by its keys only, the home page of its site? */
import { hash64 } from '../../base/digest.ts'
import type { Queries } from '../../database/queries.ts'
import { siteAt } from '../site-key.ts'

/** Sites whose home pages are remembered: most links lead to few sites. */
const MOST_SITES = 200_000

export class HomePages {
  readonly #keys = new Map<bigint, readonly [bigint, bigint] | undefined>()

  /** Asks for what is not known of these sites, together: afterwards `has` can tell. */
  async learn(db: Queries, sites: ReadonlySet<bigint>): Promise<void> {
    if (this.#keys.size + sites.size > MOST_SITES) this.#keys.clear()
    const fresh = [...sites].filter((site) => !this.#keys.has(site))
    const found = await Promise.all(fresh.map((site) => keysOf(db, site)))
    for (const [i, site] of fresh.entries()) this.#keys.set(site, found[i])
  }

  /** Undefined: the site's name is not known (any more). No rule of normalisation changes a home page's URL. */
  has(site: bigint, key: bigint): boolean | undefined {
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
