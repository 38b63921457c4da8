/**
 * What a visit is given, in four bundles: each function names the ones it uses. Everything that reaches the world comes in
 * here, so a visit runs the same over loopback, over the web and in virtual time.
 */
import type { Clock, Instant, Millis } from '../base/clock.ts'
import type { HashSet64 } from '../base/hash-set.ts'
import type { Journal } from '../base/journal.ts'
import type { Stretches } from '../base/stretches.ts'
import type { Event } from '../contracts/events.ts'
import type { Headers, OpenSession, Resolve } from '../contracts/exchange.ts'
import type { Archive, FindCopy, Frontier, ReadingWatch } from '../contracts/ports.ts'
import type { AgendaItem, SiteName } from '../contracts/visit.ts'
import type { RegionRules } from '../page/change/region-rules.ts'
import type { PageBytes, Reading } from '../page/reading.ts'
import type { UrlReader, WebUrl } from '../web/url/web-url.ts'
import type { AddressCourtesy } from './address-courtesy.ts'
import type { PauseRules, SiteCourtesy } from './courtesy.ts'
import type { ForeignRobots } from './foreign-robots.ts'
import type { HazardLimits } from './hazards/limits.ts'
import type { LocalFrontier } from './local-frontier.ts'
import type { Reporter } from './reporter.ts'
import type { Scope } from './scope/scope.ts'
import type { WildcardDns } from './wildcard-dns.ts'

/** The worker's side of a lease, on the worker's monotonic clock. */
export interface Lease {
  /** Time left; 0 or less once it is lost. */
  left(): Millis
}

interface CommonTools {
  clock: Clock
  journal: Journal<Event>
}

/** To reach servers politely. */
export interface RequestTools extends CommonTools {
  worker: string
  openSession: OpenSession
  resolve: Resolve
  enter: Frontier['enter']
  /** The blacklist rule that refuses an address. */
  refusesAddress(ip: string): string | undefined
  /** A blacklist refuses the URL, even for a robots.txt that another site redirects to. */
  isRefused(url: WebUrl): boolean
  /**
   * The operator paused or barred it: it gets no request for now, not even for a robots.txt that another site redirects
   * to.
   */
  isStopped(site: SiteName): boolean
  pauses: PauseRules
  /** Makes the courtesy of one site for one visit: `SiteCourtesy`, or a simulation's own. */
  courtesyOf(...args: ConstructorParameters<typeof SiteCourtesy>): SiteCourtesy
  /** The courtesy of a site that this worker is visiting now. */
  visiting(site: SiteName): SiteCourtesy | undefined
  addresses: AddressCourtesy
  domains: WildcardDns
  /** Other sites' robots.txt that redirects lead to. */
  foreign: ForeignRobots
  /** Sent with every request. */
  headers: Headers
  /** A request does not begin with less than this left on the lease. */
  exchangeMs: Millis
  /** Scales the waits of the failure table. */
  patience: number
}

/** no: none; robots: those that robots.txt names, and feeds; usual: also /sitemap.xml. */
export type SitemapPolicy = 'no' | 'robots' | 'usual'

/** What the operator wants. */
export interface PolicyTools extends CommonTools {
  /** Parses by the rules of the collection: every URL that becomes a key. */
  urls: UrlReader
  /** Asked for every page, because blacklists may change while the crawl runs. */
  scope(): Scope
  hazards: HazardLimits
  /** The operator overrules a hazard rule for a site. */
  trusts(site: SiteName, rule: string): boolean
  /** The operator confirmed what a rule found in a pattern of a site: it needs no samples. */
  confirms(site: SiteName, rule: string, pattern: string): boolean
  /** What the operator ignores or watches on the pages of a site; undefined: nothing. */
  regionRules(site: SiteName): RegionRules | undefined
  sitemaps: SitemapPolicy
  /** The product token matched in robots.txt. */
  token: string
}

/** What reading an answer needs. */
export interface ReadingTools extends CommonTools {
  read(input: PageBytes): Stretches<Reading>
  watch: ReadingWatch
}

/** What keeping an answer needs. */
export interface StorageTools {
  archive: Archive
  findCopy: FindCopy
  /** Resolves when everything reported so far is durable. */
  durable(reporter: Reporter): Promise<void>
  /** The disk or the coordinator has failed: nothing can go on. */
  failed(): boolean
}

export interface SiteTools extends RequestTools, PolicyTools, ReadingTools, StorageTools {}

/** One visit, for everything that looks at its links and pages. */
export interface VisitState {
  site: SiteName
  /** As it is when the next URL is taken up. */
  scope: Scope
  local: LocalFrontier
  reporter: Reporter
  /** Keys of the URLs of other sites reported so far. */
  crossSiteSeen: HashSet64
  sitemaps: SitemapPolicy
  /** Called with every wanted host of another site. */
  noteHost(host: string): void
  /** A finding holds back enough URLs of its pattern; counts those it refuses. */
  isPatternFull(url: WebUrl, item: Pick<AgendaItem, 'depth' | 'path' | 'via'>): boolean
  /** Its pattern is suspect: it may be held back. */
  isSuspect(url: WebUrl): boolean
  /** The URL without parameters that make no difference, if it has any. */
  plainer(url: WebUrl): WebUrl | undefined
  /** How often the visit has tried to pass a server's check for cookies. */
  cookieChecks: number
  now: Instant
}
