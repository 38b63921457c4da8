/**
 * Floods of sites (V12). A domain or an address that shows very many sites is visited after the others, the later the more it
 * shows. In a domain where every name resolves (a DNS wildcard) anybody can make up sites. Of its *unendorsed* sites some are
 * visited, and more as others are endorsed; the rest is held.
 *
 * A site is endorsed when the operator named it, when a site links to it that is in another domain without a wildcard or was
 * named by the operator, or when two endorsed sites link to it. Links from unendorsed sites count for nothing: a link farm that
 * endorses itself stays small, and hosted sites that the web knows bring in those that they know.
 */
import type { Instant } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { Link, VisitReport } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { registrableDomain } from '../../web/url/domain.ts'
import { restAfter, type SiteRow, type SiteWork, stateAfter } from './site.ts'

/** The hosts of a university, the sites of a small server: this many are not a flood. */
export const NOT_DEFERRED = 100
/** Enough to see what a domain has to show; at a pause of seconds it costs a few minutes. */
export const UNENDORSED_ALLOWED = 25

export interface DomainView {
  name: string
  /** Known sites, and of them the endorsed ones. */
  sites: number
  endorsed: number
  held: number
  wildcard: boolean
  /** What made-up names under it resolve to. */
  addresses: readonly string[]
  probedAt?: Instant
  /** Unendorsed sites that may be visited. */
  allowed: number
}

/** Of the `nth` site of a domain or an address: 0 for the first hundred, then one more each time their number doubles. */
export function deferralOf(nth: number): number {
  return nth <= NOT_DEFERRED ? 0 : 1 + Math.floor(Math.log2(nth / NOT_DEFERRED))
}

/** A site's registrable domain; the host itself for addresses and names without one. Ports do not matter. */
export function domainOf(site: SiteName): string {
  const host = site.replace(/:\d+$/, '')
  return registrableDomain(host) ?? host
}

export function allowedUnendorsed({ sites, unendorsed }: { sites: number; unendorsed: number }): number {
  return UNENDORSED_ALLOWED + sites - unendorsed
}

/** A domain's row. */
export interface DomainRow {
  /** Signed, as databases hold it. */
  readonly key: bigint
  readonly name: string
  sites: number
  unendorsed: number
  held: number
  wildcard: number
  pending: number
}

export function domainKey(name: string): bigint {
  return signed64(hash64(name))
}

export function newDomain(name: string): DomainRow {
  return { key: domainKey(name), name, sites: 0, unendorsed: 0, held: 0, wildcard: 0, pending: 0 }
}

/** Unendorsed sites that may still be visited; a negative number is too many. Only domains with a wildcard are bounded. */
export function capacityOf(domain: DomainRow): number {
  return allowedUnendorsed(domain) - (domain.unendorsed - domain.held)
}

/** `hold_state` of an unendorsed site. */
export const HOLDABLE = 0
export const HELD = 1
/** It was visited before there were too many, or must not be held. */
export const EXEMPT = 2

export interface UnendorsedRow {
  readonly site: bigint
  readonly domain: bigint
  /** The one endorsed site that links to it. */
  referrer: bigint | null
  readonly since: Instant
  hold_state: number
}

/** Rows per transaction: some milliseconds. The next `reap` continues. */
export const MAX_HELD_AT_ONCE = 500
/** Each goes back into the index of waiting sites, at its front. */
export const MAX_RELEASED_AT_ONCE = 100
/** Domains per `reap`. */
export const MAX_PENDING_DOMAINS = 20
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

type ViewedRow = Omit<DomainRow, 'key' | 'pending'> & { addresses: string | null; probed_at: number | null }

export function domainView(row: ViewedRow): DomainView {
  return {
    name: row.name,
    sites: row.sites,
    endorsed: row.sites - row.unendorsed,
    held: row.held,
    wildcard: row.wildcard === 1,
    addresses: row.addresses === null ? [] : (JSON.parse(row.addresses) as string[]),
    ...(row.probed_at === null ? {} : { probedAt: row.probed_at }),
    allowed: allowedUnendorsed(row),
  }
}

/** The rows that the rules below read and change. PostgreSQL has read them before, SQLite reads them when asked. */
export interface DomainWork extends SiteWork {
  readonly tools: {
    mayHold(site: SiteName): boolean
    pageOf(url: string): { site: bigint | null; name?: SiteName }
  }
  readonly domains: {
    /** Undefined when it is unknown, or when another name has the same 64 bits. */
    get(name: string): DomainRow | undefined
    /** As `get`, but an unknown one is made. Of two names with the same 64 bits the second is not bounded. */
    for(name: string): DomainRow | undefined
    isWild(name: string): boolean
    change(row: DomainRow): void
  }
  readonly unendorsed: {
    get(site: bigint): UnendorsedRow | undefined
    isUnendorsed(site: bigint): boolean
    add(row: UnendorsedRow): void
    change(row: UnendorsedRow): void
    remove(row: UnendorsedRow): void
  }
  readonly linkingSites: {
    /** 1: the operator named it. Undefined: it is unknown, or not yet registered in its domain. */
    seedOf(site: bigint): number | undefined
  }
}

export type Vias = readonly Pick<Link, 'via'>[]

/** For a URL that the coordinator itself wants: no page links to it. */
export const NO_REFERRER: Vias = [{ via: '' }]

interface Endorsement {
  endorsed: boolean
  /** The one referrer that counts, as long as it is only one. */
  referrer: bigint | null
}

function weighReferrers(
  work: DomainWork,
  site: bigint,
  domain: string,
  links: Vias,
  before: bigint | null,
): Endorsement {
  let referrer = before
  const weighed = new Set<bigint>()
  for (const { via } of links) {
    if (via === '') return { endorsed: true, referrer }
    const { site: from, name } = work.tools.pageOf(via)
    if (from === null || name === undefined || from === site || from === referrer || weighed.has(from)) continue
    weighed.add(from)
    const weight = weightOf(work, from, name, domain)
    if (weight === 2 || (weight === 1 && referrer !== null)) return { endorsed: true, referrer }
    if (weight === 1) referrer = from
  }
  return { endorsed: false, referrer }
}

/** A weight of two is enough. */
function weightOf(work: DomainWork, linkingSite: bigint, name: SiteName, domain: string): 0 | 1 | 2 {
  const own = domainOf(name)
  if (own !== domain && !work.domains.isWild(own)) return 2
  const seed = work.linkingSites.seedOf(linkingSite)
  if (seed === undefined) return 0
  if (seed === 1) return 2
  return work.unendorsed.isUnendorsed(linkingSite) ? 0 : 1
}

/** Menus name the same sites on every page of a site: nothing is looked up for those. */
export function hasNewReferrer(
  { tools }: Pick<DomainWork, 'tools'>,
  site: bigint,
  links: Vias,
  referrer: bigint | null,
): boolean {
  return links.some(({ via }) => {
    const linkingSite = tools.pageOf(via).site
    return linkingSite !== site && linkingSite !== referrer
  })
}

export interface Endorsed {
  domain: DomainRow
  wasHeld: boolean
}

/**
 * A known site is linked to, or named by the operator (`named`). Undefined when nothing changes: it was endorsed before, or is
 * not yet. Otherwise it is endorsed now and its domain's row is changed; the caller changes the site's own row.
 */
export function endorse(
  work: DomainWork,
  site: { key: bigint; name: SiteName },
  links: Vias,
  named: boolean,
): Endorsed | undefined {
  const row = work.unendorsed.get(site.key)
  if (row === undefined || !(named || hasNewReferrer(work, site.key, links, row.referrer))) return undefined
  const domain = work.domains.get(domainOf(site.name))
  if (domain === undefined || domain.key !== row.domain) return undefined
  const { endorsed, referrer } = weighReferrers(work, site.key, domain.name, named ? NO_REFERRER : links, row.referrer)
  if (!endorsed) {
    if (referrer === row.referrer) return undefined
    row.referrer = referrer
    work.unendorsed.change(row)
    return undefined
  }
  const wasHeld = row.hold_state === HELD
  work.unendorsed.remove(row)
  domain.unendorsed--
  if (wasHeld) domain.held--
  work.domains.change(domain)
  return { domain, wasHeld }
}

/**
 * Counts a new site in its domain: deferred where there are many, held where too many are unendorsed. The caller writes the
 * site's row. Returns the domain when it may have others released now.
 */
export function registerInDomain(work: DomainWork, site: SiteRow, links: Vias, named: boolean): DomainRow | undefined {
  const domain = work.domains.for(domainOf(site.name))
  if (domain === undefined) return undefined
  domain.sites++
  if (!named) site.deferral = Math.max(site.deferral, deferralOf(domain.sites))
  const { endorsed, referrer } = weighReferrers(work, site.key, domain.name, named ? NO_REFERRER : links, null)
  if (!endorsed) {
    domain.unendorsed++
    const isOver = domain.wildcard === 1 && capacityOf(domain) < 0
    const hold_state = !mayHold(work, site, domain) ? EXEMPT : isOver ? HELD : HOLDABLE
    work.unendorsed.add({ site: site.key, domain: domain.key, referrer, since: work.now, hold_state })
    if (hold_state === HELD) {
      domain.held++
      site.state = stateAfter(site.state, { kind: 'held' })
    }
  }
  work.domains.change(domain)
  return endorsed ? domain : undefined
}

function mayHold({ tools }: DomainWork, { name }: SiteRow, domain: DomainRow): boolean {
  return !isOwnSite(name, domain.name) && tools.mayHold(name)
}

/** The domain's own site is not made up. */
export function isOwnSite(site: SiteName, domain: string): boolean {
  return site === domain || site === `www.${domain}`
}

/** One of too many: it is held unless it was visited before. Returns whether it is; the caller writes the site. */
export function holdSite(work: DomainWork, domain: DomainRow, site: SiteRow | undefined, row: UnendorsedRow): boolean {
  const isUnvisited = site?.fence === 0 && (site.state === 'waiting' || site.state === 'free')
  const isHeld = site !== undefined && isUnvisited && mayHold(work, site, domain)
  if (isHeld) {
    site.state = stateAfter(site.state, { kind: 'held' })
    domain.held++
  }
  row.hold_state = isHeld ? HELD : EXEMPT
  work.unendorsed.change(row)
  return isHeld
}

/** A held site may be visited after all, as `hold_state` says from now on. */
export function releaseSite(
  work: DomainWork,
  domain: DomainRow,
  site: SiteRow | undefined,
  row: UnendorsedRow,
  holdState: number,
): void {
  row.hold_state = holdState
  work.unendorsed.change(row)
  domain.held--
  if (site !== undefined) release(work, site)
}

/** It waits as if it had just been found; when it was found still counts for its rank. */
export function release(work: SiteWork, site: SiteRow): void {
  site.since = work.now
  restAfter(work, site, 'released')
}
