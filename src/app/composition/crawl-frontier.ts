/** The frontier as the settings of a crawl want it: its order, limits and pauses, and whom it may hold or replace. */
import type { Clock } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import { readCounter } from '../../collection/counters/counters.ts'
import type { Event } from '../../contracts/events.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { KnownWorkers } from '../../frontier/affinity.ts'
import { openFrontier } from '../../frontier/open-frontier.ts'
import type { OpenFrontier } from '../../frontier/options.ts'
import { namedOrder } from '../../frontier/order.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'
import { trustOf } from '../config/trust.ts'
import { blacklistFiles } from './blacklist-files.ts'
import { type OriginalScope, originalScope } from './mirror-scope.ts'
import { pauseOf, urlsOf } from './plan.ts'
import { scopeSeeds } from './scope-seeds.ts'

export interface FrontierParts {
  database: Database
  disk: Disk
  clock: Clock
  random: Random
  journal: Journal<Event>
  settings: Settings
  /** Who works here, where workers live elsewhere. */
  workers?: KnownWorkers
}

export interface CrawlFrontier {
  frontier: OpenFrontier
  /** By the rules that the collection was made with. */
  urls: UrlReader
  originals: OriginalScope
}

/** The rule by which sites of a domain are held (`frontier/rules/domains.ts`), for those who overrule it. */
const DNS_WILDCARD = 'dns-wildcard'

/** `leasesOutlive`: as in `FrontierOptions`. Not yet recovered. */
export async function openCrawlFrontier(parts: FrontierParts, leasesOutlive: boolean): Promise<CrawlFrontier> {
  const { database, disk, clock, random, journal, settings, workers } = parts
  const urls = urlsOf(settings)
  const blacklist = blacklistFiles(settings, disk, clock, journal) ?? (() => emptyBlacklist)
  const originals = originalScope(settings, urls, blacklist, () => scopeSeeds(parts))
  await originals.refresh()
  const trusts = trustOf(settings.trust)
  const frontier = openFrontier(database, {
    clock,
    order: namedOrder(settings.order, random),
    urls,
    slice: { pages: settings.slicePages, time: settings.sliceTime },
    leaseMs: settings.lease,
    addressPauseMs: settings.addressPause,
    defaultPause: (site) => pauseOf(settings, site, undefined).pause,
    mayReplace: originals.mayReplace,
    ...(settings.trust.length === 0 ? {} : { mayHold: (site) => !trusts(site, DNS_WILDCARD) }),
    budget: pageBudget(settings),
    leasesOutlive,
    ...(workers && { affinity: { workers, windowMs: settings.affinity } }),
  })
  return { frontier, urls, originals }
}

/** Of a document, as long as there is none. */
const USUAL_BYTES = 30_000

/** What `--max-pages` and `--max-size` leave, as the applied reports say. */
function pageBudget({ maxPages, maxSize }: Pick<Settings, 'maxPages' | 'maxSize'>) {
  if (maxPages === undefined && maxSize === undefined) return undefined
  return {
    async left(tx: Tx): Promise<number> {
      const documents = await readCounter(tx, 'documents')
      const byPages = maxPages === undefined ? Number.MAX_SAFE_INTEGER : maxPages - documents
      const bytes = maxSize === undefined ? 0 : await readCounter(tx, 'bytes')
      return Math.max(
        0,
        Math.min(byPages, maxSize === undefined ? byPages : pagesIn(maxSize - bytes, bytes, documents)),
      )
    },
  }
}

/** So many, if the next are as large as those before: what is under way when the bound is reached is little more than it. */
function pagesIn(room: number, bytes: number, documents: number): number {
  return Math.ceil(room / (bytes > 0 ? bytes / documents : USUAL_BYTES))
}
