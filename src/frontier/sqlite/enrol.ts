import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { crowdOf, type DomainRow, domainOf, HELD, isOwnSite, OPEN, roomIn, STAYS } from '../domains.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { domainFor, writeDomain } from './domain-row.ts'
import type { Rules } from './rules.ts'
import { ADD_STRANGER } from './strangers.ts'
import { hear } from './vouch.ts'

/**
 * A new site takes its place in its domain: behind others where there are many, held where there are too many that nobody
 * vouches for. Changes the site's row, which the caller writes; says in which domain there may be room for others now.
 */
export function enrol(
  tx: SqliteTx,
  rules: Rules,
  site: SiteRow,
  links: readonly Pick<Link, 'via'>[],
  named: boolean,
): DomainRow | undefined {
  const domain = domainFor(tx, domainOf(site.name))
  if (domain === undefined) return undefined
  domain.sites++
  if (!named) site.crowd = Math.max(site.crowd, crowdOf(domain.sites))
  const nobody = { vouched: named, speaker: null }
  const { vouched, speaker } = named ? nobody : hear(tx, rules, site.key, domain.name, links, nobody)
  if (!vouched) {
    domain.strangers++
    const standing = !mayHold(rules, site, domain) ? STAYS : domain.wildcard === 1 && roomIn(domain) < 0 ? HELD : OPEN
    tx.run(ADD_STRANGER, site.key, domain.key, speaker, rules.time.now(), standing)
    rules.strangers.add(tx, site.key)
    if (standing === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  writeDomain(tx, domain)
  return vouched ? domain : undefined
}

export function mayHold(rules: Rules, site: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(site.name, domain.name) && rules.mayHold(site.name)
}
