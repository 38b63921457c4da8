/** Who speaks for a site, and whether that is enough: the rule of `../domains.ts`. */

import type { Link } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type DomainRow, domainOf, HELD } from '../domains.ts'
import { readDomain, writeDomain } from './domain-row.ts'
import { pageOf } from './enqueue.ts'
import type { FrontierTools } from './tools.ts'
import { REMOVE_UNENDORSED_SITE, WRITE_REFERRER } from './unendorsed.ts'

export const READ_IS_SEED = `SELECT seed FROM site WHERE key = ?`

/** Sites by what they say of one. */
export interface Endorsement {
  endorsed: boolean
  /** The one that counts, as long as it is only one. */
  referrer: bigint | null
}

type Links = readonly Pick<Link, 'via'>[]

export function weighReferrers(
  tx: SqliteTx,
  tools: FrontierTools,
  site: bigint,
  domain: string,
  links: Links,
  before: Endorsement,
): Endorsement {
  let { referrer } = before
  const heard = new Set<bigint>()
  for (const { via } of links) {
    // No page has it: the coordinator itself wants it.
    if (via === '') return { endorsed: true, referrer }
    const { site: linkingSite, name } = pageOf(tx, via)
    if (
      linkingSite === null ||
      name === undefined ||
      linkingSite === site ||
      linkingSite === referrer ||
      heard.has(linkingSite)
    )
      continue
    heard.add(linkingSite)
    const weight = weightOf(tx, tools, linkingSite, name, domain)
    if (weight === 2 || (weight === 1 && referrer !== null)) return { endorsed: true, referrer }
    if (weight === 1) referrer = linkingSite
  }
  return { endorsed: false, referrer }
}

/** Two are enough. */
function weightOf(tx: SqliteTx, tools: FrontierTools, linkingSite: bigint, name: string, domain: string): 0 | 1 | 2 {
  const own = domainOf(name)
  if (own !== domain && readDomain(tx, own)?.wildcard !== 1) return 2
  const known = tx.get<{ seed: number }>(READ_IS_SEED, linkingSite)
  if (known === undefined) return 0
  if (known.seed === 1) return 2
  return tools.unendorsed.read(tx, linkingSite) === undefined ? 1 : 0
}

/** Menus name the same sites on every page of a site: nothing is looked up for those. */
function isNews(tx: SqliteTx, site: bigint, links: Links, referrer: bigint | null): boolean {
  return links.some(({ via }) => {
    const linkingSite = pageOf(tx, via).site
    return linkingSite !== site && linkingSite !== referrer
  })
}

export interface Endorsed {
  domain: DomainRow
  wasHeld: boolean
}

/**
 * A known site is linked to, or named by the operator (`named`). Undefined when nothing changes: it was vouched for before,
 * or is not yet. Else it is a stranger no more, and the domain's row says so; its own row is the caller's to change.
 */
export function endorse(
  tx: SqliteTx,
  tools: FrontierTools,
  site: { key: bigint; name: string },
  links: Links,
  named: boolean,
): Endorsed | undefined {
  const unendorsedSite = tools.unendorsed.read(tx, site.key)
  if (unendorsedSite === undefined || !(named || isNews(tx, site.key, links, unendorsedSite.referrer))) return undefined
  const domain = readDomain(tx, domainOf(site.name))
  if (domain === undefined || domain.key !== unendorsedSite.domain) return undefined
  const { endorsed, referrer } = named
    ? { endorsed: true, referrer: unendorsedSite.referrer }
    : weighReferrers(tx, tools, site.key, domain.name, links, { endorsed: false, referrer: unendorsedSite.referrer })
  if (!endorsed) {
    if (referrer !== unendorsedSite.referrer) tx.run(WRITE_REFERRER, referrer, site.key)
    return undefined
  }
  const wasHeld = Number(unendorsedSite.status) === HELD
  tx.run(REMOVE_UNENDORSED_SITE, site.key)
  domain.unendorsed--
  if (wasHeld) domain.held--
  writeDomain(tx, domain)
  return { domain, wasHeld }
}
