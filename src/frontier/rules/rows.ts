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
import type { AliasView, Replaced } from '../aliases.ts'
import type { KnownTexts } from '../known-url-cache.ts'
import type { SharedTools } from '../tools.ts'
import type { DomainRow, DomainRows, UnendorsedRow, UnendorsedRows } from './domain-rows.ts'
import type { KnownRow, KnownRows } from './known-rows.ts'
import type { Lease, SiteRow } from './site.ts'
import type { AddressRows, MemoryRows, SiteRows } from './site-rows.ts'
import type { SpellingRows, UrlAt, UrlRow, UrlRows } from './url-rows.ts'

type Soon<Answer> = Answer | Promise<Answer>

/** Links into one site. */
export interface SiteLinks {
  readonly key: bigint
  readonly name: SiteName
  readonly members: readonly Link[]
  /** Those of them that may change something; without it, all. */
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

/** Unendorsed sites of a domain, in an order; those that another transaction has locked are not among them. */
export interface UnendorsedSites {
  /** How many there are, locked or not, up to what was asked for. */
  found: number
  idle: readonly { site: SiteRow; row: UnendorsedRow }[]
}

export interface Rows {
  readonly tx: Tx
  /** One for the whole transaction. */
  readonly now: Instant
  readonly tools: SharedTools & { texts: KnownTexts }
  /** Other servers write to the same database. */
  readonly isShared: boolean
  readonly sites: SiteRows
  readonly urls: UrlRows
  readonly spellings: SpellingRows
  /** Pages that are looked at again; only when refreshing. */
  readonly known: KnownRows
  readonly memory: MemoryRows
  readonly addresses: AddressRows
  readonly domains: DomainRows
  readonly unendorsed: UnendorsedRows
  /** The aliases, as this transaction sees them. After `readNames`. */
  readonly names: AliasView
  /** `flush` sets until when the site waits, and its rank, when its URLs are written. A site that need not wait is free then. */
  beginToWait(site: SiteRow): void
  /** The URL is in the table under this text now. */
  noteText(key: UrlKey, url: string): void
  /** Its part was applied: what the database learns from that beside the rules. */
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
  /** What the looks at these sites have shown. */
  readLooks(sites: readonly bigint[]): Soon<void>
  /** URLs that findings hold back in a site. */
  readHeldBack(site: bigint): Soon<void>
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

  // Rows that no key tells, as they are in the database: what was changed before is flushed first where it matters.

  /** What waits in a site, the first first, with the page on which it was found. */
  waitingIn(site: SiteRow, atMost: number): Soon<readonly { row: UrlRow; via: string | undefined }[]>
  /** Known pages of a locked site, in the order of their keys; what was changed before is flushed. */
  knownIn(site: bigint, atMost: number): Soon<readonly KnownRow[]>
  /** All URLs in the order of their keys, as they are without a lock; `at`: when a page was fetched last, or enqueued. */
  urlsAfter(last: UrlAt | undefined, atMost: number): Soon<readonly (UrlAt & { mark: number; at: Instant })[]>
  endedLeases(now: Instant): Soon<readonly bigint[]>
  leasesOf(worker: WorkerId): Soon<readonly Lease[]>
  leasesOut(atMost: number): Soon<readonly bigint[]>
  newestHoldable(domain: DomainRow, atMost: number): Soon<UnendorsedSites>
  oldestHeld(domain: DomainRow, atMost: number): Soon<UnendorsedSites>
  /** After the site `last`, in the database's order. */
  heldAfter(last: bigint | undefined, atMost: number): Soon<readonly bigint[]>
  restingAfter(last: bigint | undefined, atMost: number): Soon<readonly bigint[]>
  pendingDomains(atMost: number): Soon<readonly string[]>
  pendingAliases(atMost: number): Soon<readonly SiteName[]>
  namesOf(original: SiteName, atMost: number): Soon<readonly SiteName[]>

  // Statements for rows that are not read.

  writePending(alias: bigint, pending: boolean): Soon<unknown>
  /** All URLs of these locked sites with one of these marks wait again. Returns how many of a site do. */
  revive(sites: readonly bigint[], marks: readonly number[]): Soon<(site: bigint) => number>
  /** In the order given: whether the address is the worker's now. It was before, or it was free. */
  hold(wanted: readonly { address: string; worker: WorkerId }[]): Soon<readonly boolean[]>
  /** No worker holds any address. */
  forgetHolders(): Soon<unknown>
  addSeeds(seeds: readonly { site: bigint; key: bigint; url: string; source: string }[]): Soon<unknown>
}

/** Runs in a transaction of its own. */
export type InTransaction = <Answer>(work: (rows: Rows) => Promise<Answer>) => Promise<Answer>

/** Keys in their order, as many as asked for after the last, each step in a transaction of some milliseconds. */
export async function inSteps(
  transact: InTransaction,
  atOnce: number,
  step: (rows: Rows, last: bigint | undefined) => Promise<readonly bigint[]>,
): Promise<void> {
  let keys: readonly bigint[] = []
  do {
    const last = keys.at(-1)
    keys = await transact((rows) => step(rows, last))
  } while (keys.length >= atOnce)
}

/** Changes every site that waits or is free. */
export function eachResting(
  transact: InTransaction,
  atOnce: number,
  change: (rows: Rows, site: SiteRow) => void,
): Promise<void> {
  return inSteps(transact, atOnce, async (rows, last) => {
    const keys = await rows.restingAfter(last, atOnce)
    await rows.lockSites(keys)
    for (const key of keys) {
      const site = rows.sites.get(key)
      if (site?.state === 'waiting' || site?.state === 'free') change(rows, site)
    }
    await rows.flush()
    return keys
  })
}
