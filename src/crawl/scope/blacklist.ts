/**
 * What is never fetched: URLs (and all that begin with them), domains (with all hosts under them), addresses and
 * networks (V15). One per line; the form of a line shows which it is, so one file may hold all three.
 */
import { isIP } from 'node:net'
import { Problem } from '../../base/errors.ts'
import { IpRanges } from '../../base/ip-ranges.ts'
import { keepNewest } from '../../base/keep-newest.ts'
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
  /** Addresses and networks; `texts` as they are written. The last group has room for another. */
  groups: { ranges: IpRanges; texts: string[] }[]
  /** The rules of the last addresses that were refused. */
  refused: Map<string, string>
}

/** To name the line that refuses an address, only one group is searched. A set for every line would take 7 KB each. */
const GROUP = 256
const MAX_REFUSED = 1_000

const newGroup = (): Entries['groups'][0] => ({ ranges: new IpRanges(), texts: [] })

/** Throws a `Problem` that names file and line; a caller that reloads a changed file then keeps the old list. */
export function parseBlacklist(texts: readonly BlacklistText[]): Blacklist {
  const entries: Entries = { domains: new Set(), urls: new Map(), groups: [newGroup()], refused: new Map() }
  for (const { name, text } of texts) {
    linesOf(text).forEach((entry, i) => {
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

/** Without comments: '' where nothing is left. */
export function linesOf(text: string): string[] {
  return text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
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
  if (addRange(entries, entry)) return true
  const isUrl = /^https?:\/\//i.test(entry)
  if (!isUrl && (entry.includes('://') || /^([\d.]+|\[.*\])\/\d+$/.test(entry))) return false
  const bare = isUrl ? entry : `http://${entry.replace(/^\*?\./, '')}`
  const url = parseUrl(bare)
  // Only the URL parser takes a host such as `1234` for an address: a mistake.
  if (url === undefined || (!isUrl && !entry.includes(url.host) && isIP(plainRange(url.host)) > 0)) return false
  const isDomain = !isUrl && !entry.includes('/') && !entry.includes('?') && url.host === url.site
  if (isDomain) entries.domains.add(url.host)
  else {
    const paths = entries.urls.get(url.site) ?? []
    paths.push(exactPath(url))
    entries.urls.set(url.site, paths)
  }
  return true
}

function addRange({ groups }: Entries, entry: string): boolean {
  const { ranges, texts } = groups[groups.length - 1]
  if (!ranges.add(plainRange(entry))) return false
  if (texts.push(entry) === GROUP) groups.push(newGroup())
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

function refusedAddress({ groups, refused }: Entries, host: string): string | undefined {
  const ip = plainRange(host)
  const known = refused.get(ip)
  if (known !== undefined) return known
  const group = groups.find(({ ranges }) => ranges.has(ip))
  if (group === undefined) return undefined
  const rule = `blacklist: ${group.texts.find((text) => new IpRanges([plainRange(text)]).has(ip))}`
  keepNewest(refused, ip, rule, MAX_REFUSED)
  return rule
}

/** Without the brackets of IPv6, and without zeros before IPv4's numbers: `[2001:db8::]/32`, `010.0.0.1`. */
function plainRange(text: string): string {
  if (text.startsWith('[')) return text.replace(/^\[([^/]*:[^/]*)\](?=\/|$)/, '$1')
  return /^\d{1,3}(\.\d{1,3}){3}(\/|$)/.test(text) ? text.replace(/(?<![\d/])0+(?=\d)/g, '') : text
}
