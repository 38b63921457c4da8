/** The part of the web that is wanted (C9). Schemes never matter here. */
import { domainToASCII } from 'node:url'
import { getDomain } from 'tldts'
import { exactPath, type WebUrl } from '../../web/url/web-url.ts'

/** `tld` may name several, with commas (`br,pt`), and suffixes of more than one label (`gov.br`). */
export type ScopeMode = 'page' | 'prefix' | 'host' | 'domain' | { tld: string } | { surt: string }

export interface Region {
  /** For explanations: `host`, `tld:br`. */
  readonly name: string
  holds(url: WebUrl): boolean
}

/** `page`, `prefix`, `host`, `domain`, `tld:br,pt`, `surt:org,example,`; undefined for anything else. */
export function parseScopeMode(text: string): ScopeMode | undefined {
  if (text === 'page' || text === 'prefix' || text === 'host' || text === 'domain') return text
  const colon = text.indexOf(':')
  const rest = text.slice(colon + 1).trim()
  if (colon < 0 || rest === '') return undefined
  const kind = text.slice(0, colon).toLowerCase()
  return kind === 'tld' ? { tld: rest } : kind === 'surt' ? { surt: rest } : undefined
}

export function makeRegion(mode: ScopeMode, seeds: readonly WebUrl[]): Region {
  if (typeof mode === 'object') return 'tld' in mode ? underTld(mode.tld) : underSurt(mode.surt)
  if (mode === 'page') return thePages(seeds)
  if (mode === 'prefix') return underFolders(seeds)
  if (mode === 'host') return onSites(seeds)
  return inDomains(seeds)
}

/** Only the seeds; http and https of a page are the same here, so that a redirect to https is followed. */
function thePages(seeds: readonly WebUrl[]): Region {
  const pages = new Set(seeds.map(schemeless))
  return { name: 'page', holds: (url) => pages.has(schemeless(url)) }
}

function schemeless(url: WebUrl): string {
  return url.site + exactPath(url)
}

/** Under the folder in which a seed lies: /a/b.html and /a/ both mean /a/. */
function underFolders(seeds: readonly WebUrl[]): Region {
  const folders = new Map<string, Set<string>>()
  let longest = 0
  for (const seed of seeds) {
    const path = exactPath(seed).split('?', 1)[0]
    const folder = path.slice(0, path.lastIndexOf('/') + 1)
    folders.set(seed.site, (folders.get(seed.site) ?? new Set()).add(folder))
    longest = Math.max(longest, folder.length)
  }
  return {
    name: 'prefix',
    holds: (url) => {
      const ofSite = folders.get(url.site)
      if (ofSite === undefined) return false
      // Look up each folder above the page: a site may have a hundred thousand seeds, and a page has few folders.
      const path = exactPath(url).split('?', 1)[0]
      for (let at = path.indexOf('/'); at >= 0 && at < longest; at = path.indexOf('/', at + 1)) {
        if (ofSite.has(path.slice(0, at + 1))) return true
      }
      return false
    },
  }
}

function onSites(seeds: readonly WebUrl[]): Region {
  const sites = new Set(seeds.map((seed) => seed.site))
  return { name: 'host', holds: ({ site }) => sites.has(site) }
}

/** Hosts whose answer is cached: pages link to the same hosts again and again, and a look-up costs 0.4 µs. */
const MAX_REMEMBERED = 10_000

/** The seeds' registrable domains with all hosts; one user's part of a shared domain (x.github.io) is a domain. */
function inDomains(seeds: readonly WebUrl[]): Region {
  const domains = new Set(seeds.map((seed) => domainOf(seed.host)))
  const remembered = new Map<string, boolean>()
  return {
    name: 'domain',
    holds: (url) => {
      const known = remembered.get(url.host)
      if (known !== undefined) return known
      const holds = domains.has(domainOf(url.host))
      if (remembered.size >= MAX_REMEMBERED) remembered.clear()
      remembered.set(url.host, holds)
      return holds
    },
  }
}

/** Addresses, single labels and public suffixes have no registrable domain. */
function domainOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}

function underTld(list: string): Region {
  const names = list.split(',').map((name) => name.trim().replace(/^\./, ''))
  const suffixes = names.filter((name) => name !== '').map((name) => '.' + (domainToASCII(name) || name.toLowerCase()))
  return { name: `tld:${list}`, holds: (url) => suffixes.some((suffix) => url.host.endsWith(suffix)) }
}

function underSurt(text: string): Region {
  const prefix = surtPrefix(text)
  return { name: `surt:${text}`, holds: (url) => surtForm(url).startsWith(prefix) }
}

/**
 * SURT prefixes as web archivists write scopes: the host's labels reversed, so that a prefix is a domain, a host or a
 * part of one. `org,example,` is example.org with all its hosts; `http://(org,example,www,)/news/` a folder of one.
 */

/** `org,example,www,)/path`, with `:8080` before the bracket if not the default. Addresses are not reversed. */
function surtForm(url: WebUrl): string {
  const host = isAddress(url.host) ? url.host : `${url.host.split('.').reverse().join(',')},`
  const port = url.site.length > url.host.length ? url.site.slice(url.host.length) : ''
  return `${host}${port})${exactPath(url)}`
}

/** Drops scheme and opening bracket, so `https` means the same as `http`; `org,example)/` gets its last comma. */
function surtPrefix(text: string): string {
  const bare = text
    .trim()
    .replace(/^\+/, '')
    .replace(/^https?:\/\//i, '')
    .replace(/^\(/, '')
  const close = bare.indexOf(')')
  if (close < 0) return bare.toLowerCase()
  const host = bare.slice(0, close).toLowerCase()
  const rest = bare.slice(close)
  return (host.endsWith(',') || isAddress(host) || host.includes(':') ? host : `${host},`) + rest
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}
