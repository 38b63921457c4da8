/** What a visit is given. Everything that reaches the world comes in here, so a visit runs the same over loopback, over the web and in virtual time. */
import type { Clock, Millis } from '../base/clock.ts'
import type { Journal } from '../base/journal.ts'
import type { Stretches } from '../base/stretches.ts'
import type { Event } from '../contracts/events.ts'
import type { Headers, OpenSession, Resolve } from '../contracts/exchange.ts'
import type { Archive, FindCopy, Frontier, ReadingWatch } from '../contracts/ports.ts'
import type { PageBytes, Reading } from '../page/reading.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { AddressBook } from './address-book.ts'
import type { PauseRules, SiteCourtesy } from './courtesy.ts'
import type { DomainBook } from './domains.ts'
import type { ForeignAnswers } from './foreign-answers.ts'
import type { HazardLimits } from './hazards/limits.ts'
import type { Reporter } from './reporter.ts'
import type { Scope } from './scope/scope.ts'
import type { SitemapPolicy } from './sitemaps.ts'

/** The worker's side of a lease, on the worker's monotonic clock. */
export interface Lease {
  /** Time left; 0 or less once it is lost. */
  left(): Millis
}

export interface SiteTools {
  worker: string
  /** By the rules of the collection: whatever becomes a key. */
  urls: UrlReader
  clock: Clock
  journal: Journal<Event>
  openSession: OpenSession
  resolve: Resolve
  enter: Frontier['enter']
  archive: Archive
  findCopy: FindCopy
  /** Read anew for every page: black lists may change while the crawl runs. */
  scope(): Scope
  /** The black-list rule that refuses an address. */
  refusesAddress(ip: string): string | undefined
  hazards: HazardLimits
  /** The operator overrules a hazard rule for a site. */
  trusts(site: string, rule: string): boolean
  /** Which sitemaps are asked for. */
  sitemaps: SitemapPolicy
  pauses: PauseRules
  /** The courtesy of one site, for one visit: `SiteCourtesy`, made here so that a simulation can look into it. */
  courtesyOf(...args: ConstructorParameters<typeof SiteCourtesy>): SiteCourtesy
  addresses: AddressBook
  domains: DomainBook
  /** Other sites' robots.txt that redirects lead to. */
  foreign: ForeignAnswers
  read(input: PageBytes): Stretches<Reading>
  /** The text of the same bytes, for who wants more of it than its signature. */
  readText(input: PageBytes, part: 'all' | 'own'): string
  watch: ReadingWatch
  /** The product token matched in robots.txt, and the headers sent with every request. */
  token: string
  headers: Headers
  /** A request is not begun with less than this left on the lease. */
  exchangeMs: Millis
  /** Scales the waits of the failure table. */
  patience: number
  decode: { bytes: number; ratio: number }
  /** The courtesy of a site that this worker is visiting now. */
  visiting(site: string): SiteCourtesy | undefined
  /** The disk or the coordinator has failed: nothing can go on. */
  failed(): boolean
  /** Resolves when all that the reporter has told so far is durable. */
  durable(reporter: Reporter): Promise<void>
}
