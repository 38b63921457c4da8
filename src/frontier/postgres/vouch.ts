import type { SiteName } from '../../contracts/visit.ts'
import { type DomainRow, domainOf, HELD } from '../domains.ts'
import { hear, isNews, type Vias } from './hear.ts'
import type { Sheaf } from './sheaf.ts'

export interface Vouched {
  domain: DomainRow
  wasHeld: boolean
}

/**
 * A known site is linked to, or named by the operator (`named`); `prepareToHear` was told. Undefined when nothing changes:
 * it was vouched for before, or is not yet. Else it is a stranger no more, and the domain's row says so; its own row is the
 * caller's to change.
 */
export function vouch(
  sheaf: Sheaf,
  site: { key: bigint; name: SiteName },
  links: Vias,
  named: boolean,
): Vouched | undefined {
  const stranger = sheaf.strangers.get(site.key)
  if (stranger === undefined || !(named || isNews(sheaf, site.key, links, stranger.speaker))) return undefined
  const domain = sheaf.domains.get(domainOf(site.name))
  if (domain === undefined || domain.key !== stranger.domain) return undefined
  const before = { vouched: named, speaker: stranger.speaker }
  const { vouched, speaker } = named ? before : hear(sheaf, site.key, domain.name, links, before)
  if (!vouched) {
    if (speaker === stranger.speaker) return undefined
    stranger.speaker = speaker
    sheaf.strangers.change(stranger)
    return undefined
  }
  const wasHeld = stranger.standing === HELD
  sheaf.strangers.remove(stranger)
  domain.strangers--
  if (wasHeld) domain.held--
  sheaf.domains.change(domain)
  return { domain, wasHeld }
}
