import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SeedUrl } from '../ledger.ts'
import { GONE, NOT_FOUND } from '../mark.ts'
import { stateAfter } from '../site.ts'
import { sitesOf } from '../sites-of.ts'
import { readSite } from './read-site.ts'
import type { Rules } from './rules.ts'
import { wake } from './wake.ts'
import { forgetMemory } from './write-memory.ts'
import { writeSite } from './write-site.ts'

/** What was marked when the site was given up cannot be told from what was gone before: all of it is asked for once more. */
export const REVIVE_GONE = `UPDATE url SET mark = 0, due_at = 0, tries = 0 WHERE site = ? AND mark IN (${GONE}, ${NOT_FOUND})`

/** Says how many sites that had been given up wait again. */
export function tryAgain(tx: SqliteTx, rules: Rules, seeds: readonly SeedUrl[]): number {
  let revived = 0
  for (const { key, name } of sitesOf(seeds)) {
    const site = readSite(tx, key)
    if (site?.state !== 'barred' || site.name !== name) continue
    site.state = stateAfter(site.state, { kind: 'tried-again' })
    site.reason = null
    site.waiting += tx.run(REVIVE_GONE, key)
    // It counts the tries that were used up.
    forgetMemory(tx, key)
    if (site.waiting > 0) wake(tx, rules, site)
    writeSite(tx, site)
    revived++
  }
  return revived
}
