/**
 * What is never asked for: URLs (and all that begin so), domains (with all hosts under them), addresses and networks
 * (V15). One a line; what a line is shows in its form, so one file may hold all three kinds.
 */
import { Problem } from '../../base/errors.ts'
import { exactPath, parseUrl, type WebUrl } from '../../web/url/web-url.ts'
import { type AddressRange, inRange, parseRange } from './address-range.ts'

export interface BlacklistText {
  /** For messages: the file's name. */
  name: string
  text: string
}

export interface Blacklist {
  /** The entry that forbids the URL, as the rule to tell; undefined when none does. */
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

/** Throws a `Problem` that names file and line; whoever reloads a changed file keeps the list that was good. */
export function parseBlacklist(texts: readonly BlacklistText[]): Blacklist {
  const entries: Entries = { domains: new Set(), urls: new Map(), ranges: [] }
  for (const { name, text } of texts) {
    const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/)
    lines.forEach((line, i) => {
      const entry = line.replace(/(^|\s)#.*$/, '').trim()
      if (entry !== '' && !add(entries, entry)) {
        throw new Problem('bad-config', `${name}, line ${i + 1}: '${entry.slice(0, 80)}' is no URL, domain or address`)
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
  // A host that only the URL parser takes for an address (`1234`) is a mistake.
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
