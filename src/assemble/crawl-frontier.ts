/** The frontier as the settings of a crawl want it: its order, limits and pauses, and whom it may hold or replace. */
import type { Clock } from '../base/clock.ts'
import type { Disk } from '../base/disk.ts'
import type { Journal } from '../base/journal.ts'
import type { Random } from '../base/random.ts'
import { readCounter } from '../collection/counters/counters.ts'
import type { Settings } from '../config/keys.ts'
import { trustOf } from '../config/trust.ts'
import type { Database, Tx } from '../database/database.ts'
import type { Fleet } from '../frontier/fleet.ts'
import type { FrontierHouse } from '../frontier/house.ts'
import { openFrontier } from '../frontier/open-frontier.ts'
import { namedOrder } from '../frontier/order/named-order.ts'
import { emptyBlacklist } from '../scope/blacklist.ts'
import type { Event } from '../visit/events.ts'
import type { UrlReader } from '../web/url/web-url.ts'
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
  fleet?: Fleet
}

export interface CrawlFrontier {
  frontier: FrontierHouse
  /** By the rules that the collection was made with. */
  urls: UrlReader
  originals: OriginalScope
}

/** The rule by which sites of a domain are held (`frontier/domains.ts`), for those who overrule it. */
const DNS_WILDCARD = 'dns-wildcard'

/** `leasesOutlive`: as in `FrontierOptions`. Not yet recovered. */
export async function openCrawlFrontier(parts: FrontierParts, leasesOutlive: boolean): Promise<CrawlFrontier> {
  const { database, disk, clock, random, journal, settings, fleet } = parts
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
    budget: pageBudget(settings.maxPages),
    leasesOutlive,
    ...(fleet && { affinity: { fleet, windowMs: settings.affinity } }),
  })
  return { frontier, urls, originals }
}

/** What `--max-pages` leaves, as the applied reports say. */
function pageBudget(maxPages: number | undefined) {
  if (maxPages === undefined) return undefined
  return {
    left: async (tx: Tx) => Math.max(0, maxPages - (await readCounter(tx, 'documents'))),
  }
}
