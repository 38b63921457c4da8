import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { Admitted, SeedUrl } from '../ledger.ts'
import { sitesOf } from '../sites-of.ts'
import { admit } from './admit.ts'
import type { Rules } from './rules.ts'

export const ADD_SEED = `INSERT OR IGNORE INTO seed (site, key, url, added_at, source) VALUES (?, ?, ?, ?, ?)`

/** A seed given again is enqueued no more than any URL is: once, ever. */
export function addSeeds(tx: SqliteTx, rules: Rules, seeds: readonly SeedUrl[]): Admitted {
  const now = rules.time.now()
  for (const site of sitesOf(seeds))
    for (const { key, url, source = 'given' } of site.members)
      tx.run(ADD_SEED, site.key, signed64(key), url, now, source)
  const links = seeds.map(({ url, key, site, path = '', lastmod }): Link => {
    const link = { url, key, site, depth: 0, via: '', path }
    return lastmod === undefined ? link : { ...link, lastmod }
  })
  return admit(tx, rules, links, true)
}
