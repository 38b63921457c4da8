import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type DomainRow, deferralOf, domainOf, HELD, isOwnSite, OPEN, roomIn, STAYS } from '../domains.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { domainFor, writeDomain } from './domain-row.ts'
import { weighReferrers } from './endorse.ts'
import type { FrontierTools } from './tools.ts'
import { ADD_UNENDORSED_SITE } from './unendorsed.ts'

/**
 * A new site takes its place in its domain: behind others where there are many, held where there are too many that nobody
 * vouches for. Changes the site's row, which the caller writes; says in which domain there may be room for others now.
 */
export function registerInDomain(
  tx: SqliteTx,
  tools: FrontierTools,
  site: SiteRow,
  links: readonly Pick<Link, 'via'>[],
  named: boolean,
): DomainRow | undefined {
  const domain = domainFor(tx, domainOf(site.name))
  if (domain === undefined) return undefined
  domain.sites++
  if (!named) site.deferral = Math.max(site.deferral, deferralOf(domain.sites))
  const nobody = { endorsed: named, referrer: null }
  const { endorsed, referrer } = named ? nobody : weighReferrers(tx, tools, site.key, domain.name, links, nobody)
  if (!endorsed) {
    domain.unendorsed++
    const status = !mayHold(tools, site, domain) ? STAYS : domain.wildcard === 1 && roomIn(domain) < 0 ? HELD : OPEN
    tx.run(ADD_UNENDORSED_SITE, site.key, domain.key, referrer, tools.time.now(), status)
    tools.unendorsed.add(tx, site.key)
    if (status === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  writeDomain(tx, domain)
  return endorsed ? domain : undefined
}

export function mayHold(tools: FrontierTools, site: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(site.name, domain.name) && tools.mayHold(site.name)
}
