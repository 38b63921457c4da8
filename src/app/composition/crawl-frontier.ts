/** The frontier as the settings of a crawl want it: order, limits, pauses, and which sites may be held or replaced. */
import type { Clock } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import { readCounter } from '../../collection/counters/counters.ts'
import type { Event } from '../../contracts/events.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { blacklistFiles } from '../../crawl/scope/blacklist-files.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { FrontierOptions, KnownWorkers, RefreshOptions } from '../../frontier/contract.ts'
import type { Decisions } from '../../frontier/decisions.ts'
import { openFrontier } from '../../frontier/open-frontier.ts'
import { namedOrder } from '../../frontier/order.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { trustOf } from '../config/hosts.ts'
import type { Settings } from '../config/keys.ts'
import { scopeSeeds } from '../seeds/stored-seeds.ts'
import { blacklistPaths, parseUrls, pausesOf, scopeFor, urlsOf } from './plan.ts'

export interface FrontierParts {
  database: Database
  disk: Disk
  clock: Clock
  random: Random
  journal: Journal<Event>
  settings: Settings
  /** Workers on other machines; undefined: there are none, and sites have no affinity. */
  workers?: KnownWorkers
  /** Known pages are looked at again. */
  refresh?: RefreshOptions
  /** Pauses and mirrors that operators decided; undefined: none. */
  decisions?: Decisions
  /** As in `FrontierOptions`. */
  besideServers?: FrontierOptions['besideServers']
}

/** The rule by which sites of a domain are held (`frontier/rules/domains.ts`), as `--trust` names it. */
const DNS_WILDCARD = 'dns-wildcard'

/** Not yet recovered. `urls`: by the rules that the collection was made with. `leasesOutlive`: as in `FrontierOptions`. */
export async function openCrawlFrontier(parts: FrontierParts, leasesOutlive: boolean) {
  const { database, clock, random, settings, workers, refresh, besideServers } = parts
  const urls = urlsOf(settings)
  const originals = originalScope(parts, urls)
  await originals.refresh()
  const trusts = trustOf(settings.trust)
  const frontier = openFrontier(database, {
    clock,
    order: namedOrder(settings.order, random),
    urls,
    slice: { pages: settings.slicePages, time: settings.sliceTime },
    leaseMs: settings.lease,
    addressPauseMs: settings.addressPause,
    defaultPause: pausesOf(settings, (site) => parts.decisions?.choiceOf(site)?.pauseMs).defaultPause,
    mayReplace: originals.mayReplace,
    mayLearn: (name, original) => !(parts.decisions?.isNoMirror(name, original) ?? false),
    ...(settings.trust.length === 0 ? {} : { mayHold: (site) => !trusts(site, DNS_WILDCARD) }),
    budget: pageBudget(settings),
    leasesOutlive,
    ...(besideServers && { besideServers }),
    ...(refresh && { refresh }),
    ...(workers && { affinity: { workers, windowMs: settings.affinity } }),
  })
  return { frontier, urls, originals }
}

export type OriginalScope = ReturnType<typeof originalScope>

/** Whether an original may replace its mirrors: only a site whose home page is in the scope may. */
function originalScope(parts: FrontierParts, urls: UrlReader) {
  const { settings, disk, clock, journal } = parts
  const blacklist = blacklistFiles(blacklistPaths(settings), disk, clock, journal) ?? (() => emptyBlacklist)
  let scope = scopeFor(settings, [], blacklist)
  let isStale = true
  return {
    /** There are new seeds. */
    stale() {
      isStale = true
    },
    /** Call it before sites are handed out: links must be judged by all seeds. Free when there are no new ones. */
    async refresh(): Promise<void> {
      if (!isStale) return
      isStale = false
      const { seeds, alternates } = await scopeSeeds(parts)
      scope = scopeFor(settings, parseUrls(urls, seeds), blacklist, parseUrls(urls, alternates))
    },
    mayReplace: (original: SiteName): boolean =>
      ['https', 'http'].some((scheme) => {
        const home = urls.parse(`${scheme}://${original}/`)
        return home !== undefined && scope().judge(home, 0).yes
      }),
  }
}

/** The assumed size of a document until there is one. */
const USUAL_BYTES = 30_000

/** The pages that `--max-pages` and `--max-size` still allow, by the applied reports. */
function pageBudget({ maxPages, maxSize }: Pick<Settings, 'maxPages' | 'maxSize'>) {
  if (maxPages === undefined && maxSize === undefined) return undefined
  return {
    async left(tx: Tx): Promise<number> {
      const documents = await readCounter(tx, 'documents')
      const byPages = maxPages === undefined ? Number.MAX_SAFE_INTEGER : maxPages - documents
      if (maxSize === undefined) return Math.max(0, byPages)
      const bytes = await readCounter(tx, 'bytes')
      // If the next are as large as those before: what is under way when the limit is reached exceeds it only by little.
      const bySize = Math.ceil((maxSize - bytes) / (bytes > 0 ? bytes / documents : USUAL_BYTES))
      return Math.max(0, Math.min(byPages, bySize))
    },
  }
}
