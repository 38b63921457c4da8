/** What a crawl is to do, as plain data that can be handed to another thread, and what follows from it. */
import { assert } from '../../base/assert.ts'
import type { Millis } from '../../base/clock.ts'
import { type HazardLimits, UNLIMITED } from '../../crawl/hazards/limits.ts'
import type { Blacklist } from '../../crawl/scope/blacklist.ts'
import { parseScopeMode } from '../../crawl/scope/region.ts'
import { makeScope, type Scope } from '../../crawl/scope/scope.ts'
import { rulesBySwitches } from '../../web/url/rules.ts'
import { type UrlReader, urlReader, type WebUrl } from '../../web/url/web-url.ts'
import { pauseForHost } from '../config/hosts.ts'
import type { Settings } from '../config/keys.ts'

export interface CrawlPlan {
  settings: Settings
  /** All seeds of the collection, this run's among them. */
  seeds: readonly string[]
  /** Other URLs at which submitted names may turn out to be. */
  alternates?: readonly string[]
  version: string
}

/** By the operator's rules. */
export function urlsOf(settings: Settings): UrlReader {
  return urlReader(rulesBySwitches(settings.urlRules))
}

export function parseUrls(urls: UrlReader, texts: readonly string[] = []): WebUrl[] {
  return texts.map((text) => urls.parse(text)).filter((url) => url !== undefined)
}

/** `own`: the operator named the host as one of their own. */
export function pauseOf(settings: Settings, site: string, address: string | undefined) {
  const own = pauseForHost(settings.pauseFor, hostOf(site), address)
  return own === undefined ? { pause: settings.pause, own: false } : { pause: own, own: true }
}

/** The pauses of sites, unless an operator has `chosen` another, and of their addresses: there is none at one's own servers. */
export function pausesOf(settings: Settings, chosen: (site: string) => Millis | undefined = () => undefined) {
  return {
    defaultPause: (site: string) => chosen(site) ?? pauseOf(settings, site, undefined).pause,
    addressPause: (site: string) => (pauseOf(settings, site, undefined).own ? 0 : settings.addressPause),
  }
}

/** The site without its port. */
function hostOf(site: string): string {
  const bracketed = /^\[([^\]]+)\]/.exec(site)
  return bracketed === null ? site.replace(/:\d+$/, '') : bracketed[1]
}

export function blacklistPaths({ blacklistUrls, blacklistDomains, blacklistAddresses }: Settings): string[] {
  return [blacklistUrls, blacklistDomains, blacklistAddresses].filter((path) => path !== undefined)
}

export function hazardLimits(settings: Settings): HazardLimits {
  return {
    urlsPerSite: settings.maxUrlsPerSite,
    duplicatesPerSite: settings.maxDuplicatesPerSite ?? UNLIMITED,
    depth: settings.maxDepth,
  }
}

/** The scope is made again only when the blacklists have changed. */
export function scopeFor(
  settings: Settings,
  seeds: readonly WebUrl[],
  blacklist: () => Blacklist,
  alternates: readonly WebUrl[] = [],
): () => Scope {
  const mode = parseScopeMode(settings.scope)
  assert(mode !== undefined, `scope ${settings.scope} passed the settings`)
  let list: Blacklist | undefined
  let scope: Scope | undefined
  return () => {
    if (scope !== undefined && blacklist() === list) return scope
    list = blacklist()
    scope = makeScope({
      mode,
      seeds,
      alternates,
      include: settings.include.map((pattern) => new RegExp(pattern)),
      exclude: settings.exclude.map((pattern) => new RegExp(pattern)),
      queries: settings.queries,
      mediaTypes: settings.mediaTypes,
      maxDepth: settings.maxDepth,
      maxUrlLength: settings.maxUrlLength,
      blacklist: list,
      links: settings.links,
      sizes: settings.maxBytes,
    })
    return scope
  }
}
