/**
 * What absurd names resolve to (V12, V27). Under a top-level domain such addresses belong to no registered site, and
 * sites found only there are not crawled. Under a domain they show a wildcard: anyone can make up sites there, and the
 * coordinator is told to be careful with new ones. Shared by all visits of a worker; each domain is resolved once a
 * day.
 */
import type { Clock, Millis } from '../base/clock.ts'
import { hash64 } from '../base/digest.ts'
import { keepNewest } from '../base/keep-newest.ts'
import type { Address, Resolve } from '../contracts/exchange.ts'
import type { Learnt } from '../contracts/report.ts'
import { publicSuffix, registrableDomain } from '../web/url/domain.ts'

const LASTS: Millis = 24 * 3_600_000
const MAX_DOMAINS = 10_000
const MAX_ADDRESSES = 8

interface Probed {
  addresses: Promise<readonly Address[]>
  until: Millis
}

/** Absurd names under this suffix have every address of the site. */
export interface Barred {
  suffix: string
  ip: string
}

export class WildcardDns {
  readonly #clock: Clock
  readonly #resolve: Resolve
  readonly #probed = new Map<string, Probed>()

  constructor(clock: Clock, resolve: Resolve) {
    this.#clock = clock
    this.#resolve = resolve
  }

  /** Names that the operator has mapped to an address are not a wildcard. */
  async barredBy(host: string, addresses: readonly Address[], signal: AbortSignal): Promise<Barred | undefined> {
    const suffix = publicSuffix(host)
    if (suffix === undefined || suffix === host || addresses.some(({ named }) => named)) return undefined
    const ips = new Set((await this.#absurd(suffix, signal)).map(({ ip }) => ip))
    const isNobodys = ips.size > 0 && addresses.every(({ ip }) => ips.has(ip))
    return isNobodys ? { suffix, ip: addresses[0].ip } : undefined
  }

  /** Runs in the background: a resolver may take long to say that a name does not exist. */
  async wildcardOf(host: string, signal: AbortSignal): Promise<Learnt['wildcard']> {
    const domain = registrableDomain(host)
    if (domain === undefined) return undefined
    const found = await this.#absurd(domain, signal)
    return found.length === 0 ? undefined : { domain, addresses: found.map(({ ip }) => ip) }
  }

  #absurd(domain: string, signal: AbortSignal): Promise<readonly Address[]> {
    const now = this.#clock.elapsed()
    const known = this.#probed.get(domain)
    if (known !== undefined && now < known.until) return known.addresses
    const addresses = this.#resolve(absurdName(domain), signal).then((answer) => {
      if (answer.kind === 'addresses') return answer.list.slice(0, MAX_ADDRESSES)
      // No answer says nothing about the domain: the next visit tries again.
      if (answer.failure.kind !== 'no-such-name') this.#probed.delete(domain)
      return []
    })
    keepNewest(this.#probed, domain, { addresses, until: now + LASTS }, MAX_DOMAINS)
    return addresses
  }
}

/** Hosts of its own domain that a visit sees before it checks the domain for a wildcard. */
const SIBLINGS = 5

/**
 * Called with every other host that a site's pages name. A domain and its `www.` need no caution themselves, but a page
 * there that names one sibling after the other may lead into a link farm.
 */
export function watchSiblings(host: string, wonder: () => void): (other: string) => void {
  const domain = registrableDomain(host)
  const siblings = new Set<string>()
  return (other) => {
    if (domain === undefined || siblings.size >= SIBLINGS || !other.endsWith(domain)) return
    if (other === host || registrableDomain(other) !== domain) return
    siblings.add(other)
    if (siblings.size === SIBLINGS) wonder()
  }
}

/** Neither a domain itself nor its `www.`: the name may be made up. */
export function isBelowDomain(host: string): boolean {
  const domain = registrableDomain(host)
  return domain !== undefined && host !== domain && host !== `www.${domain}`
}

/** Twenty letters that no one has registered; always the same for a domain, so that resolvers may cache the answer. */
export function absurdName(domain: string): string {
  const letters = (hash64(`absurd ${domain}`) | (1n << 63n)).toString(26).padStart(14, '0')
  const name = [...letters].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')
  return `${name.slice(0, 14)}qzxvkj.${domain}`
}
