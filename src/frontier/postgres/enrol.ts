import { crowdOf, type DomainRow, domainOf, HELD, isOwnSite, OPEN, roomIn, STAYS } from '../domains.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { hear, type Vias } from './hear.ts'
import type { Rules } from './rules.ts'
import type { Sheaf } from './sheaf.ts'

/**
 * A new site takes its place in its domain: behind others where there are many, held where there are too many that nobody
 * vouches for; `prepareToHear` was told. Says in which domain there may be room for others now.
 */
export function enrol(sheaf: Sheaf, site: SiteRow, links: Vias, named: boolean): DomainRow | undefined {
  sheaf.sites.change(site)
  sheaf.sites.enrolled(site.key)
  const domain = sheaf.domains.for(domainOf(site.name))
  if (domain === undefined) return undefined
  domain.sites++
  if (!named) site.crowd = Math.max(site.crowd, crowdOf(domain.sites))
  const nobody = { vouched: named, speaker: null }
  const { vouched, speaker } = named ? nobody : hear(sheaf, site.key, domain.name, links, nobody)
  if (!vouched) {
    domain.strangers++
    const standing = standingOf(sheaf.rules, site, domain)
    sheaf.strangers.add({ site: site.key, domain: domain.key, speaker, since: sheaf.now, standing })
    if (standing === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  sheaf.domains.change(domain)
  return vouched ? domain : undefined
}

function standingOf(rules: Rules, site: SiteRow, domain: DomainRow): number {
  if (!mayHold(rules, site, domain)) return STAYS
  return domain.wildcard === 1 && roomIn(domain) < 0 ? HELD : OPEN
}

export function mayHold(rules: Rules, site: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(site.name, domain.name) && rules.mayHold(site.name)
}
