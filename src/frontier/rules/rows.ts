/**
 * What an operation sees of the database: the rows of its transaction. The files of this folder decide over rows in memory,
 * the same for both databases; what differs is how rows come there and how they are written. PostgreSQL locks and reads them in
 * bulk, by the methods under "Reading"; on SQLite most of these do nothing, since a row is read when it is asked for.
 * `flush` writes all that was changed.
 */
import type { Instant } from '../../base/clock.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName, UrlKey, WorkerId } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import type { TableRows } from '../../database/tables.ts'
import type { AliasView, Replaced } from '../aliases.ts'
import type { KnownTexts } from '../known-url-cache.ts'
import type { SharedTools } from '../tools.ts'
import type { DomainRows, UnendorsedRow } from './domain-rows.ts'
import type { KnownRow, LooksRow } from './known-rows.ts'
import type { SiteRow } from './site.ts'
import type { AddressRows, MemoryRows, SiteRows } from './site-rows.ts'
import type { SpellingRows, UrlAt, UrlRows, UrlText } from './url-rows.ts'

type Soon<Answer> = Answer | Promise<Answer>

/** Links into one site. */
export interface SiteLinks {
  readonly key: bigint
  readonly name: SiteName
  readonly members: readonly Link[]
  /** The links that may change something; without it, all. */
  readonly news?: readonly Link[]
}

export interface Sifted {
  /** Sites with something to change: only those are locked. */
  groups: readonly SiteLinks[]
  /** Links that are entered at an original, and not yet remembered at the alias. */
  replaced: readonly Replaced[]
}

export type Vias = readonly Pick<Link, 'via'>[]

/** A locked site, and the links into it. */
export interface Target {
  readonly key: bigint
  readonly name: SiteName
  readonly members: Vias
}

export interface Rows {
  readonly tx: Tx
  /** One for the whole transaction. */
  readonly now: Instant
  readonly tools: SharedTools & { texts: KnownTexts }
  readonly sites: SiteRows
  readonly urls: UrlRows
  readonly spellings: SpellingRows
  /** Pages that are looked at again, and what the looks at their sites have shown; only when refreshing. */
  readonly known: TableRows<KnownRow>
  readonly looks: TableRows<LooksRow>
  readonly memory: MemoryRows
  readonly addresses: AddressRows
  readonly domains: DomainRows
  /** Of locked sites. */
  readonly unendorsed: TableRows<UnendorsedRow>
  /** Whether a site, locked or not, is unendorsed. After `readToWeigh`. */
  isUnendorsed(site: bigint): boolean
  /** The aliases, as this transaction sees them. After `readNames`. */
  readonly names: AliasView
  /** `flush` sets until when the site waits, and its rank, when its URLs are written. A site that need not wait is free then. */
  beginToWait(site: SiteRow): void
  /** The URL is in the table under this text now. */
  noteText(key: UrlKey, url: string): void
  /** A part of the visit was applied: what a database records of that beside the rules. */
  applied?(site: SiteRow, part: { ended?: unknown; courtesy: { connectMs?: number } }): void
  /** A turn of the event loop, when it is time for one. */
  breathe(): Promise<void> | undefined
  /** Writes all that was changed so far. The rows can be used afterwards. */
  flush(): Promise<void>

  // Reading.

  readNames(): Soon<void>
  /** Locks those that exist, in one order for all transactions. */
  lockSites(keys: Iterable<bigint>): Soon<void>
  /** Locks those that no other transaction has locked, for sites out of that order. Returns them. */
  lockIdle(keys: Iterable<bigint>): Soon<readonly SiteRow[]>
  /** As they are without a lock. */
  peekSites(keys: Iterable<bigint>): Soon<(key: bigint) => SiteRow | undefined>
  /** As `lockSites`, and makes those that do not exist. */
  makeSites(wanted: readonly { key: bigint; name: SiteName }[]): Soon<void>
  /** URLs of locked sites, with their other spellings and, when refreshing, as known pages and the looks at their sites. */
  readUrls(rows: () => Iterable<UrlAt>): Soon<void>
  /** The texts of the pages on which URLs were found, wherever they are. */
  readVias(urls: readonly UrlText[]): Soon<(url: UrlText) => string | undefined>
  /** What `endorse` and `register` ask about. `named`: by the operator. */
  readToWeigh(targets: readonly Target[], named: boolean): Soon<void>
  readDomains(names: Iterable<string>): Soon<void>
  /** As `readDomains`, and locks them until the end. */
  lockDomains(names: Iterable<string>): Soon<void>
  /** Of links into sites that are not locked, those that may change something; of links into `changing` sites, all. */
  sift(
    groups: readonly SiteLinks[],
    replaced: readonly Replaced[],
    asSeeds: boolean,
    changing: ReadonlySet<bigint>,
  ): Soon<Sifted>
  /** Of pages anywhere, those that are marked as not found. */
  readMissing(pages: readonly UrlAt[]): Soon<(page: UrlAt) => boolean>
  /** Of locked sites, those that are aliases now: others may have dropped one meanwhile. */
  aliasesAmong(sites: readonly bigint[]): Soon<ReadonlySet<bigint>>

  /** Aliases under which something may wait that has to be moved. */
  pendingAliases(atMost: number): Soon<readonly SiteName[]>
  /** In the order given: whether the address is the worker's now. It was before, or it was free. */
  hold(wanted: readonly { address: string; worker: WorkerId }[]): Soon<readonly boolean[]>
}

/** Runs in a transaction of its own. */
export type InTransaction = <Answer>(work: (rows: Rows) => Promise<Answer>) => Promise<Answer>
