/** Unendorsed sites. A row belongs to the transaction that has locked its site. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { domainOf, hasNewReferrer } from '../rules/domains.ts'
import type { Rows, Target } from '../rules/rows.ts'
import type { SiteRows } from '../rules/site-rows.ts'
import { readDomains } from './domain-rows.ts'
import { readSeeds, type SharedSite } from './site-rows.ts'

interface Weighing extends Rows {
  readonly tx: PostgresTx
  readonly sites: SiteRows<SharedSite>
  /** Of sites that are not locked. */
  peekUnendorsed(sites: readonly bigint[]): Promise<void>
}

/** What `endorse` and `register` ask for: in one round trip when no site is new or unendorsed, otherwise in two or three. */
export async function readToWeigh(working: Weighing, targets: readonly Target[], named: boolean): Promise<void> {
  const known = targets.filter(({ key }) => !working.sites.isMade(key))
  await working.unendorsed.read(known.map(({ key: site }) => ({ site })))
  const domains = new Set<string>()
  const linkingSites = new Map<bigint, { domain: string; isNear: boolean }>()
  for (const { key, name, members } of targets) {
    const row = working.unendorsed.get({ site: key })
    const matters = row !== undefined && (named || hasNewReferrer(working, key, members, row.referrer))
    if (!matters && !working.sites.isMade(key)) continue
    const domain = domainOf(name)
    domains.add(domain)
    if (named) continue
    for (const { via } of members) {
      const page = working.tools.pageOf(via)
      if (page.site === null || page.name === undefined || page.site === key) continue
      const linkingSite = linkingSites.get(page.site) ?? { domain: domainOf(page.name), isNear: false }
      if (linkingSite.domain === domain) linkingSite.isNear = true
      linkingSites.set(page.site, linkingSite)
    }
  }
  if (domains.size === 0) return
  const others = [...linkingSites.values()].map(({ domain }) => domain)
  await readDomains(working.tx, working.domains, domains, others)
  // A link from another domain without a wildcard is enough, whatever its site is.
  const doubtful = [...linkingSites].filter(([, { domain, isNear }]) => isNear || working.domains.isWild(domain))
  const keys = doubtful.map(([key]) => key)
  await Promise.all([readSeeds(working.tx, working.sites, keys), working.peekUnendorsed(keys)])
}
