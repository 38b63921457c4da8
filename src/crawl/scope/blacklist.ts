/**
 * What is never fetched: URLs (and all that begin with them), domains (with all hosts under them), addresses and
 * networks (V15). One per line; the form of a line shows which it is, so one file may hold all three.
 */
import { Problem } from '../../base/errors.ts'
import { exactPath, parseUrl, type WebUrl } from '../../web/url/web-url.ts'

export interface BlacklistText {
  /** The file's name, for messages. */
  name: string
  text: string
}

export interface Blacklist {
  /** The entry that forbids the URL, as a rule to report; undefined when none does. */
  refusesUrl(url: WebUrl): string | undefined
  /** The same for the address that would be connected to. */
  refusesAddress(ip: string): string | undefined
}

interface Entries {
  domains: Set<string>
  /** By site: beginnings of normalised paths. */
  urls: Map<string, string[]>
  ranges: { range: AddressRange; text: string }[]
}

/** Throws a `Problem` that names file and line; a caller that reloads a changed file then keeps the old list. */
export function parseBlacklist(texts: readonly BlacklistText[]): Blacklist {
  const entries: Entries = { domains: new Set(), urls: new Map(), ranges: [] }
  for (const { name, text } of texts) {
    const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
    lines.forEach((line, i) => {
      const entry = line.replace(/(^|\s)#.*$/, '').trim()
      if (entry !== '' && !add(entries, entry)) {
        throw new Problem(
          'bad-config',
          `${name}, line ${i + 1}: '${entry.slice(0, 80)}' is not a URL, domain or address`,
        )
      }
    })
  }
  return {
    refusesUrl: (url) =>
      refusedDomain(entries, url.host) ?? refusedUrl(entries, url) ?? refusedLiteral(entries, url.host),
    refusesAddress: (ip) => refusedAddress(entries, ip),
  }
}

export const emptyBlacklist: Blacklist = { refusesUrl: () => undefined, refusesAddress: () => undefined }

/** A list with more lines. The same object while neither has changed. */
export function withLines(list: () => Blacklist, lines: () => readonly string[]): () => Blacklist {
  let last = { list: list(), lines: [] as readonly string[], both: list() }
  return () => {
    const now = { list: list(), lines: lines() }
    if (now.list === last.list && now.lines === last.lines) return last.both
    last = { ...now, both: now.lines.length === 0 ? now.list : either(now.list, ofLines(now.lines)) }
    return last.both
  }
}

const ofLines = (lines: readonly string[]): Blacklist =>
  parseBlacklist([{ name: "the operator's list", text: lines.join('\n') }])

function either(one: Blacklist, other: Blacklist): Blacklist {
  return {
    refusesUrl: (url) => one.refusesUrl(url) ?? other.refusesUrl(url),
    refusesAddress: (ip) => one.refusesAddress(ip) ?? other.refusesAddress(ip),
  }
}

function add(entries: Entries, entry: string): boolean {
  const range = parseRange(entry)
  if (range !== undefined) {
    entries.ranges.push({ range, text: entry })
    return true
  }
  const isUrl = /^https?:\/\//i.test(entry)
  if (!isUrl && (entry.includes('://') || /^[\d.]+\/\d+$/.test(entry))) return false
  const bare = isUrl ? entry : `http://${entry.replace(/^\*?\./, '')}`
  const url = parseUrl(bare)
  // Only the URL parser takes a host such as `1234` for an address: a mistake.
  if (url === undefined || (!isUrl && parseRange(url.host) !== undefined && !entry.includes(url.host))) return false
  const isDomain = !isUrl && !entry.includes('/') && !entry.includes('?') && url.host === url.site
  if (isDomain) entries.domains.add(url.host)
  else {
    const paths = entries.urls.get(url.site) ?? []
    paths.push(exactPath(url))
    entries.urls.set(url.site, paths)
  }
  return true
}

function refusedDomain({ domains }: Entries, host: string): string | undefined {
  if (domains.size === 0) return undefined
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return `blacklist: ${name}`
    if (!name.includes('.')) return undefined
  }
}

function refusedUrl({ urls }: Entries, url: WebUrl): string | undefined {
  const paths = urls.size === 0 ? undefined : urls.get(url.site)
  if (paths === undefined) return undefined
  const path = exactPath(url)
  const found = paths.find((beginning) => path.startsWith(beginning))
  return found === undefined ? undefined : `blacklist: ${url.site}${found}`
}

/** A URL whose host is an address needs no resolver to be refused. */
function refusedLiteral(entries: Entries, host: string): string | undefined {
  const last = host.charCodeAt(host.length - 1)
  const mayBeAddress = last === 0x5d || (last >= 0x30 && last <= 0x39)
  return mayBeAddress ? refusedAddress(entries, host) : undefined
}

function refusedAddress({ ranges }: Entries, ip: string): string | undefined {
  const found = ranges.find(({ range }) => inRange(range, ip))
  return found === undefined ? undefined : `blacklist: ${found.text}`
}

/** IP addresses and networks as numbers. */

export interface AddressRange {
  readonly bits: 32 | 128
  readonly base: bigint
  /** How many leading bits must be equal. */
  readonly prefix: number
}

interface IpNumber {
  bits: 32 | 128
  value: bigint
}

/** `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`, with or without brackets; undefined for anything else. */
export function parseRange(text: string): AddressRange | undefined {
  const [ip, length, ...more] = text.split('/')
  const number = parseIp(ip)
  if (number === undefined || more.length > 0) return undefined
  if (length === undefined) return { bits: number.bits, base: number.value, prefix: number.bits }
  if (!/^\d{1,3}$/.test(length) || Number(length) > number.bits) return undefined
  return { bits: number.bits, base: number.value, prefix: Number(length) }
}

export function inRange(range: AddressRange, ip: string): boolean {
  const number = parseIp(ip)
  if (number === undefined || number.bits !== range.bits) return false
  const rest = BigInt(range.bits - range.prefix)
  return number.value >> rest === range.base >> rest
}

/** An IPv4 address inside IPv6 (`::ffff:192.0.2.7`) is the IPv4 address. */
function parseIp(text: string): IpNumber | undefined {
  if (/^\d{1,3}(\.\d{1,3}){3}$/.test(text)) {
    const parts = text.split('.').map(Number)
    if (parts.some((part) => part > 255)) return undefined
    return { bits: 32, value: BigInt(((parts[0] * 256 + parts[1]) * 256 + parts[2]) * 256 + parts[3]) }
  }
  const bare = text.replace(/^\[|\]$/g, '')
  if (!/^[0-9a-f:.]{2,45}$/i.test(bare) || !bare.includes(':')) return undefined
  const host = URL.parse(`http://[${bare}]/`)?.hostname
  return host === undefined ? undefined : fromCanonical(host.slice(1, -1))
}

/** The URL parser writes eight groups of hex digits with at most one `::`. */
function fromCanonical(text: string): IpNumber {
  const [head, tail] = text.split('::').map((part) => (part === '' ? [] : part.split(':')))
  const zeros = tail === undefined ? [] : new Array(8 - head.length - tail.length).fill('0')
  let value = 0n
  for (const group of [...head, ...zeros, ...(tail ?? [])]) value = (value << 16n) | BigInt(`0x${group}`)
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value }
}
