/** What operations need beside the transaction, whatever the database. */
import type { Clock, Instant, Millis } from '../base/clock.ts'
import { signed64 } from '../base/digest.ts'
import type { Link } from '../contracts/report.ts'
import type { SiteName } from '../contracts/visit.ts'
import { siteKeyOf } from '../contracts/visit.ts'
import { type Classes, classes, LEARNT_RATES } from '../refresh/freshness.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { FrontierOptions, RefreshOptions, ScheduledUrl, SeedUrl } from './contract.ts'
import type { Order } from './order.ts'
import { compareBigints, type SiteRow, sitesOf } from './rules/site.ts'

export interface SharedTools {
  clock: Clock
  time: FrontierTime
  order: Order
  urls: UrlReader
  mayReplace(original: SiteName): boolean
  mayLearn(name: SiteName, original: SiteName): boolean
  mayHold(site: SiteName): boolean
  leaseMs: Millis
  addressPauseMs: Millis
  /** The pause that the site asked for, when it is longer than the configured one. A changed setting applies at once. */
  learntPause(site: SiteRow, inForce: Millis): Millis
  pauseOf(site: SiteRow): Millis
  /** Undefined: known pages are not looked at again. */
  refresh?: RefreshTools
  /** Only beside servers: they look at known pages again. */
  isRefreshedByOthers: boolean
  /** A page's keys take 16 bytes where its URL takes 60. A report's links come from few pages, many from each. */
  pageOf(url: string | undefined): PageKeys
}

export interface RefreshTools extends RefreshOptions {
  classes: Classes
  /** What a look must be worth, as last read: seconds of freshness. */
  price: number
}

/** What a look must be worth now. */
export function priceOf({ price, minGain = 0 }: RefreshTools): number {
  return Math.max(price, minGain / 1000)
}

/** Weights differ by a factor of ten thousand. */
const WEIGHTS = [0.01, 100] as const

/** `once` stays as it is: it names the pass, and when the frontier is opened its time is the wall clock's. */
function refreshTools(refresh: RefreshOptions): RefreshTools {
  return { ...refresh, classes: classes(LEARNT_RATES, refresh.weightOf === undefined ? [1, 1] : WEIGHTS), price: 0 }
}

/** The page on which a link was found. */
export interface PageKeys {
  site: bigint | null
  key: bigint | null
  /** Of its site. */
  name?: SiteName
}

const NO_PAGE: PageKeys = { site: null, key: null }
const MAX_PAGES = 1000

function pageReader(urls: UrlReader): SharedTools['pageOf'] {
  const pages = new Map<string, PageKeys>()
  return (url) => {
    if (url === undefined || url === '') return NO_PAGE
    const known = pages.get(url)
    if (known !== undefined) return known
    const read = urls.parse(url)
    const page = read === undefined ? NO_PAGE : { site: siteKeyOf(read.site), key: signed64(read.key), name: read.site }
    if (pages.size >= MAX_PAGES) pages.clear()
    pages.set(url, page)
    return page
  }
}

/** Whole milliseconds, rounded up: the columns hold integers, and a pause may be longer but never shorter. */
export function sharedTools(options: FrontierOptions, isShared = false): SharedTools {
  const { clock, order, urls, leaseMs, addressPauseMs, defaultPause, refresh } = options
  return {
    clock,
    time: options.leasesOutlive && isShared ? sharedTime(clock) : frontierTime(clock),
    order,
    urls,
    mayReplace: (original) => options.mayReplace?.(original) ?? true,
    mayLearn: (name, original) => options.mayLearn?.(name, original) ?? true,
    mayHold: (site) => options.mayHold?.(site) ?? true,
    leaseMs: Math.ceil(leaseMs),
    addressPauseMs: Math.ceil(addressPauseMs),
    learntPause: (site, inForce) => (inForce > defaultPause(site.name) ? Math.ceil(inForce) : 0),
    pauseOf: (site) => Math.ceil(Math.max(site.pause, defaultPause(site.name))),
    pageOf: pageReader(urls),
    isRefreshedByOthers: options.besideServers?.isRefreshing ?? false,
    ...(refresh && { refresh: refreshTools(refresh) }),
  }
}

/** The time by which pauses and leases are kept. */
export interface FrontierTime {
  now(): Instant
  /** An instant of the wall clock in this time. */
  of(instant: Instant): Instant
}

/**
 * The wall clock's time when the frontier was opened, and from then on only forwards, as fast as the monotonic clock. A laptop
 * that slept for a night, or a clock that is set, neither ends all leases at once nor stretches a pause. What workers report is
 * in the wall clock's time and is shifted by the difference.
 */
export function frontierTime(clock: Clock): FrontierTime {
  const begin = clock.now()
  const beginElapsed = clock.elapsed()
  const now = () => begin + Math.floor(clock.elapsed() - beginElapsed)
  return { now, of: (instant) => Math.ceil(instant + (now() - clock.now())) }
}

/**
 * The database's time, which several servers share and which only goes forwards. A server's own monotonic clock would drift
 * away from it by some seconds a day, which is more than a pause.
 */
export function sharedTime(clock: Clock): FrontierTime {
  return { now: () => Math.floor(clock.now()), of: (instant) => Math.ceil(instant) }
}

/** URLs to schedule, by site and in the order of their keys. What can't be read as a URL is a planner's bug and is skipped. */
export function scheduledBySite({ urls, time }: SharedTools, scheduled: readonly ScheduledUrl[]) {
  // Two clocks are read for each conversion: what is due at one time stays so.
  const times = new Map<Instant, Instant>()
  const timeOf = (dueAt: Instant): Instant => {
    const at = times.get(dueAt) ?? Math.max(1, time.of(dueAt))
    times.set(dueAt, at)
    return at
  }
  const groups = sitesOf(
    scheduled.flatMap(({ url, dueAt }) => {
      const parsed = urls.parse(url)
      return parsed === undefined ? [] : [{ url: parsed, site: parsed.site, dueAt: timeOf(dueAt) }]
    }),
  )
  for (const { members } of groups) members.sort((a, b) => compareBigints(signed64(a.url.key), signed64(b.url.key)))
  return groups
}

/** Seeds as links without a referrer. */
export function linksOfSeeds(seeds: readonly SeedUrl[]): Link[] {
  return seeds.map(({ url, key, site, path = '', lastmod }) => {
    const link = { url, key, site, depth: 0, via: '', path }
    return lastmod === undefined ? link : { ...link, lastmod }
  })
}
