/** What a crawl was told to do, as plain data that can be handed to another thread. */

import { assert } from '../../base/assert.ts'
import type { Blacklist } from '../../crawl/scope/blacklist.ts'
import { parseScopeMode, type ScopeMode } from '../../crawl/scope/region.ts'
import { makeScope, type Scope } from '../../crawl/scope/scope.ts'
import { rulesBySwitches } from '../../web/url/rules.ts'
import { type UrlReader, urlReader, type WebUrl } from '../../web/url/web-url.ts'
import { pauseForHost } from '../config/hosts.ts'
import type { Settings } from '../config/keys.ts'

export interface CrawlPlan {
  settings: Settings
  /** All seeds that the collection has, this run's among them. */
  seeds: readonly string[]
  /** Where names to try may turn out to live. */
  alternates?: readonly string[]
  version: string
}

/** By the rules that the operator wants. */
export function urlsOf(settings: Settings): UrlReader {
  return urlReader(rulesBySwitches(settings.urlRules))
}

/** `own`: the operator named it as a server of their own. */
export function pauseOf(
  settings: Settings,
  site: string,
  address: string | undefined,
): { pause: number; own: boolean } {
  const own = pauseForHost(settings.pauseFor, hostOf(site), address)
  return own === undefined ? { pause: settings.pause, own: false } : { pause: own, own: true }
}

/** A site's host: its name without the port. */
function hostOf(site: string): string {
  const bracketed = /^\[([^\]]+)\]/.exec(site)
  return bracketed === null ? site.replace(/:\d+$/, '') : bracketed[1]
}

/** The scope of a crawl from its settings and seeds. Apart from `worker-tools.ts`, so that the coordinator need not load what reads pages. */

/** The scope is made again only when the black lists have changed. */
export function scopeFor(
  settings: Settings,
  seeds: readonly WebUrl[],
  blacklist: () => Blacklist,
  alternates: readonly WebUrl[] = [],
): () => Scope {
  let list: Blacklist | undefined
  let scope: Scope | undefined
  return () => {
    if (scope !== undefined && blacklist() === list) return scope
    list = blacklist()
    scope = makeScope({
      mode: scopeMode(settings.scope),
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

function scopeMode(text: string): ScopeMode {
  const mode = parseScopeMode(text)
  assert(mode !== undefined, `scope ${text} passed the settings`)
  return mode
}
