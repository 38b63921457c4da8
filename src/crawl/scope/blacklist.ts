/**
 * What is never fetched: URLs (and all that begin with them), domains (with all hosts under them), addresses and
 * networks (V15). One per line; the form of a line shows which it is, so one file may hold all three.
 */
import { BlockList, isIP } from 'node:net'
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
  networks: BlockList
  /** Their lines, to name the one that refuses an address. */
  lines: string[]
}

/** Throws a `Problem` that names file and line; a caller that reloads a changed file then keeps the old list. */
export function parseBlacklist(texts: readonly BlacklistText[]): Blacklist {
  const entries: Entries = { domains: new Set(), urls: new Map(), networks: new BlockList(), lines: [] }
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

function add(entries: Entries, entry: string): boolean {
  if (addNetwork(entries.networks, entry)) {
    entries.lines.push(entry)
    return true
  }
  const isUrl = /^https?:\/\//i.test(entry)
  if (!isUrl && (entry.includes('://') || /^[\d.]+\/\d+$/.test(entry))) return false
  const bare = isUrl ? entry : `http://${entry.replace(/^\*?\./, '')}`
  const url = parseUrl(bare)
  // Only the URL parser takes a host such as `1234` for an address: a mistake.
  if (url === undefined || (!isUrl && isIP(bareAddress(url.host)) !== 0 && !entry.includes(url.host))) return false
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

function refusedAddress({ networks, lines }: Entries, ip: string): string | undefined {
  if (!isIn(networks, ip)) return undefined
  const found = lines.find((line) => {
    const one = new BlockList()
    return addNetwork(one, line) && isIn(one, ip)
  })
  return `blacklist: ${found}`
}

/** `192.0.2.7`, `192.0.2.0/24`, `2001:db8::/32`, with or without brackets; false for anything else. */
function addNetwork(networks: BlockList, text: string): boolean {
  const [ip, length, ...more] = text.split('/')
  const address = bareAddress(ip)
  const family = familyOf(address)
  if (family === undefined || more.length > 0) return false
  const bits = family === 'ipv4' ? 32 : 128
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > bits)) return false
  networks.addSubnet(address, Number(length ?? bits), family)
  return true
}

function isIn(networks: BlockList, ip: string): boolean {
  const address = bareAddress(ip)
  const family = familyOf(address)
  return family !== undefined && networks.check(address, family)
}

/** Without brackets; an IPv4 address inside IPv6 (`::ffff:192.0.2.7`) is the IPv4 address. */
function bareAddress(text: string): string {
  const address = text.replace(/^\[|\]$/g, '')
  return /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const version = address.includes('%') ? 0 : isIP(address)
  return version === 0 ? undefined : version === 4 ? 'ipv4' : 'ipv6'
}
