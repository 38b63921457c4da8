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
import type { Instant } from '../base/clock.ts'
import type { SiteName } from '../visit/visit.ts'
import { registrableDomain } from '../web/url/domain.ts'

/** Hosts of one university, sites of one small server: so many are nobody's flood. */
export const NO_CROWD = 100
/** Enough to see what a domain has to show, and at a pause of seconds the cost of a few minutes. */
export const STRANGERS_ALLOWED = 25

export interface DomainLook {
  name: string
  /** That are known, and of them those that somebody vouches for. */
  sites: number
  vouched: number
  held: number
  wildcard: boolean
  /** What absurd names under it resolve to. */
  addresses: readonly string[]
  probedAt?: Instant
  /** Strangers that may be visited. */
  allowed: number
}

/** Of the `place`-th site of a domain or an address: 0 for the first hundred, then one more each time it doubles. */
export function crowdOf(place: number): number {
  return place <= NO_CROWD ? 0 : 1 + Math.floor(Math.log2(place / NO_CROWD))
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

export function allowedStrangers({ sites, strangers }: { sites: number; strangers: number }): number {
  return STRANGERS_ALLOWED + sites - strangers
}
