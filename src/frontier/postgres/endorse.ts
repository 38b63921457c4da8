import type { SiteName } from '../../contracts/visit.ts'
import { type DomainRow, domainOf, HELD } from '../domains.ts'
import { isNews, type Vias, weighReferrers } from './weigh-referrers.ts'
import type { WorkingSet } from './working-set.ts'

export interface Endorsed {
  domain: DomainRow
  wasHeld: boolean
}

/**
 * A known site is linked to, or named by the operator (`named`); `prepareToWeigh` was told. Undefined when nothing changes:
 * it was vouched for before, or is not yet. Else it is a stranger no more, and the domain's row says so; its own row is the
 * caller's to change.
 */
export function endorse(
  working: WorkingSet,
  site: { key: bigint; name: SiteName },
  links: Vias,
  named: boolean,
): Endorsed | undefined {
  const unendorsedSite = working.unendorsed.get(site.key)
  if (unendorsedSite === undefined || !(named || isNews(working, site.key, links, unendorsedSite.referrer)))
    return undefined
  const domain = working.domains.get(domainOf(site.name))
  if (domain === undefined || domain.key !== unendorsedSite.domain) return undefined
  const before = { endorsed: named, referrer: unendorsedSite.referrer }
  const { endorsed, referrer } = named ? before : weighReferrers(working, site.key, domain.name, links, before)
  if (!endorsed) {
    if (referrer === unendorsedSite.referrer) return undefined
    unendorsedSite.referrer = referrer
    working.unendorsed.change(unendorsedSite)
    return undefined
  }
  const wasHeld = unendorsedSite.status === HELD
  working.unendorsed.remove(unendorsedSite)
  domain.unendorsed--
  if (wasHeld) domain.held--
  working.domains.change(domain)
  return { domain, wasHeld }
}
