/**
 * Resolves names by c-ares, never by `dns.lookup`, whose four pool threads would stall thousands of sites. Answers are cached
 * for their TTL (within bounds), failures briefly. Equal queries in flight are merged.
 */
import { Resolver } from 'node:dns'
import { isIP } from 'node:net'
import type { Clock, Millis } from '../base/clock.ts'
import { keepNewest } from '../base/keep-newest.ts'
import type { Address, Resolve } from '../contracts/exchange.ts'
import { failed } from './failure.ts'
import { isPrivateName } from './guard.ts'

export interface ResolverOptions {
  clock: Clock
  /** `IP` or `IP:PORT`; the machine's own when not given. */
  servers?: readonly string[]
  /** Their addresses are exempt from the guard: the operator named them. */
  overrides: readonly ResolveOverride[]
  guard: (ip: string) => boolean
  /** Resolve names reserved for private use, too. */
  allowPrivate: boolean
  /** The text of `/etc/hosts`, or ''. */
  hosts: string
  /** Names cached at most; the least recently used goes first. */
  cacheNames: number
  ttl: { min: Millis; max: Millis; failure: Millis; noSuchName: Millis }
  timeoutMs: Millis
  tries: number
  /** Queries in flight at most; others wait in line. */
  atOnce: number
}

/** The usual bounds of `ResolverOptions`. */
export const RESOLVER_BOUNDS = {
  cacheNames: 100_000,
  ttl: { min: 60_000, max: 86_400_000, failure: 30_000, noSuchName: 300_000 },
  timeoutMs: 5_000,
  tries: 3,
  atOnce: 200,
} as const

type Answered = Awaited<ReturnType<Resolve>>

interface Known {
  answer: Answered
  until: Millis
}

/** Of one name. */
const MAX_ADDRESSES = 16
const LONGEST_NAME = 253

export function cAresResolver(options: ResolverOptions): Resolve {
  const { clock, guard } = options
  const usable = (host: string, ips: readonly string[]): Answered =>
    options.allowPrivate || !isPrivateName(host)
      ? guarded(ips, guard)
      : failed('address-refused', `a name reserved for private use: ${host}`)
  const hosts = parseHosts(options.hosts)
  const cache = new Map<string, Known>()
  const underWay = new Map<string, Promise<Answered>>()
  const ask = limited(options.atOnce, dnsQuery(options))

  const remember = (host: string, answer: Answered, ttl: Millis): Answered => {
    keepNewest(cache, host, { answer, until: clock.elapsed() + ttl }, options.cacheNames)
    return answer
  }

  const question = async (host: string): Promise<Answered> => {
    const found = await ask(host)
    if (typeof found === 'string') {
      const kind = found === 'ENOTFOUND' ? 'no-such-name' : 'dns'
      return remember(host, failed(kind, found), kind === 'dns' ? options.ttl.failure : options.ttl.noSuchName)
    }
    const ttl = Math.min(Math.max(found.ttl * 1000, options.ttl.min), options.ttl.max)
    return remember(host, usable(host, found.ips), ttl)
  }

  return async (name, signal) => {
    const host = plainName(name)
    const sent = overrideOf(host, options.overrides)
    if (sent !== undefined) return { kind: 'addresses', list: [sent] }
    if (isIP(host) !== 0) return guarded([host], guard)
    if (host === '' || host.length > LONGEST_NAME) return failed('no-such-name', 'no host name')
    if (host === 'localhost' || host.endsWith('.localhost')) return usable(host, ['127.0.0.1', '::1'])
    const local = hosts.get(host)
    if (local !== undefined) return usable(host, local)
    const known = cache.get(host)
    if (known !== undefined && known.until > clock.elapsed()) {
      keepNewest(cache, host, known, options.cacheNames)
      return known.answer
    }
    let asked = underWay.get(host)
    if (asked === undefined) {
      asked = question(host).finally(() => underWay.delete(host))
      underWay.set(host, asked)
    }
    return unlessAborted(asked, signal)
  }
}

interface Found {
  ips: string[]
  /** Seconds. */
  ttl: number
}

/** Queries IPv4, and IPv6 only if there is none: half the queries, and most machines reach IPv4. Errors are returned as codes. */
function dnsQuery(options: ResolverOptions): (host: string) => Promise<Found | string> {
  const resolver = new Resolver({ timeout: options.timeoutMs, tries: options.tries })
  if (options.servers !== undefined) resolver.setServers([...options.servers])
  const query = (host: string, version: 4 | 6): Promise<Found | string> =>
    new Promise((resolve) => {
      const answered = (error: NodeJS.ErrnoException | null, records: { address: string; ttl: number }[]) => {
        if (error !== null) return resolve(error.code ?? 'EUNKNOWN')
        if (records.length === 0) return resolve('ENODATA')
        const some = records.slice(0, MAX_ADDRESSES)
        resolve({ ips: some.map((record) => record.address), ttl: Math.min(...some.map((record) => record.ttl)) })
      }
      try {
        if (version === 4) resolver.resolve4(host, { ttl: true }, answered)
        else resolver.resolve6(host, { ttl: true }, answered)
      } catch (error) {
        // c-ares throws for names it cannot encode.
        resolve((error as NodeJS.ErrnoException).code ?? 'EBADNAME')
      }
    })
  return async (host) => {
    const four = await query(host, 4)
    if (four !== 'ENODATA') return badNameIsNone(four)
    const six = await query(host, 6)
    return six === 'ENODATA' ? 'ENODATA' : badNameIsNone(six)
  }
}

/** A name that cannot be encoded does not exist. */
function badNameIsNone(found: Found | string): Found | string {
  return found === 'EBADNAME' ? 'ENOTFOUND' : found
}

/** At most `atOnce` at a time, first come, first served. */
function limited<T>(atOnce: number, work: (host: string) => Promise<T>): (host: string) => Promise<T> {
  const line: (() => void)[] = []
  let busy = 0
  return async (host) => {
    if (busy >= atOnce) await new Promise<void>((go) => line.push(go))
    else busy++
    try {
      return await work(host)
    } finally {
      // The slot goes directly to the next in line, so that no newcomer can overtake.
      const next = line.shift()
      if (next === undefined) busy--
      else next()
    }
  }
}

function guarded(ips: readonly string[], guard: (ip: string) => boolean): Answered {
  const list: Address[] = []
  for (const ip of ips) if (guard(ip)) list.push({ ip })
  return list.length > 0
    ? { kind: 'addresses', list }
    : failed('address-refused', `not a public address: ${ips.slice(0, 3).join(', ')}`)
}

function unlessAborted(asked: Promise<Answered>, signal: AbortSignal): Promise<Answered> {
  const aborted = failed('dns', 'aborted')
  if (signal.aborted) return Promise.resolve(aborted)
  return new Promise((resolve) => {
    const stop = () => resolve(aborted)
    signal.addEventListener('abort', stop, { once: true })
    asked.then((answer) => {
      signal.removeEventListener('abort', stop)
      resolve(answer)
    })
  })
}

/** Lower case, without the root's dot and the brackets of IPv6. */
function plainName(name: string): string {
  const lower = name.toLowerCase()
  if (lower.startsWith('[') && lower.endsWith(']')) return lower.slice(1, -1)
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}

/** `--resolve HOST=IP:PORT`, as in `curl --resolve`. */
export interface ResolveOverride extends Address {
  /** A host in lower case, or `*.test` for every name below `test`, or `*`. */
  host: string
}

/** The exact name first, then the longest pattern. */
export function overrideOf(host: string, overrides: readonly ResolveOverride[]): Address | undefined {
  let best: ResolveOverride | undefined
  for (const override of overrides) {
    if (override.host === host) return addressOf(override)
    const matches = override.host === '*' || (override.host.startsWith('*.') && host.endsWith(override.host.slice(1)))
    if (matches && override.host.length > (best?.host.length ?? 0)) best = override
  }
  return best === undefined ? undefined : addressOf(best)
}

function addressOf({ ip, port }: ResolveOverride): Address {
  return port === undefined ? { ip, named: true } : { ip, port, named: true }
}

const MAX_NAMES = 100_000

/** The names of an `/etc/hosts`, IPv4 before IPv6. */
function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [ip, ...hosts] = line.replace(/#.*/, '').trim().split(/\s+/)
    if (isIP(ip) === 0 || ip.includes('%')) continue
    for (const host of hosts) {
      const name = host.toLowerCase()
      const list = names.get(name)
      if (list !== undefined) list.push(ip)
      else if (names.size < MAX_NAMES) names.set(name, [ip])
    }
  }
  for (const list of names.values()) list.sort((a, b) => isIP(a) - isIP(b))
  return names
}
