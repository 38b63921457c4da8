/** The scope of a crawl from its settings and seeds. Apart from `worker-tools.ts`, so that the coordinator need not load what reads pages. */
import { assert } from '../../base/assert.ts'
import type { Blacklist } from '../../crawl/scope/blacklist.ts'
import { parseScopeMode, type ScopeMode } from '../../crawl/scope/region.ts'
import { makeScope, type Scope } from '../../crawl/scope/scope.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'

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
