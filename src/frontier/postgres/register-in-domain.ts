import { type DomainRow, deferralOf, domainOf, HELD, isOwnSite, OPEN, roomIn, STAYS } from '../domains.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import type { FrontierTools } from './tools.ts'
import { type Vias, weighReferrers } from './weigh-referrers.ts'
import type { WorkingSet } from './working-set.ts'

/**
 * A new site takes its place in its domain: behind others where there are many, held where there are too many that nobody
 * vouches for; `prepareToWeigh` was told. Says in which domain there may be room for others now.
 */
export function registerInDomain(
  working: WorkingSet,
  site: SiteRow,
  links: Vias,
  named: boolean,
): DomainRow | undefined {
  working.sites.change(site)
  working.sites.enrolled(site.key)
  const domain = working.domains.for(domainOf(site.name))
  if (domain === undefined) return undefined
  domain.sites++
  if (!named) site.deferral = Math.max(site.deferral, deferralOf(domain.sites))
  const nobody = { endorsed: named, referrer: null }
  const { endorsed, referrer } = named ? nobody : weighReferrers(working, site.key, domain.name, links, nobody)
  if (!endorsed) {
    domain.unendorsed++
    const status = holdStatusOf(working.tools, site, domain)
    working.unendorsed.add({ site: site.key, domain: domain.key, referrer, since: working.now, status })
    if (status === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  working.domains.change(domain)
  return endorsed ? domain : undefined
}

function holdStatusOf(tools: FrontierTools, site: SiteRow, domain: DomainRow): number {
  if (!mayHold(tools, site, domain)) return STAYS
  return domain.wildcard === 1 && roomIn(domain) < 0 ? HELD : OPEN
}

export function mayHold(tools: FrontierTools, site: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(site.name, domain.name) && tools.mayHold(site.name)
}
