/**
 * The frontier's contract: three interfaces over one queue of sites, on either database.
 *
 * - `Frontier` (in `contracts/ports.ts`, since `crawl/` sees nothing of this folder): what workers ask. Each call is a
 *   transaction of its own.
 * - `Ledger`: what the coordinator does, always inside a given transaction, so that a report's marks and its pages are applied
 *   together or not at all.
 * - `frontierQueries` (in `queries.ts`): what `status`, `explain` and the dashboard see. They change nothing.
 *
 * Out of scope: whether a URL is wanted (scope, robots.txt and hazards are the crawl's), what a page holds (the collection's),
 * how often a page is visited again (`schedule` says when), waiting (a check-out answers at once, with when to ask again), and
 * which parts are durable (intake's: the ledger sees a part when it is accepted and when it is applied). How a database divides
 * its rows, and which server works on which, shows in no name here.
 */
import type { Clock, Instant, Millis } from '../base/clock.ts'
import type { CountedClass } from '../contracts/change.ts'
import type { Frontier } from '../contracts/ports.ts'
import type { Link, VisitReport } from '../contracts/report.ts'
import type { SiteMemory } from '../contracts/site-memory.ts'
import type { SiteName, UrlKey, VisitId, WorkerId } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { Alias, AliasAnswer, NewAlias } from './aliases.ts'
import type { Order } from './order.ts'
import type { DomainView } from './rules/domain-rows.ts'
import type { MarkName } from './rules/mark.ts'
import type { SiteState } from './rules/site.ts'

export interface FrontierOptions {
  clock: Clock
  order: Order
  /** The rules by which keys are made. `recover` throws 'bad-config' when the collection was made with others. */
  urls: UrlReader
  /** Limits of one visit. */
  slice: { pages: number; time: Millis }
  leaseMs: Millis
  addressPauseMs: Millis
  /** The configured courtesy pause of a site. */
  defaultPause(site: SiteName): Millis
  /** Whether an original is in scope, so that links into its aliases may be entered there. Default: yes. */
  mayReplace?(original: SiteName): boolean
  /** Whether home pages may teach that a site is an alias of that original. Default: yes. */
  mayLearn?(name: SiteName, original: SiteName): boolean
  /** Whether a site may be held when it is one of too many unendorsed ones. Default: yes. */
  mayHold?(site: SiteName): boolean
  /**
   * Pages that may still be collected. Read in the given transaction, so that it changes together with `applyParts`. Visits
   * never add up to more. Default: no limit.
   */
  budget?: { left(tx: Tx): number | Promise<number> }
  /**
   * Workers run elsewhere, and other servers may be running: `recover` loses no lease and waits for nothing. On PostgreSQL
   * `clock.now()` must then be the database's time and never go back.
   */
  leasesOutlive?: boolean
  /**
   * A command beside the servers of a shared database, which hands out nothing: whether they refresh stays as it is, and known
   * pages are theirs.
   */
  besideServers?: { isRefreshing: boolean }
  /** Known pages are looked at again. Without it only new URLs are fetched, and a crawl ends. */
  refresh?: RefreshOptions
  /** Which workers share the frontier, and how long a site waits for the process that had it before (PostgreSQL). */
  affinity?: { workers: KnownWorkers; windowMs: Millis }
}

export interface RefreshOptions {
  policy: RefreshPolicy
  /** The share of a visit's pages that new URLs may take while known pages wait; `first`: new URLs come first (CrawlWave). */
  newShare: number | 'first'
  /** A look must bring at least this much expected freshness, however idle the fetchers are; default: no limit. */
  minGain?: Millis
  /** Hints for pages that were looked at since are discarded (CoBWeb's 24 hours). */
  minAge: Millis
  /** From which class on a change teaches that the page changed; default: small. */
  countsAsChange?: CountedClass
  /** What a fresh copy of a page is worth; 1 without it. */
  weightOf?(page: { url: string; depth: number }): number
  /** Changes per second, where they are known and need not be learnt: for simulations. */
  rateOf?(url: string): number | undefined
  /** Called for every hint, within its transaction: for figures. */
  onHint?(result: HintResult): void
  /** Looks once at every page that was last looked at before, then it is over. */
  once?: Instant
}

/** `index`: the page worth most now. The others are there to compare with. */
export const REFRESH_POLICIES = ['index', 'psp', 'round-robin', 'proportional', 'nutch-adaptive'] as const
export type RefreshPolicy = (typeof REFRESH_POLICIES)[number]

/** Hints that a look confirmed, hints that it did not, and changes that no hint announced. */
export interface HintCounts {
  right: number
  wrong: number
  unannounced: number
}

export interface HintFigures {
  sites: number
  all: HintCounts
  bySite: (HintCounts & { site: SiteName })[]
}

/** What became of a date that a sitemap or feed gave, as in CoBWeb's Table 3: looked at because of it, ignored because the page was looked at since, or unknown so far. */
export type HintResult = 'performed' | 'discarded' | 'new'

export interface OpenFrontier {
  frontier: Frontier
  ledger: Ledger
  /**
   * Once, before the first check-out. `applyInbox` applies the parts that were durable when the last process ended. Then
   * every open lease is lost, its site waits its pause, and nothing is handed out for one address pause. `noteLost` is called
   * in each transaction that loses some.
   */
  recover(applyInbox: () => Promise<void>, noteLost?: NoteLost): Promise<{ lost: number }>
  /** Nothing is handed out any more: the crawl is ending. */
  stop(): void
}

/**
 * Which processes are at work, and where. Check-out uses it to send a site to the process that had it before (Y1) or is near
 * it (C13). A worker is a thread; those of one process share a post.
 */
export interface KnownWorkers {
  /** All processes at work now, whichever server they use. A new array when that has changed. */
  present(): readonly Post[]
  /** Undefined: nothing is known of it yet. */
  postOf(worker: WorkerId): Post | undefined
}

export interface Post {
  process: string
  /** Processes of one region are near the same sites. A process without one is a region of its own. */
  region: string
}

/** What became of a part. Only `applied` parts may be counted or collected. */
export type PartResult =
  | 'applied'
  /** It was applied before: applying a part is idempotent. */
  | 'again'
  /** Its site was handed out again since, or never existed: a late report of a revived worker. */
  | 'stale'
  /** An earlier part of its visit is missing: keep it and apply it after that one. */
  | 'out-of-order'

export interface LostVisit {
  visit: VisitId
  site: SiteName
  worker: WorkerId
}

export type NoteLost = (tx: Tx, lost: readonly LostVisit[]) => Promise<void>

/** A part in the inbox; without `part` and `last`, the last one of its visit. */
export interface StoredPart {
  visit: VisitId
  fence: number
  part?: number
  last?: boolean
}

export interface ScheduledUrl {
  url: string
  dueAt: Instant
}

/** Where a seed came from. `given`: named by the operator when a crawl began, or one by one. */
export type SeedSource = 'given' | 'file' | 'names' | 'collection' | 'sitemap' | 'cdx' | 'warc'

export interface SeedUrl {
  url: string
  key: UrlKey
  site: SiteName
  /** Default `given`. */
  source?: SeedSource
  /** N: a name to try; M: a sitemap; otherwise a page. */
  path?: 'N' | 'M'
  lastmod?: Instant
}

export interface Admitted {
  /** New URLs. */
  fresh: number
  /** New sites. */
  sites: number
}

export interface Ledger {
  /** Enqueues new URLs in the order given; known ones, marked or not, stay as they are (C1). */
  admit(tx: Tx, links: readonly Link[]): Promise<Admitted>
  /** As `admit`, at depth 0, remembered as seeds. */
  seed(tx: Tx, urls: readonly SeedUrl[]): Promise<Admitted>
  /** Tries sites among them that had been given up once more, with all their URLs that are gone. Returns how many. */
  tryAgain(tx: Tx, urls: readonly SeedUrl[]): Promise<number>
  /**
   * The operator pauses or bars a site, or undoes either (null). From then on it is not handed out; the visit that is out ends by itself.
   * A paused site waits, so a crawl is not over; a barred one does not. Both keep what waits there and get new URLs. An unknown
   * site is made, so that it is stopped before it is ever found.
   */
  stopSite(tx: Tx, site: SiteName, how: 'paused' | 'barred' | null, why?: string): Promise<void>
  /**
   * Forgets what a site's robots.txt said, its failures and that it was given up. A wait that the site asked for stays; one because it did not
   * answer is over. False: the site is unknown.
   */
  askAgain(tx: Tx, site: SiteName): Promise<boolean>
  /**
   * These parts are durable in the inbox: the site of a visit's last part is not handed out before it is applied. Other parts
   * matter only for visits that were given up for lost. Parts that were applied before change nothing.
   */
  returning(tx: Tx, parts: readonly StoredPart[]): Promise<void>
  /**
   * Applies marks, leftovers, links, site memory, courtesy, rank and the end of the lease. One result per part, in the order
   * given. Parts of one visit may come in any order. Call it before the collection's writes, and do those for `applied` parts
   * only.
   */
  applyParts(tx: Tx, parts: readonly VisitReport[]): Promise<PartResult[]>
  /**
   * Ends expired leases. Their sites wait until the lease's end plus their pause. A lease must not end while a part of its
   * visit waits to be applied: `settled` returns those of the given sites (by key) for which none does. Without it, call this
   * when the inbox is empty.
   */
  reap(tx: Tx, now?: Instant, settled?: (sites: readonly bigint[]) => Promise<readonly bigint[]>): Promise<LostVisit[]>
  /**
   * The worker has certainly ended: its leases are lost now, not when they expire. Call it after what it has sent is applied.
   */
  lose(tx: Tx, worker: WorkerId): Promise<LostVisit[]>
  /** Visits that were granted and never handed out: their sites wait as if they had not been granted. Others are skipped. */
  giveBack(tx: Tx, visits: readonly VisitId[]): Promise<void>
  /**
   * The answer to a check-out of this worker got lost on its way. Its leases that it does not name are ended as if they had
   * not been granted, and returned. Visits that have begun (an address was entered, or a part applied) are skipped. The
   * operator's own servers are visited without being entered, so do not call this for a worker that has checked out again
   * since.
   */
  takeBack(tx: Tx, worker: WorkerId, has: readonly VisitId[]): Promise<VisitId[]>
  /**
   * Fetches the URL (again) at this time. A URL that waits already keeps the earlier time; for a known page the new one
   * counts, earlier or later.
   */
  schedule(tx: Tx, scheduled: readonly ScheduledUrl[]): Promise<void>
  /**
   * Refreshing begins: the pages that were collected before become known pages, their first looks spread over some days. Reads
   * `urls` of them, and goes on there when it is called again. False: it is done.
   */
  enrol(tx: Tx, urls: number): Promise<boolean>
  /** What a look must be worth from now on. */
  setPrice(tx: Tx, price: number): Promise<void>
  /**
   * From now on links into that site are entered at the original, except to its home page. What waits there moves, some at a
   * time, never during a visit. The operator's aliases override learnt ones.
   */
  alias(tx: Tx, alias: NewAlias): Promise<AliasAnswer>
  /**
   * It is a site of its own again; what was moved without being fetched there waits there again. False: it was not an alias.
   */
  unalias(tx: Tx, name: SiteName): Promise<boolean>
}

export interface SitePause {
  name: SiteName
  /** Learnt from the site; 0 when the configured one is longer. */
  pause: Millis
  /** Its last known IP address. */
  address: string | null
}

/** Kept as counters: reading them costs the same however large the crawl is. */
export interface Totals {
  sites: Record<SiteState, number>
  /** URLs that are neither marked nor waiting belong to held sites. */
  urls: { known: number; marked: number; waiting: number; refreshing: number }
  /** Pages that current visits may still fetch. */
  granted: number
}

export interface SiteView {
  name: SiteName
  state: SiteState
  /** Why it is barred. */
  reason?: string
  /** By an operator, from the end of its visit on. */
  stopped?: 'paused' | 'barred'
  seed: boolean
  rank: number
  since: Instant
  notBefore: Instant
  /** When the site's pause is over; until `notBefore` it waits for a URL to become due. */
  politeAt: Instant
  /** Learnt from the site; 0 when the configured pause is longer. */
  pause: Millis
  address?: string
  losses: number
  /** Above 0 it comes after the others, whatever the order: slowed, or one of a flood. */
  deferral: number
  visits: number
  known: number
  waiting: number
  lease?: { visit: VisitId; fence: number; worker: WorkerId; until: Instant; parts: number }
  memory: SiteMemory
  /** It is an alias. */
  alias?: Alias
  domain?: DomainView
  /** It is unendorsed; `referrer` is the one endorsed site that links to it. */
  unendorsedSite?: { referrer?: SiteName }
}

export interface UrlView {
  url: string
  /** The key that the collection knows it by; its own where a folder has several indexes (`rules/spellings.ts`). */
  key: UrlKey
  site: SiteName
  depth: number
  via?: string
  path: string
  enqueuedAt: Instant
  /** Waiting: when it is due; when it was enqueued, if it was never visited. */
  dueAt: Instant
  tries: number
  mark: MarkName
  seed: boolean
  /** Waiting: how many URLs of its site come before it, counted up to a limit. */
  ahead?: number
}

/** A page that is looked at again. Rates are per second. */
export interface KnownPageRow {
  site: bigint
  key: bigint
  lookedAt: Instant
  /** Looked at from then on, whatever it is worth; undefined: by its worth. */
  refreshAt?: Instant
  rate: number
  weight: number
  changes: number
  changedMs: Millis
  unchangedMs: Millis
  /** Looks in a row that did not bring the page. */
  failures: number
}

/** What a URL is before it is added. `dead`: it is gone, or its site was given up. */
export type SeedStatus = 'new' | 'known' | 'dead'

export interface Seed {
  url: string
  source: SeedSource
}

export interface SeedPosition {
  site: bigint
  key: bigint
}

export interface SeedPage {
  seeds: Seed[]
  /** Undefined: the page is empty. */
  last: SeedPosition | undefined
}
