/**
 * What the coordinator does with the frontier, always inside a transaction that it is given, so that a report's marks and its
 * pages are applied together or not at all. Workers never see this: theirs is `Frontier` in `contracts/ports.ts`.
 */
import type { Instant } from '../base/clock.ts'
import type { Link, VisitReport } from '../contracts/report.ts'
import type { SiteName, UrlKey, VisitId, WorkerId } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import type { AliasAnswer, NewAlias } from './aliases.ts'
import type { FrontierViews } from './views.ts'

/** What became of a part. Only `applied` ones may be counted or collected. */
export type PartResult =
  | 'applied'
  /** It was applied before: (visit, part) is idempotent. */
  | 'again'
  /** Its site went to another visit since, or never was: what a zombie brings. */
  | 'stale'
  /** An earlier part of its visit is missing: keep it and bring it again after that one. */
  | 'out-of-order'

export interface LostVisit {
  visit: VisitId
  site: SiteName
  worker: WorkerId
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
  /** `given` when it is not said. */
  source?: SeedSource
  /** N: a name to try; M: a sitemap. Else it is a page. */
  path?: 'N' | 'M'
  lastmod?: Instant
}

export interface Admitted {
  /** URLs that were not known before. */
  fresh: number
  /** Sites that were not known before. */
  sites: number
}

export interface Ledger {
  /** Enqueues what is new; what is known, marked or not, stays as it is (C1). In the order given. */
  admit(tx: Tx, links: readonly Link[]): Promise<Admitted>
  /** As `admit`, at depth 0, remembered as seeds. */
  seed(tx: Tx, urls: readonly SeedUrl[]): Promise<Admitted>
  /** Sites among them that had been given up are asked once more, with all that is gone in them. Says how many. */
  tryAgain(tx: Tx, urls: readonly SeedUrl[]): Promise<number>
  /**
   * The last part of each visit is durable in the inbox: its site is not handed out before that is applied. With
   * `last: false` for other parts; this matters only for visits that were given up for lost. Nothing is awaited for a
   * `part` that was applied before.
   */
  returning(tx: Tx, visits: readonly { visit: VisitId; fence: number; part?: number; last?: boolean }[]): Promise<void>
  /**
   * Marks, leftovers, links abroad, site memory, courtesy, rank, end of lease; one verdict per part, in the order given.
   * Parts of one visit may come in any order; call it before the collection's writes and do those for `applied` only.
   */
  applyParts(tx: Tx, parts: readonly VisitReport[]): Promise<PartResult[]>
  /**
   * Leases that have ended; call it when the inbox is empty. Their sites wait until the lease's end plus their pause.
   * PostgreSQL: of these buckets only, those that nothing waits for in the inbox; SQLite has but one.
   */
  reap(tx: Tx, now?: Instant, buckets?: readonly number[]): Promise<LostVisit[]>
  /**
   * The worker is certainly no more (its thread was ended): its leases are lost now, not at their end. Call it, too, when
   * what it has sent is applied.
   */
  lose(tx: Tx, worker: WorkerId): Promise<LostVisit[]>
  /** Visits that were granted and never handed out: their sites wait as if they had not been. Others are passed over. */
  giveBack(tx: Tx, visits: readonly VisitId[]): Promise<void>
  /**
   * The answer to a check-out of this worker got lost on its way: of its leases, those that it does not name are ended as
   * if they had not been granted, and named here. Visits that were begun (entered, or told of) are passed over. But servers
   * of the operator's own are asked without being entered: who is known to have asked again since must not be asked for here.
   */
  takeBack(tx: Tx, worker: WorkerId, has: readonly VisitId[]): Promise<VisitId[]>
  /** Look at it (again) when due. A URL that waits already keeps the earlier time. */
  schedule(tx: Tx, scheduled: readonly ScheduledUrl[]): Promise<void>
  /**
   * From now on links into that site are entered at the original, but for its home page; what waits there moves, some at a
   * time, never while a visit is out. Of what the operator said and what was learnt, the operator's counts.
   */
  alias(tx: Tx, alias: NewAlias): Promise<AliasAnswer>
  /** It is a site of its own again; what was moved without being asked for there waits there again. False: it was none. */
  unalias(tx: Tx, name: SiteName): Promise<boolean>
  readonly view: FrontierViews
}
