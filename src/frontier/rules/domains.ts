/**
 * Floods of sites (V12). A domain or an address that shows very many sites is asked after the others, the later the more
 * it shows. In a domain where every name resolves (a wildcard in its DNS) anybody can make up sites: of those that nobody
 * vouches for, *strangers*, some are visited, and more as others are vouched for; the rest is held.
 *
 * A site is vouched for when the operator named it; when a site speaks for it, by a link, that is of another domain
 * without a wildcard, or named by the operator; or when two sites do that are vouched for themselves. What strangers say
 * counts for nothing: a farm of links that vouches for itself stays small, and hosted sites that the web knows bring in
 * those that they know.
 */
import type { Instant } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { registrableDomain } from '../../web/url/domain.ts'

/** Hosts of one university, sites of one small server: so many are nobody's flood. */
export const NOT_DEFERRED = 100
/** Enough to see what a domain has to show, and at a pause of seconds the cost of a few minutes. */
export const UNENDORSED_ALLOWED = 25

export interface DomainView {
  name: string
  /** That are known, and of them those that somebody vouches for. */
  sites: number
  endorsed: number
  held: number
  wildcard: boolean
  /** What absurd names under it resolve to. */
  addresses: readonly string[]
  probedAt?: Instant
  /** Strangers that may be visited. */
  allowed: number
}

/** Of the `place`-th site of a domain or an address: 0 for the first hundred, then one more each time it doubles. */
export function deferralOf(place: number): number {
  return place <= NOT_DEFERRED ? 0 : 1 + Math.floor(Math.log2(place / NOT_DEFERRED))
}

/** Whose site it is: its registrable domain; the host itself for addresses and names without one. Ports do not matter. */
export function domainOf(site: SiteName): string {
  const host = site.replace(/:\d+$/, '')
  return registrableDomain(host) ?? host
}

/** The domain's own site is nobody's invention. */
export function isOwnSite(site: SiteName, domain: string): boolean {
  return site === domain || site === `www.${domain}`
}

export function allowedUnendorsed({ sites, unendorsed }: { sites: number; unendorsed: number }): number {
  return UNENDORSED_ALLOWED + sites - unendorsed
}

/** A domain as its row has it. */
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

/** Strangers that may still be visited; below 0, so many are too many. Only where there is a wildcard is there a bound. */
export function roomIn(domain: DomainRow): number {
  return allowedUnendorsed(domain) - (domain.unendorsed - domain.held)
}

/** What may become of a stranger. */
export const OPEN = 0
export const HELD = 1
/** It was visited before there were too many, or is not to be held. */
export const EXEMPT = 2

/** Rows that one transaction looks at: some milliseconds. What is more is continued with the next `reap`. */
export const MAX_HELD_AT_ONCE = 500
/** Each comes back into the index of those that wait, and at the front of it. */
export const MAX_RELEASED_AT_ONCE = 100
/** Domains that one `reap` looks at. */
export const MAX_PENDING_DOMAINS = 20
const MAX_ADDRESSES = 8
const LONGEST_ADDRESS = 45

/** What a visit tells of where absurd names resolve to, whatever its shape, as the row keeps it. */
export function addressesText(told: unknown): string {
  const few: unknown[] = Array.isArray(told) ? told.slice(0, MAX_ADDRESSES) : []
  return JSON.stringify(few.map((ip) => String(ip).slice(0, LONGEST_ADDRESS)))
}

type LookedAt = Omit<DomainRow, 'key' | 'pending'> & { addresses: string | null; probed_at: number | null }

export function domainView(row: LookedAt): DomainView {
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
