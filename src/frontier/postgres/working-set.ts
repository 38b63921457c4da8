/**
 * The rows of a transaction on PostgreSQL. Those that an operation needs are locked and read in bulk, changed in memory by the
 * rules of `../rules`, and written by `flush`: a bounded number of round trips, however much it is. Each statement is for one
 * bucket; those of one step are sent together, in the order of buckets and keys.
 *
 * Locks are taken in one order everywhere: sites by bucket and key, then new sites, domains, unendorsed sites, addresses.
 * URLs, spellings and memory belong to the transaction that has locked their site. What must be locked out of that order is
 * locked only when it is idle. If a deadlock happens all the same, PostgreSQL ends one of the two transactions and the
 * database runs it again: so everything here is made anew for each run.
 */

import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { SiteName, WorkerId } from '../../contracts/visit.ts'
import { ALL_BUCKETS } from '../../database/bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { PgValue } from '../../database/postgres/values.ts'
import type { AliasView, Replaced } from '../aliases.ts'
import { type DomainRow, DomainRows, UnendorsedRows } from '../rules/domain-rows.ts'
import { KnownRows } from '../rules/known-rows.ts'
import type { Rows, Sifted, SiteLinks, Target, UnendorsedSites } from '../rules/rows.ts'
import {
  headForOthers,
  type Lease,
  type QueueHead,
  queueHead,
  rankWaiting,
  type SiteRow,
  stateAfter,
} from '../rules/site.ts'
import { AddressRows, MemoryRows, SiteRows } from '../rules/site-rows.ts'
import { SpellingRows, type UrlAt, type UrlRow, UrlRows } from '../rules/url-rows.ts'
import { hold, writeAddresses } from './address-rows.ts'
import { ANYWHERE } from './affinity.ts'
import { aliasesAmong, READ_NAMES_OF, readPending, WRITE_PENDING, writeAliases } from './aliases.ts'
import { bucketFor, bySite, column, eachBucket, readBy } from './by-bucket.ts'
import { lockDomains, readDomains, writeDomains } from './domain-rows.ts'
import { READ_URLS_AFTER, readKnownIn, readKnownPages, readLooks, readRefreshHeads, writeKnown } from './known-rows.ts'
import { READ_ENDED_LEASES, READ_LEASES_OF_WORKER, READ_OUT } from './leases.ts'
import { writeMemories } from './memory-rows.ts'
import { learnNearness } from './nearness.ts'
import { isTrusted, sift } from './sift.ts'
import { lockIdle, lockSites, makeSites, readSites, type SharedSite, writeSites } from './site-rows.ts'
import { readSpellings, writeSpellings } from './spelling-rows.ts'
import type { FrontierTools } from './tools.ts'
import {
  READ_HELD_AFTER,
  READ_NEWEST,
  READ_OLDEST_HELD,
  READ_PENDING_DOMAINS,
  readToWeigh,
  unendorsedBy,
  writeUnendorsed,
} from './unendorsed-rows.ts'
import { READ_HELD_BACK, readMissing, readUrls, readVias, reviveUrls, URL_COLUMNS, writeUrls } from './url-rows.ts'

export const READ_WAITING = `
  SELECT ${URL_COLUMNS} FROM url u WHERE u.bucket = $1 AND u.site = $2 AND u.mark = 0 ORDER BY u.due_at, u.seq LIMIT $3`
const READ_RESTING = `
  SELECT key FROM site WHERE (bucket, key) > ($1, $2) AND state IN ('waiting', 'free') ORDER BY bucket, key LIMIT $3`
const FREE_RESERVED_SITES = `UPDATE site SET holder = '' WHERE bucket = ANY($1::smallint[]) AND holder > ''`
const FORGET_HOLDERS = ['address', 'address_reservation'].map((table) => `DELETE FROM ${table}`)
/** A URL may be given twice: the first counts. */
export const ADD_SEEDS = `
  INSERT INTO seed (bucket, site, key, url, added_at, source)
  SELECT $1::smallint, n.site, n.key, n.url, $6::bigint, n.source
  FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS n (site, key, url, source, nth)
  ORDER BY n.site, n.key, n.nth ON CONFLICT (bucket, site, key) DO NOTHING`

export class WorkingSet implements Rows {
  readonly tx: PostgresTx
  readonly tools: FrontierTools
  readonly now: Instant
  readonly isShared = true
  readonly sites = new SiteRows<SharedSite>()
  readonly urls = new UrlRows()
  readonly spellings = new SpellingRows()
  readonly known = new KnownRows()
  readonly memory = new MemoryRows()
  readonly addresses = new AddressRows()
  readonly domains = new DomainRows()
  readonly unendorsed = new UnendorsedRows()
  #names: AliasView | undefined
  readonly #beginning = new Set<bigint>()

  constructor(tx: PostgresTx, tools: FrontierTools) {
    this.tx = tx
    this.tools = tools
    this.now = tools.time.now()
  }

  get names(): AliasView {
    assert(this.#names !== undefined, 'names that were not read')
    return this.#names
  }

  beginToWait(site: SiteRow): void {
    assert(site.state === 'waiting', `a site that is ${site.state} begins to wait`)
    this.#beginning.add(site.key)
    this.sites.change(site)
  }

  /** Only what is there whether the transaction commits or not is noted: see `sift`. */
  noteText(): void {}

  /** How long the visit took to connect from its region. Where a visit that was given up for lost ran is not known. */
  applied({ key }: SiteRow, { ended, courtesy: { connectMs } }: VisitReport): void {
    const site = this.sites.get(key)
    if (site === undefined || connectMs === undefined || ended === undefined) return
    if (site.worker !== null && site.region !== ANYWHERE) learnNearness(site, site.region, connectMs)
  }

  breathe(): undefined {}

  async flush(): Promise<void> {
    const { tx, tools } = this
    tools.writers.add(tx)
    const kept = [...this.#beginning].flatMap((key) => this.sites.get(key) ?? [])
    const beginning = kept.filter(({ state }) => state === 'waiting')
    this.#beginning.clear()
    const urls = [...writeUrls(tx, this.urls), ...writeSpellings(tx, this.spellings), ...writeMemories(tx, this.memory)]
    urls.push(...writeKnown(tx, this.known))
    const aliases = this.#names && writeAliases(tx, this.#names.take())
    const others = [aliases, writeDomains(tx, this.domains), ...writeUnendorsed(tx, this.unendorsed)]
    const addresses = writeAddresses(tx, this.addresses)
    const reading = this.readHeads(beginning)
    const [heads] = await Promise.all([reading, ...urls, ...others, ...addresses.writes])
    for (const site of beginning) {
      const head = heads.get(site.key) ?? headForOthers(this, site)
      if (head === undefined && tools.refresh !== undefined) {
        // With nothing to wait for it rests.
        site.state = stateAfter(site.state, { kind: 'ended', left: 0 })
        continue
      }
      rankWaiting(tools.order, site, head)
      site.region = tools.affinity.regionFor(site)
      if (site.not_before > this.now) continue
      // The process that had it before, or is near it, has some time to take it.
      if (site.fence > 0 && tools.affinity.isOn) site.not_before = this.now
      else site.state = stateAfter(site.state, { kind: 'due' })
    }
    tools.dueCache.changed(await writeSites(tx, this.sites), addresses.idle)
  }

  /** What is first in these sites' queues, as the statements before leave them. */
  async readHeads(sites: readonly SiteRow[]): Promise<ReadonlyMap<bigint, QueueHead>> {
    const { refresh } = this.tools
    const fresh = readQueueHeads(this.tx, sites)
    return refresh === undefined ? fresh : readRefreshHeads(this, refresh, sites, fresh)
  }

  async readNames(): Promise<void> {
    this.#names = await this.tools.aliases.at(this.tx)
  }

  lockSites(keys: Iterable<bigint>): Promise<void> {
    return lockSites(this.tx, this.sites, keys)
  }

  lockIdle(keys: Iterable<bigint>): Promise<SharedSite[]> {
    return lockIdle(this.tx, this.sites, keys)
  }

  async peekSites(keys: Iterable<bigint>): Promise<(key: bigint) => SiteRow | undefined> {
    const sites = await readSites(this.tx, keys)
    return (key) => sites.get(key)
  }

  makeSites(wanted: readonly { key: bigint; name: SiteName }[]): Promise<void> {
    return makeSites(this.tx, this.sites, wanted, this.now)
  }

  /** With their other spellings, and the rows that those have apart from their folder. */
  async readUrls(rows: () => Iterable<UrlAt>): Promise<void> {
    const wanted = [...rows()]
    const [spelt] = await Promise.all([
      readUrls(this.tx, this.urls, wanted),
      this.tools.refresh && readKnownPages(this.tx, this.known, wanted),
      this.tools.refresh && this.readLooks(wanted.map(bySite)),
    ])
    await readSpellings(this.tx, this.spellings, spelt)
    const others = spelt.flatMap((at) => this.spellings.of(at)).filter(({ tried }) => tried === 0)
    const apart = others.flatMap(({ site, url }) => {
      const key = this.tools.urls.keyApart(url)
      return key === undefined ? [] : { site, key: signed64(key) }
    })
    if (apart.length === 0) return
    await readUrls(this.tx, this.urls, apart)
    if (this.tools.refresh !== undefined) await readKnownPages(this.tx, this.known, apart)
  }

  readLooks(sites: readonly bigint[]): Promise<void> {
    return readLooks(this.tx, this.known, sites)
  }

  async readHeldBack(site: bigint): Promise<void> {
    const held = await this.tx.allExact<UrlAt>(READ_HELD_BACK, bucketFor(site), site)
    await this.readUrls(() => held)
  }

  readToWeigh(targets: readonly Target[], named: boolean): Promise<void> {
    const doubtful = targets.filter((site) => this.sites.isMade(site.key) || !isTrusted(this.tools, site))
    return readToWeigh(this, doubtful, named)
  }

  readDomains(names: Iterable<string>): Promise<void> {
    return readDomains(this.tx, this.domains, names)
  }

  lockDomains(names: Iterable<string>): Promise<void> {
    return lockDomains(this.tx, this.domains, names)
  }

  sift(
    groups: readonly SiteLinks[],
    replaced: readonly Replaced[],
    asSeeds: boolean,
    changing: ReadonlySet<bigint>,
  ): Promise<Sifted> {
    return sift(this, groups, replaced, asSeeds, changing)
  }

  readMissing(pages: readonly UrlAt[]): Promise<(page: UrlAt) => boolean> {
    return readMissing(this.tx, this.urls, pages)
  }

  aliasesAmong(sites: readonly bigint[]): Promise<ReadonlySet<bigint>> {
    return aliasesAmong(this.tx, sites)
  }

  async waitingIn({ key: site }: SiteRow, atMost: number) {
    const found = await this.tx.allExact<UrlRow>(READ_WAITING, bucketFor(site), site, atMost)
    await this.readUrls(() => found)
    const rows = found.flatMap(({ key }) => this.urls.get(site, key) ?? [])
    const viaOf = await readVias(this.tx, rows)
    return rows.map((row) => ({ row, via: viaOf(row) }))
  }

  knownIn(site: bigint, atMost: number) {
    return readKnownIn(this.tx, this.known, bucketFor(site), site, atMost)
  }

  urlsAfter(last: UrlAt | undefined, atMost: number) {
    const from = last === undefined ? [-1, 0n, 0n] : [bucketFor(last.site), last.site, last.key]
    return this.tx.allExact<UrlAt & { mark: number; at: Instant }>(READ_URLS_AFTER, ...from, atMost)
  }

  endedLeases(now: Instant): Promise<bigint[]> {
    return this.#keys(READ_ENDED_LEASES, now)
  }

  leasesOf(worker: WorkerId): Promise<Lease[]> {
    return this.tx.allExact<Lease>(READ_LEASES_OF_WORKER, ALL_BUCKETS, worker)
  }

  leasesOut(atMost: number): Promise<bigint[]> {
    return this.#keys(READ_OUT, ALL_BUCKETS, atMost)
  }

  restingAfter(last: bigint | undefined, atMost: number): Promise<bigint[]> {
    return this.#keys(READ_RESTING, ...after(last), atMost)
  }

  newestHoldable(domain: DomainRow, atMost: number): Promise<UnendorsedSites> {
    return unendorsedBy(this, READ_NEWEST, domain, atMost)
  }

  oldestHeld(domain: DomainRow, atMost: number): Promise<UnendorsedSites> {
    return unendorsedBy(this, READ_OLDEST_HELD, domain, atMost)
  }

  async heldAfter(last: bigint | undefined, atMost: number): Promise<bigint[]> {
    return column(await this.tx.allExact<{ site: bigint }>(READ_HELD_AFTER, ...after(last), atMost), 'site')
  }

  async pendingDomains(atMost: number): Promise<string[]> {
    return column(await this.tx.all<{ name: string }>(READ_PENDING_DOMAINS, atMost), 'name')
  }

  pendingAliases(atMost: number): Promise<SiteName[]> {
    return readPending(this.tx, atMost)
  }

  async namesOf(original: SiteName, atMost: number): Promise<SiteName[]> {
    return column(await this.tx.all<{ name: SiteName }>(READ_NAMES_OF, original, atMost), 'name')
  }

  writePending(alias: bigint, pending: boolean): Promise<unknown> {
    return this.tx.run(WRITE_PENDING, bucketFor(alias), alias, pending ? 1 : 0)
  }

  async revive(sites: readonly bigint[], marks: readonly number[]): Promise<(site: bigint) => number> {
    const revived = await reviveUrls(this.tx, sites, marks)
    for (const site of sites) this.urls.revived(site, marks)
    return revived
  }

  hold(wanted: readonly { address: string; worker: WorkerId }[]): Promise<readonly boolean[]> {
    return hold(this.tx, wanted, this.now)
  }

  async forgetHolders(): Promise<void> {
    await this.tx.run(FREE_RESERVED_SITES, ALL_BUCKETS)
    await Promise.all(FORGET_HOLDERS.map((sql) => this.tx.run(sql)))
  }

  addSeeds(seeds: readonly { site: bigint; key: bigint; url: string; source: string }[]): Promise<unknown> {
    return eachBucket(seeds, bySite, (bucket, some) => {
      const columns = [column(some, 'site'), column(some, 'key'), column(some, 'url'), column(some, 'source')]
      return this.tx.run(ADD_SEEDS, bucket, ...columns, this.now)
    })
  }

  async #keys(sql: string, ...values: PgValue[]): Promise<bigint[]> {
    return column(await this.tx.allExact<{ key: bigint }>(sql, ...values), 'key')
  }
}

/** A place in the order of buckets and keys; without a key, before all. */
function after(key: bigint | undefined): [number, bigint] {
  return key === undefined ? [-1, 0n] : [bucketFor(key), key]
}

export const READ_QUEUE_HEADS = `
  SELECT n.site, f.enqueued_at::float8 AS fresh, d.due_at::float8 AS due FROM unnest($2::bigint[]) AS n (site)
  LEFT JOIN LATERAL (
    SELECT enqueued_at FROM url
    WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at = 0 ORDER BY seq LIMIT 1) f ON true
  LEFT JOIN LATERAL (
    SELECT due_at FROM url
    WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at > 0 ORDER BY due_at LIMIT 1) d ON true`

interface HeadRow {
  site: bigint
  fresh: number | null
  due: number | null
}

/** For sites with something to fetch. */
async function readQueueHeads(tx: PostgresTx, sites: readonly { key: bigint }[]): Promise<Map<bigint, QueueHead>> {
  const heads = new Map<bigint, QueueHead>()
  for (const { site, fresh, due } of await readBy<HeadRow>(tx, READ_QUEUE_HEADS, column(sites, 'key'))) {
    const head = queueHead(fresh, due)
    if (head !== undefined) heads.set(site, head)
  }
  return heads
}
