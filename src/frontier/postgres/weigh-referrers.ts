/** Who speaks for a site, and whether that is enough: the rule of `../domains.ts`. */
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { domainOf } from '../domains.ts'
import { readUnendorsed, type UnendorsedRow } from './unendorsed-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** Sites by what they say of one. */
export interface Endorsement {
  endorsed: boolean
  /** The one that counts, as long as it is only one. */
  referrer: bigint | null
}

export type Vias = readonly Pick<Link, 'via'>[]

/** A locked site, and the links into it. */
export interface Target {
  readonly key: bigint
  readonly name: SiteName
  readonly members: Vias
}

/**
 * Reads what `vouch` and `enrol` ask for: in one round trip when nobody is new or a stranger, else in two or three.
 * `named`: by the operator.
 */
export async function prepareToWeigh(working: WorkingSet, targets: readonly Target[], named: boolean): Promise<void> {
  const known = targets.filter(({ key }) => !working.sites.isMade(key))
  await working.unendorsed.read(known.map(({ key }) => key))
  const domains = new Set<string>()
  const linkingSites = new Map<bigint, { domain: string; isNear: boolean }>()
  for (const { key, name, members } of targets) {
    const unendorsedSite = working.unendorsed.get(key)
    const matters = unendorsedSite !== undefined && (named || isNews(working, key, members, unendorsedSite.referrer))
    if (!matters && !working.sites.isMade(key)) continue
    const domain = domainOf(name)
    domains.add(domain)
    if (named) continue
    for (const { via } of members) {
      const page = working.pageOf(via)
      if (page.site === null || page.name === undefined || page.site === key) continue
      const linkingSite = linkingSites.get(page.site) ?? { domain: domainOf(page.name), isNear: false }
      if (linkingSite.domain === domain) linkingSite.isNear = true
      linkingSites.set(page.site, linkingSite)
    }
  }
  if (domains.size === 0) return
  await working.domains.read(
    domains,
    [...linkingSites.values()].map(({ domain }) => domain),
  )
  // A voice from far away, where nobody can make up sites, is believed whoever it is.
  const doubtful = [...linkingSites].filter(([, { domain, isNear }]) => isNear || working.domains.isWild(domain))
  const keys = doubtful.map(([key]) => key)
  await Promise.all([working.linkingSites.peek(keys), working.unendorsed.peek(keys)])
}

export function weighReferrers(
  working: WorkingSet,
  site: bigint,
  domain: string,
  links: Vias,
  before: Endorsement,
): Endorsement {
  let { referrer } = before
  const heard = new Set<bigint>()
  for (const { via } of links) {
    // No page has it: the coordinator itself wants it.
    if (via === '') return { endorsed: true, referrer }
    const { site: linkingSite, name } = working.pageOf(via)
    if (
      linkingSite === null ||
      name === undefined ||
      linkingSite === site ||
      linkingSite === referrer ||
      heard.has(linkingSite)
    )
      continue
    heard.add(linkingSite)
    const weight = weightOf(working, linkingSite, name, domain)
    if (weight === 2 || (weight === 1 && referrer !== null)) return { endorsed: true, referrer }
    if (weight === 1) referrer = linkingSite
  }
  return { endorsed: false, referrer }
}

/** Two are enough. */
function weightOf(working: WorkingSet, linkingSite: bigint, name: SiteName, domain: string): 0 | 1 | 2 {
  const own = domainOf(name)
  if (own !== domain && !working.domains.isWild(own)) return 2
  const seed = working.linkingSites.seedOf(linkingSite)
  if (seed === undefined) return 0
  if (seed === 1) return 2
  return working.unendorsed.isUnendorsed(linkingSite) ? 0 : 1
}

/** Menus name the same sites on every page of a site: nothing is looked up for those. */
export function isNews(working: WorkingSet, site: bigint, links: Vias, referrer: bigint | null): boolean {
  return links.some(({ via }) => {
    const linkingSite = working.pageOf(via).site
    return linkingSite !== site && linkingSite !== referrer
  })
}

export interface Unendorsed {
  unendorsed: ReadonlyMap<bigint, UnendorsedRow>
  /** Those to whom a link is news. */
  hearing: ReadonlySet<bigint>
}

/** Of sites that are not locked. */
export async function unendorsedAmong(working: WorkingSet, targets: readonly Target[]): Promise<Unendorsed> {
  const unendorsed = await readUnendorsed(
    working.tx,
    targets.map(({ key }) => key),
  )
  const hearing = targets.filter(({ key, members }) => {
    const unendorsedSite = unendorsed.get(key)
    return unendorsedSite !== undefined && isNews(working, key, members, unendorsedSite.referrer)
  })
  return { unendorsed, hearing: new Set(hearing.map(({ key }) => key)) }
}
