/** Patterns of hosts that `--pause-for` and `--resolve` take. A pause shorter than ours is for one's own servers only. */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import { parse as parseDomain } from 'tldts'
import { duration, pair } from './parsers.ts'
import { type Parse, Unfit } from './setting.ts'

export interface HostPause {
  /** `www.example.org`, `*.example.org` (all under it), or an IP address. */
  host: string
  pauseMs: number
}

export interface HostAddress {
  /** A host, `*.example.org`, or `*`. */
  host: string
  ip: string
  port?: number
}

/** RFC 6761: nobody can own these, so whoever answers for them is at home. */
const RESERVED = ['test', 'localhost', 'example', 'invalid']

/** `HOST=0.1s` */
export const pauseFor: Parse<HostPause> = (text) => {
  const [host, pause] = pair(text, 'HOST=DURATION, for instance www.example.org=500ms')
  return { host: ownHost(host), pauseMs: duration({ max: 86_400_000 })(pause) }
}

/**
 * One's own is a registrable domain or what lies under it, an address, or a reserved name. A public suffix (`com`,
 * `co.uk`, `github.io`) belongs to many people, so `*` before it would hurry servers of strangers.
 */
export function ownHost(text: string): string {
  const pattern = hostPattern(text)
  if (isIP(pattern) !== 0) return pattern
  const base = pattern.startsWith('*.') ? pattern.slice(2) : pattern
  if (isReserved(base)) return pattern
  const { domain } = parseDomain(base, { allowPrivateDomains: true, extractHostname: false })
  if (base === '*' || domain === null)
    throw new Unfit(
      `'${text}' names more than your own servers; name a domain that is yours, a host in it, an IP address, or a reserved name such as *.test`,
    )
  return pattern
}

/** `HOST=IP`, `HOST=IP:PORT`, `HOST=[IPV6]:PORT` */
export const resolveAs: Parse<HostAddress> = (text) => {
  const [host, target] = pair(text, 'HOST=IP or HOST=IP:PORT, for instance *.test=127.0.0.1:8080')
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(target)
  const plain = /^([\d.]+)(?::(\d{1,5}))?$/.exec(target)
  const [, ip, port] = bracketed ?? plain ?? [undefined, target, undefined]
  if (isIP(ip) === 0) throw new Unfit(`'${target}' is no IP address; write HOST=127.0.0.1:8080 or HOST=[::1]:8080`)
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65535))
    throw new Unfit(`port ${port} does not exist; ports go from 1 to 65535`)
  return { host: hostPattern(host), ip, ...(port === undefined ? {} : { port: Number(port) }) }
}

/** Lower case, punycode, `.test` read as `*.test`. An asterisk may stand alone or before the first dot, nowhere else. */
function hostPattern(text: string): string {
  const bare = text
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1')
  if (bare === '*' || isIP(bare) !== 0) return bare
  const wild = bare.startsWith('*.') || bare.startsWith('.')
  const base = wild ? bare.slice(bare.indexOf('.') + 1) : bare
  // domainToASCII stops at the end of a host and would take what follows for nothing.
  const ascii = /[\s/\\?#:@%]/.test(base) ? '' : domainToASCII(base)
  if (ascii === '' || !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(ascii))
    throw new Unfit(`'${text}' is no host; write www.example.org, *.example.org or an IP address, without port or path`)
  return wild ? `*.${ascii}` : ascii
}

/** Whether a host (without its port) is one that the pattern names. `*.example.org` does not name `example.org` itself. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1)) && host.length > pattern.length - 1
  return pattern === host
}

/** The pause that the operator set for one's own host or its address; the most exact pattern wins. */
export function pauseForHost(rules: readonly HostPause[], host: string, ip?: string): number | undefined {
  let best: HostPause | undefined
  for (const rule of rules) {
    if (!(hostMatches(rule.host, host) && isOneOwners(rule.host, host)) && rule.host !== ip) continue
    if (best === undefined || exactness(rule.host) > exactness(best.host)) best = rule
  }
  return best?.pauseMs
}

/**
 * `*.amazonaws.com` is one's own only as far as it is one owner's: the names of strangers under a public suffix further
 * down (`alice.s3.amazonaws.com`) keep our usual pause.
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
