/**
 * Strangers of a domain with a wildcard: the newest are held when there are too many, the oldest released when there is
 * room. They are sites of any bucket, met out of the order of locks: those that another transaction has now are left to the
 * next `reap`.
 */
import type { Link, VisitReport } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import {
  addressesText,
  type DomainRow,
  deferralOf,
  domainOf,
  EXEMPT,
  HELD,
  isOwnSite,
  MAX_HELD_AT_ONCE,
  MAX_PENDING_DOMAINS,
  MAX_RELEASED_AT_ONCE,
  OPEN,
  roomIn,
} from '../rules/domains.ts'
import { type SiteRow, stateAfter } from '../rules/site.ts'
import type { FrontierTools } from './tools.ts'
import { readUnendorsed, type UnendorsedRow } from './unendorsed-rows.ts'
import type { WorkingSet } from './working-set.ts'

export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND hold_state = ${OPEN} ORDER BY since DESC, site DESC LIMIT $2`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = $1 AND hold_state = ${HELD} ORDER BY since, site LIMIT $2`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY shard, key LIMIT $1`

/** Of a domain that was read for this transaction. */
export async function balanceDomain(working: WorkingSet, domain: DomainRow): Promise<void> {
  if (domain.wildcard === 0) return
  const { held, pending } = domain
  const room = roomIn(domain)
  if (room < 0) domain.pending = (await holdNewest(working, domain)) ? 1 : 0
  else if (room > 0 && held > 0) domain.pending = (await releaseOldest(working, domain, room)) ? 1 : 0
  else domain.pending = 0
  if (domain.held !== held || domain.pending !== pending) working.domains.change(domain)
}

/** True when there is more to do. */
async function holdNewest(working: WorkingSet, domain: DomainRow): Promise<boolean> {
  for (let left = MAX_HELD_AT_ONCE; left > 0; ) {
    const wanted = Math.min(left, -roomIn(domain))
    if (wanted <= 0) return false
    const { found, idle } = await unendorsedBy(working, READ_NEWEST, domain, wanted, OPEN)
    for (const { site, unendorsedSite } of idle) {
      if (isUnvisited(site) && mayHold(working.tools, site, domain)) {
        site.state = stateAfter(site.state, { kind: 'held' })
        working.sites.change(site)
        unendorsedSite.hold_state = HELD
        domain.held++
      } else unendorsedSite.hold_state = EXEMPT
      working.unendorsed.change(unendorsedSite)
    }
    if (idle.length < found) return true
    if (found < wanted) return false
    left -= found
  }
  return roomIn(domain) < 0
}

function isUnvisited({ fence, state }: SiteRow): boolean {
  return fence === 0 && (state === 'waiting' || state === 'free')
}

async function releaseOldest(working: WorkingSet, domain: DomainRow, room: number): Promise<boolean> {
  const atMost = Math.min(room, MAX_RELEASED_AT_ONCE)
  const { idle } = await unendorsedBy(working, READ_OLDEST_HELD, domain, atMost, HELD)
  for (const { site, unendorsedSite } of idle) {
    unendorsedSite.hold_state = OPEN
    working.unendorsed.change(unendorsedSite)
    domain.held--
    release(working, site)
  }
  return domain.held > 0 && roomIn(domain) > 0
}

interface UnendorsedSite {
  site: SiteRow
  unendorsedSite: UnendorsedRow
}

/** Those that nobody else has now, in their order, as they are once they are this transaction's. */
async function unendorsedBy(
  working: WorkingSet,
  sql: string,
  domain: DomainRow,
  atMost: number,
  hold_state: number,
): Promise<{ found: number; idle: UnendorsedSite[] }> {
  await Promise.all(working.unendorsed.write())
  const keys = (await working.tx.allExact<{ site: bigint }>(sql, domain.key, atMost)).map(({ site }) => site)
  const sites = new Map((await working.sites.lockIdle(keys)).map((site) => [site.key, site]))
  await working.unendorsed.read(sites.keys())
  const idle = keys.flatMap((key): UnendorsedSite[] => {
    const site = sites.get(key)
    const unendorsedSite = working.unendorsed.get(key)
    return site === undefined || unendorsedSite?.hold_state !== hold_state ? [] : [{ site, unendorsedSite }]
  })
  return { found: keys.length, idle }
}

/** It waits as if it had just been found; when it was found still counts for its rank. */
export function release(working: WorkingSet, site: SiteRow): void {
  site.state = stateAfter(site.state, { kind: 'released', left: site.waiting })
  site.since = working.now
  if (site.state === 'waiting') working.beginToWait(site)
  else working.sites.change(site)
}

/** Visits say that every name of their domain resolves. They can speak of their own domain only. */
export async function learnWildcards(
  working: WorkingSet,
  parts: readonly Pick<VisitReport, 'site' | 'learnt'>[],
): Promise<void> {
  const own = parts.filter(({ site, learnt }) => learnt?.wildcard?.domain === domainOf(site))
  if (own.length === 0) return
  await working.domains.lock(own.map(({ site }) => domainOf(site)))
  for (const { site, learnt } of own) {
    const domain = working.domains.for(domainOf(site))
    if (domain === undefined) continue
    domain.wildcard = 1
    working.domains.change(domain, { addresses: addressesText(learnt?.wildcard?.addresses), at: working.now })
    await balanceDomain(working, domain)
  }
}

/** What was too much at once, or not to be had. */
export async function balancePending(working: WorkingSet): Promise<void> {
  const pending = await working.tx.all<{ name: string }>(READ_PENDING_DOMAINS, MAX_PENDING_DOMAINS)
  const names = pending.map(({ name }) => name)
  if (names.length === 0) return
  await working.domains.read(names)
  for (const name of names) {
    const domain = working.domains.get(name)
    if (domain !== undefined) await balanceDomain(working, domain)
  }
}

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
    const hold_state = holdStateOf(working.tools, site, domain)
    working.unendorsed.add({ site: site.key, domain: domain.key, referrer, since: working.now, hold_state })
    if (hold_state === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  working.domains.change(domain)
  return endorsed ? domain : undefined
}

function holdStateOf(tools: FrontierTools, site: SiteRow, domain: DomainRow): number {
  if (!mayHold(tools, site, domain)) return EXEMPT
  return domain.wildcard === 1 && roomIn(domain) < 0 ? HELD : OPEN
}

export function mayHold(tools: FrontierTools, site: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(site.name, domain.name) && tools.mayHold(site.name)
}

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
  const wasHeld = unendorsedSite.hold_state === HELD
  working.unendorsed.remove(unendorsedSite)
  domain.unendorsed--
  if (wasHeld) domain.held--
  working.domains.change(domain)
  return { domain, wasHeld }
}

/** Who speaks for a site, and whether that is enough: the rule of `../rules/domains.ts`. */

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
