/** Host patterns of `--pause-for`, `--resolve` and `--trust`. A shorter pause is allowed for the user's own servers only. */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse as parseDomain } from 'tldts'
import { RULE_NAMES } from '../../crawl/hazards/limits.ts'
import { compileRules, type RegionRule, type RegionRules } from '../../page/change/region-rules.ts'
import { didYouMean } from './nearest.ts'
import { addressAndPort, duration, pair } from './parsers.ts'
import { parser, Unfit } from './setting.ts'

/** RFC 6761: nobody can register these, so whatever answers for them is local. */
const RESERVED = ['test', 'localhost', 'example', 'invalid']

type HostPause = ReturnType<typeof pauseFor>

/** `HOST=0.1s`; a host is `www.example.org`, `*.example.org` (all under it), or an IP address. */
export const pauseFor = parser('HOST=DURATION', (text) => {
  const [host, pause] = pair(text, 'HOST=DURATION, for example www.example.org=500ms')
  return { host: ownHost(host), pauseMs: duration({ max: 86_400_000 })(pause) }
})

/**
 * Accepts a registrable domain, a host under it, an address or a reserved name. A public suffix (`com`, `co.uk`,
 * `github.io`) belongs to many people, so `*` before it would speed up requests to other people's servers.
 */
export function ownHost(text: string): string {
  const pattern = hostPattern(text)
  if (isIP(pattern) !== 0) return pattern
  const base = pattern.startsWith('*.') ? pattern.slice(2) : pattern
  if (isReserved(base)) return pattern
  const { domain } = parseDomain(base, { allowPrivateDomains: true, extractHostname: false })
  if (base === '*' || domain === null)
    throw new Unfit(
      `'${text}' covers more than your own servers; give a domain of yours, a host in it, an IP address or a reserved name such as *.test`,
    )
  return pattern
}

/** `HOST=IP`, `HOST=IP:PORT`, `HOST=[IPV6]:PORT`; a host, `*.example.org`, or `*`. */
export const resolveAs = parser('HOST=IP[:PORT]', (text): { host: string; ip: string; port?: number } => {
  const [host, target] = pair(text, 'HOST=IP or HOST=IP:PORT, for example *.test=127.0.0.1:8080')
  const at = addressAndPort(target)
  if (at === undefined)
    throw new Unfit(
      `'${target}' is not an IP address, with a port or without; write HOST=127.0.0.1:8080 or HOST=[::1]:8080`,
    )
  return { host: hostPattern(host), ...at }
})

/** Lower case, punycode, `.test` read as `*.test`. An asterisk may stand only alone or before the first dot. */
function hostPattern(text: string): string {
  const bare = text
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1')
  if (bare === '*' || isIP(bare) !== 0) return bare
  const wild = bare.startsWith('*.') || bare.startsWith('.')
  const base = wild ? bare.slice(bare.indexOf('.') + 1) : bare
  // domainToASCII ignores whatever follows the host.
  const ascii = /[\s/\\?#:@%]/.test(base) ? '' : domainToASCII(base)
  if (ascii === '' || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii))
    throw new Unfit(
      `'${text}' is not a host; write www.example.org, *.example.org or an IP address, without port or path`,
    )
  return wild ? `*.${ascii}` : ascii
}

/** Whether the pattern matches a host (without port). `*.example.org` does not match `example.org` itself. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
  return pattern === host
}

/** The pause configured for a host or its address; the most specific pattern wins. */
export function pauseForHost(rules: readonly HostPause[], host: string, ip?: string): number | undefined {
  let best: HostPause | undefined
  for (const rule of rules) {
    if (!(hostMatches(rule.host, host) && isOneOwners(rule.host, host)) && rule.host !== ip) continue
    if (best === undefined || exactness(rule.host) > exactness(best.host)) best = rule
  }
  return best?.pauseMs
}

/**
 * `*.amazonaws.com` covers only hosts of the same owner: names under a public suffix further down
 * (`alice.s3.amazonaws.com`) keep the usual pause.
 */
function isOneOwners(pattern: string, host: string): boolean {
  if (!pattern.startsWith('*.') || isReserved(host)) return true
  const domainOf = (name: string) => parseDomain(name, { allowPrivateDomains: true, extractHostname: false }).domain
  return domainOf(host) === domainOf(pattern.slice(2))
}

function isReserved(host: string): boolean {
  return RESERVED.includes(host.slice(host.lastIndexOf('.') + 1))
}

function exactness(pattern: string): number {
  return pattern.startsWith('*') ? pattern.length : 1000 + pattern.length
}

/** `--trust SITE[=RULE,…]`: hazard rules that do not apply to a site, `*.domain`, or `*` for all. No rules: all of them. */
export const trust = parser('SITE[=RULE,…]', (text) => {
  const [site, rules, more] = text.split('=')
  const named = rules === undefined ? [] : rules.split(',')
  const fits =
    more === undefined &&
    /^(\*|(\*\.)?[a-z0-9._-]+(:\d{1,5})?)$/i.test(site) &&
    named.every((name) => /^[a-z0-9-]+$/.test(name))
  if (!fits)
    throw new Unfit(
      `'${text}' is not a site with rules; write www.example.org or *.example.org=endless-sequence,soft-404`,
    )
  const unknown = named.find((name) => !RULES.includes(name))
  if (unknown !== undefined) {
    const hint = didYouMean(unknown, RULES, String) || `; the rules are ${RULES.join(', ')}`
    throw new Unfit(`'${unknown}' is not a hazard rule${hint}`)
  }
  return { site: site.toLowerCase(), rules: named }
})

const RULES: readonly string[] = RULE_NAMES

/** Whether a rule is switched off for a site; the name of `site-urls>=5000` is `site-urls`. */
export function trustOf(trusts: readonly ReturnType<typeof trust>[]): (site: string, rule: string) => boolean {
  if (trusts.length === 0) return () => false
  return (site, rule) => {
    const [name] = rule.split(/[<>= ]/, 1)
    return trusts.some((one) => isOf(one.site, site) && (one.rules.length === 0 || one.rules.includes(name)))
  }
}

/** `--ignore`, `--watch`: a part of the pages of a site. */
export interface SiteRegion extends RegionRule {
  /** A site, `*.domain`, or `*` for all. */
  site: string
}

export const siteRegion = parser('[SITE=]SELECTOR|/PATTERN/', (text): SiteRegion => {
  const [, site = '*', rest] = /^(?:((?:\*\.)?[a-z0-9][a-z0-9._-]*(?::\d{1,5})?)=)?(.*)$/isu.exec(text) ?? []
  const pattern = /^\/(.+)\/$/su.exec(rest)?.[1]
  const rule: RegionRule = pattern === undefined ? { kind: 'selector', text: rest } : { kind: 'pattern', text: pattern }
  try {
    compileRules([rule], [])
  } catch (error) {
    throw new Unfit(
      `'${text}' names no part of a page (${(error as Error).message}); write a CSS selector or a /pattern/: #clock, www.example.org=div.ad, '/Visitors: \\d+/'`,
    )
  }
  return { site: site.toLowerCase(), ...rule }
})

/** What is ignored and watched on a site; compiled once per site. */
export function regionRulesOf(
  ignore: readonly SiteRegion[],
  watch: readonly SiteRegion[],
): (site: string) => RegionRules | undefined {
  if (ignore.length + watch.length === 0) return () => undefined
  const known = new Map<string, RegionRules | undefined>()
  return (site) => {
    if (known.has(site)) return known.get(site)
    const of = (rules: readonly SiteRegion[]) => rules.filter((rule) => isOf(rule.site, site))
    const [ignored, watched] = [of(ignore), of(watch)]
    const rules = ignored.length + watched.length === 0 ? undefined : compileRules(ignored, watched)
    if (known.size >= MAX_KNOWN_SITES) known.clear()
    known.set(site, rules)
    return rules
  }
}

const MAX_KNOWN_SITES = 10_000

function isOf(pattern: string, site: string): boolean {
  return pattern === '*' || pattern === site || hostMatches(pattern, site.replace(/:\d+$/, ''))
}
