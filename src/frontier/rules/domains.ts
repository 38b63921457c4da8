/**
 * Floods of sites (V12). A domain or an address that shows very many sites is visited after the others, the later the more it
 * shows. In a domain where every name resolves (a DNS wildcard) anybody can make up sites. Of its *unendorsed* sites some are
 * visited, and more as others are endorsed; the rest is held.
 *
 * A site is endorsed when the operator named it, when a site links to it that is in another domain without a wildcard or was
 * named by the operator, or when two endorsed sites link to it. Links from unendorsed sites count for nothing: a link farm that
 * endorses itself stays small, and hosted sites that the web knows bring in those that they know.
 */
import type { VisitReport } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { registrableDomain } from '../../web/url/domain.ts'
import { allowedUnendorsed, type DomainRow, EXEMPT, HELD, HOLDABLE, type UnendorsedRow } from './domain-rows.ts'
import type { InTransaction, Rows, Vias } from './rows.ts'
import { deferralOf, restAfter, type SiteRow, stateAfter } from './site.ts'
import { heldAfter, inSteps, newestHoldable, oldestHeld, pendingDomains } from './statements.ts'

/** A site's registrable domain; the host itself for addresses and names without one. Ports do not matter. */
export function domainOf(site: SiteName): string {
  const host = site.replace(/:\d+$/, '')
  return registrableDomain(host) ?? host
}

/** Unendorsed sites that may still be visited; a negative number is too many. Only domains with a wildcard are bounded. */
function capacityOf(domain: DomainRow): number {
  return allowedUnendorsed(domain) - (domain.unendorsed - domain.held)
}

/** Rows per transaction: some milliseconds. The next `reap` continues. */
const MAX_HELD_AT_ONCE = 500
/** Each goes back into the index of waiting sites, at its front. */
const MAX_RELEASED_AT_ONCE = 100
/** Domains per `reap`. */
const MAX_PENDING_DOMAINS = 20
const MAX_ADDRESSES = 8
const LONGEST_ADDRESS = 45

/** The wildcard that a visit reports of its own domain; it can speak of no other. Addresses are as the row keeps them. */
export function wildcardOf({
  site,
  learnt,
}: Pick<VisitReport, 'site' | 'learnt'>): { domain: string; addresses: string } | undefined {
  const domain = domainOf(site)
  if (learnt?.wildcard?.domain !== domain) return undefined
  const reported: unknown = learnt.wildcard.addresses
  const few: unknown[] = Array.isArray(reported) ? reported.slice(0, MAX_ADDRESSES) : []
  return { domain, addresses: JSON.stringify(few.map((ip) => String(ip).slice(0, LONGEST_ADDRESS))) }
}

/** For a URL that the coordinator itself wants: no page links to it. */
export const NO_REFERRER: Vias = [{ via: '' }]

interface Endorsement {
  endorsed: boolean
  /** The only referrer that counts so far. */
  referrer: bigint | null
}

function weighReferrers(rows: Rows, site: bigint, domain: string, links: Vias, before: bigint | null): Endorsement {
  let referrer = before
  const weighed = new Set<bigint>()
  for (const { via } of links) {
    if (via === '') return { endorsed: true, referrer }
    const { site: from, name } = rows.tools.pageOf(via)
    if (from === null || name === undefined || from === site || from === referrer || weighed.has(from)) continue
    weighed.add(from)
    const weight = weightOf(rows, from, name, domain)
    if (weight === 2 || (weight === 1 && referrer !== null)) return { endorsed: true, referrer }
    if (weight === 1) referrer = from
  }
  return { endorsed: false, referrer }
}

/** A weight of two is enough. */
function weightOf(rows: Rows, linkingSite: bigint, name: SiteName, domain: string): 0 | 1 | 2 {
  const own = domainOf(name)
  if (own !== domain && !rows.domains.isWild(own)) return 2
  const seed = rows.sites.seedOf(linkingSite)
  if (seed === undefined) return 0
  if (seed === 1) return 2
  return rows.isUnendorsed(linkingSite) ? 0 : 1
}

/** Menus name the same sites on every page of a site: nothing is looked up for those. */
export function hasNewReferrer(
  { tools }: Pick<Rows, 'tools'>,
  site: bigint,
  links: Vias,
  referrer: bigint | null,
): boolean {
  return links.some(({ via }) => {
    const linkingSite = tools.pageOf(via).site
    return linkingSite !== site && linkingSite !== referrer
  })
}

interface Endorsed {
  domain: DomainRow
  wasHeld: boolean
}

/**
 * A known site is linked to, or named by the operator (`named`). Undefined when nothing changes: it was endorsed before, or is
 * not yet. Otherwise it is endorsed now and its domain's row is changed; the caller changes the site's own row.
 */
export function endorse(
  rows: Rows,
  site: { key: bigint; name: SiteName },
  links: Vias,
  named: boolean,
): Endorsed | undefined {
  const row = rows.unendorsed.get({ site: site.key })
  if (row === undefined || !(named || hasNewReferrer(rows, site.key, links, row.referrer))) return undefined
  const domain = rows.domains.get(domainOf(site.name))
  if (domain === undefined || domain.key !== row.domain) return undefined
  const { endorsed, referrer } = weighReferrers(rows, site.key, domain.name, named ? NO_REFERRER : links, row.referrer)
  if (!endorsed) {
    if (referrer === row.referrer) return undefined
    row.referrer = referrer
    rows.unendorsed.put(row)
    return undefined
  }
  const wasHeld = row.hold_state === HELD
  rows.unendorsed.remove(row)
  domain.unendorsed--
  if (wasHeld) domain.held--
  rows.domains.change(domain)
  return { domain, wasHeld }
}

/**
 * Counts a new site in its domain: deferred where there are many, held where too many are unendorsed. Returns the domain when
 * it may have others released now.
 */
export function register(rows: Rows, site: SiteRow, links: Vias, named: boolean): DomainRow | undefined {
  rows.sites.change(site)
  rows.sites.registered(site.key)
  const domain = rows.domains.for(domainOf(site.name))
  if (domain === undefined) return undefined
  domain.sites++
  if (!named) site.deferral = Math.max(site.deferral, deferralOf(domain.sites))
  const { endorsed, referrer } = weighReferrers(rows, site.key, domain.name, named ? NO_REFERRER : links, null)
  if (!endorsed) {
    domain.unendorsed++
    const isOver = domain.wildcard === 1 && capacityOf(domain) < 0
    const hold_state = !mayHold(rows, site, domain) ? EXEMPT : isOver ? HELD : HOLDABLE
    rows.unendorsed.put({ site: site.key, domain: domain.key, referrer, since: rows.now, hold_state })
    if (hold_state === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  rows.domains.change(domain)
  return endorsed ? domain : undefined
}

function mayHold({ tools }: Rows, { name }: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(name, domain.name) && tools.mayHold(name)
}

/** The domain's own site is not made up. */
export function isOwnSite(site: SiteName, domain: string): boolean {
  return site === domain || site === `www.${domain}`
}

/** One of too many: it is held unless it was visited before. */
function holdSite(rows: Rows, domain: DomainRow, site: SiteRow, row: UnendorsedRow): void {
  const isUnvisited = site.fence === 0 && (site.state === 'waiting' || site.state === 'free')
  const isHeld = isUnvisited && mayHold(rows, site, domain)
  if (isHeld) {
    site.state = stateAfter(site.state, { kind: 'held' })
    domain.held++
    rows.sites.change(site)
  }
  row.hold_state = isHeld ? HELD : EXEMPT
  rows.unendorsed.put(row)
}

/** A held site may be visited after all, as `hold_state` says from now on. */
function releaseSite(rows: Rows, domain: DomainRow, site: SiteRow, row: UnendorsedRow, holdState: number): void {
  row.hold_state = holdState
  rows.unendorsed.put(row)
  domain.held--
  release(rows, site)
}

/** It waits as if it had just been found; when it was found still counts for its rank. */
export function release(rows: Rows, site: SiteRow): void {
  site.since = rows.now
  restAfter(rows, site, 'released')
  rows.sites.change(site)
}

/**
 * Balances a domain with a wildcard: holds its newest unendorsed sites when there are too many, releases the oldest when it may.
 * They can be in any bucket, out of the order of locks: those that another transaction has locked are left to the next `reap`.
 */
export async function balanceDomain(rows: Rows, domain: DomainRow): Promise<void> {
  if (domain.wildcard === 0) return
  const { held, pending } = domain
  const capacity = capacityOf(domain)
  if (capacity < 0) domain.pending = (await holdNewest(rows, domain)) ? 1 : 0
  else if (capacity > 0 && held > 0) domain.pending = (await releaseOldest(rows, domain, capacity)) ? 1 : 0
  else domain.pending = 0
  if (domain.held !== held || domain.pending !== pending) rows.domains.change(domain)
}

/** True when there is more to do. */
async function holdNewest(rows: Rows, domain: DomainRow): Promise<boolean> {
  for (let left = MAX_HELD_AT_ONCE; left > 0; ) {
    const wanted = Math.min(left, -capacityOf(domain))
    if (wanted <= 0) return false
    const { found, idle } = await newestHoldable(rows, domain.key, wanted)
    for (const { site, row } of idle) holdSite(rows, domain, site, row)
    if (idle.length < found) return true
    if (found < wanted) return false
    left -= found
  }
  return capacityOf(domain) < 0
}

async function releaseOldest(rows: Rows, domain: DomainRow, capacity: number): Promise<boolean> {
  const { idle } = await oldestHeld(rows, domain.key, Math.min(capacity, MAX_RELEASED_AT_ONCE))
  for (const { site, row } of idle) releaseSite(rows, domain, site, row, HOLDABLE)
  return domain.held > 0 && capacityOf(domain) > 0
}

/** Visits report that every name of their domain resolves. */
export async function learnWildcards(rows: Rows, parts: readonly VisitReport[]): Promise<void> {
  const wildcards = parts.flatMap((part) => wildcardOf(part) ?? [])
  if (wildcards.length === 0) return
  await rows.lockDomains(wildcards.map(({ domain }) => domain))
  for (const { domain: name, addresses } of wildcards) {
    const domain = rows.domains.for(name)
    if (domain === undefined) continue
    domain.wildcard = 1
    rows.domains.change(domain, { addresses, at: rows.now })
    await balanceDomain(rows, domain)
  }
}

/** The rest of what was too much for one transaction, or locked by another. */
export async function balancePending(rows: Rows): Promise<void> {
  const names = await pendingDomains(rows, MAX_PENDING_DOMAINS)
  if (names.length === 0) return
  await rows.readDomains(names)
  for (const name of names) {
    const domain = rows.domains.get(name)
    if (domain !== undefined) await balanceDomain(rows, domain)
  }
}

const MAX_TRUSTED_AT_ONCE = 1000

/** Releases held sites that the operator does not want held any more. */
export function releaseTrusted(transact: InTransaction): Promise<void> {
  return inSteps(transact, MAX_TRUSTED_AT_ONCE, releaseSome)
}

async function releaseSome(rows: Rows, last: bigint | undefined): Promise<readonly bigint[]> {
  const keys = await heldAfter(rows, last, MAX_TRUSTED_AT_ONCE)
  await rows.lockSites(keys)
  const trusted = keys.flatMap((key) => {
    const site = rows.sites.get(key)
    return site === undefined || rows.tools.mayHold(site.name) ? [] : [site]
  })
  await rows.readToWeigh(
    trusted.map(({ key, name }) => ({ key, name, members: NO_REFERRER })),
    true,
  )
  for (const site of trusted) {
    const row = rows.unendorsed.get({ site: site.key })
    const domain = rows.domains.get(domainOf(site.name))
    if (row?.hold_state !== HELD || domain === undefined) continue
    releaseSite(rows, domain, site, row, EXEMPT)
    rows.domains.change(domain)
  }
  await rows.flush()
  return keys
}
