/**
 * What the coordinator does with the frontier, always inside a given transaction, so that a report's marks and its pages are
 * applied together or not at all. Workers use `Frontier` in `contracts/ports.ts`.
 */
import type { Instant } from '../base/clock.ts'
import type { Link, VisitReport } from '../contracts/report.ts'
import type { SiteName, UrlKey, VisitId, WorkerId } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import type { AliasAnswer, NewAlias } from './aliases.ts'
import type { FrontierViews } from './views.ts'

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
   * Ends expired leases; call it when the inbox is empty. Their sites wait until the lease's end plus their pause. On
   * PostgreSQL only in these buckets, for which the inbox must be empty.
   */
  reap(tx: Tx, now?: Instant, buckets?: readonly number[]): Promise<LostVisit[]>
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
  /** Fetches the URL (again) at this time. A URL that waits already keeps the earlier time. */
  schedule(tx: Tx, scheduled: readonly ScheduledUrl[]): Promise<void>
  /**
   * From now on links into that site are entered at the original, except to its home page. What waits there moves, some at a
   * time, never during a visit. The operator's aliases override learnt ones.
   */
  alias(tx: Tx, alias: NewAlias): Promise<AliasAnswer>
  /**
   * It is a site of its own again; what was moved without being fetched there waits there again. False: it was not an alias.
   */
  unalias(tx: Tx, name: SiteName): Promise<boolean>
  readonly view: FrontierViews
}
