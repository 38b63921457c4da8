/** Whether an original may stand for its replicas: only a site whose home page is in the scope is entered in their place. */

import type { SiteName } from '../../contracts/visit.ts'
import type { Blacklist } from '../../crawl/scope/blacklist.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'
import { scopeFor } from './scope-for.ts'
import type { ScopeSeeds } from './scope-seeds.ts'

export interface OriginalScope {
  mayReplace(original: SiteName): boolean
  /** There are new seeds. */
  stale(): void
  /** Before anything is handed out: what is found must be judged by all seeds. Costs nothing when there are no new ones. */
  refresh(): Promise<void>
}

export function originalScope(
  settings: Settings,
  urls: UrlReader,
  blacklist: () => Blacklist,
  seeds: () => Promise<ScopeSeeds>,
): OriginalScope {
  let scope = scopeFor(settings, [], blacklist)
  let isStale = true
  const read = (texts: readonly string[]) => texts.map((text) => urls.parse(text)).filter((url) => url !== undefined)
  return {
    stale() {
      isStale = true
    },
    async refresh() {
      if (!isStale) return
      isStale = false
      const now = await seeds()
      scope = scopeFor(settings, read(now.seeds), blacklist, read(now.alternates))
    },
    mayReplace: (original) =>
      ['https', 'http'].some((scheme) => {
        const home = urls.parse(`${scheme}://${original}/`)
        return home !== undefined && scope().judge(home, 0).yes
      }),
  }
}
