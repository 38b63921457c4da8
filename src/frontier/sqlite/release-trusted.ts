import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { domainOf, HELD, STAYS } from '../domains.ts'
import { release } from './balance-domain.ts'
import { readDomain, writeDomain } from './domain-row.ts'
import { readSite } from './read-site.ts'
import type { Rules } from './rules.ts'
import { WRITE_STANDING } from './strangers.ts'
import { writeSite } from './write-site.ts'

export const READ_HELD_FROM = `SELECT site FROM stranger WHERE site >= ? AND standing = ${HELD} ORDER BY site LIMIT ?`
const MOST_AT_ONCE = 1000

/** Held sites that the operator does not want held any more, some at a time; says with which key to go on. */
export function releaseTrusted(tx: SqliteTx, rules: Rules, from: bigint): bigint | undefined {
  const held = tx.allExact<{ site: bigint }>(READ_HELD_FROM, from, MOST_AT_ONCE)
  for (const { site: key } of held) {
    const site = readSite(tx, key)
    const domain = site === undefined ? undefined : readDomain(tx, domainOf(site.name))
    if (site === undefined || domain === undefined || rules.mayHold(site.name)) continue
    tx.run(WRITE_STANDING, STAYS, key)
    domain.held--
    writeDomain(tx, domain)
    release(tx, rules, site)
    writeSite(tx, site)
  }
  return held.length < MOST_AT_ONCE ? undefined : held[held.length - 1].site + 1n
}
