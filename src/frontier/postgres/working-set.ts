/**
 * The rows of a transaction on PostgreSQL. Those that an operation needs are locked and read in bulk, changed in memory by the
 * rules of `../rules`, and written by `flush`: a bounded number of round trips, however much it is. Each statement is for one
 * bucket; those of one step are sent together, in the order of buckets and keys.
 *
 * Locks are taken in one order everywhere: sites by bucket and key, then new sites, domains, unendorsed sites, addresses.
 * URLs, spellings and memory belong to the transaction that has locked their site. What must be locked out of that order is
 * locked only when it is idle. If a deadlock still happens, PostgreSQL ends one of the two transactions and the
 * database runs it again: so everything here is made anew for each run.
 */

import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { SiteName, WorkerId } from '../../contracts/visit.ts'
import { beginInTurns, column, readBy } from '../../database/postgres/by-bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { type PlaceFilter, readRows, TableRows } from '../../database/tables.ts'
import type { AliasView, Replaced } from '../aliases.ts'
import { LoopYield } from '../loop-yield.ts'
import { DomainRows, UNENDORSED_SITE, type UnendorsedRow } from '../rules/domain-rows.ts'
import { KNOWN_PAGE, type KnownRow, type LooksRow, SITE_LOOKS } from '../rules/known-rows.ts'
import type { Rows, Sifted, SiteLinks, Target } from '../rules/rows.ts'
import { headForOthers, type QueueHead, queueHead, rankWaiting, type SiteRow, stateAfter } from '../rules/site.ts'
import { AddressRows, MemoryRows, SiteRows } from '../rules/site-rows.ts'
import { SpellingRows, type UrlAt, UrlRows, type UrlText } from '../rules/url-rows.ts'
import { hold, writeAddresses } from './address-rows.ts'
import { ANYWHERE } from './affinity.ts'
import { aliasesAmong, readPending, writeAliases } from './aliases.ts'
import { lockDomains, readDomains, readToWeigh, writeDomains } from './domain-rows.ts'
import { readRefreshHeads } from './known-rows.ts'
import { learnNearness } from './nearness.ts'
import { isTrusted, sift } from './sift.ts'
import { lockIdle, lockSites, makeSites, readSites, type SharedSite, writeSites } from './site-rows.ts'
import type { FrontierTools } from './tools.ts'
import { readMissing, readUrls, readVias, writeUrls } from './url-rows.ts'

export class WorkingSet implements Rows {
  readonly tx: PostgresTx
  readonly tools: FrontierTools
  readonly now: Instant
  readonly sites = new SiteRows<SharedSite>()
  readonly urls = new UrlRows()
  readonly spellings: SpellingRows
  readonly known: TableRows<KnownRow>
  readonly looks: TableRows<LooksRow>
  readonly memory: MemoryRows
  readonly addresses = new AddressRows()
  readonly domains = new DomainRows()
  readonly unendorsed: TableRows<UnendorsedRow>
  #names: AliasView | undefined
  readonly #beginning = new Set<bigint>()
  readonly #loopYield: LoopYield
  /** Of sites that are not locked: whether they are unendorsed. */
  readonly #peeked = new Map<bigint, boolean>()

  constructor(tx: PostgresTx, tools: FrontierTools) {
    this.tx = tx
    this.tools = tools
    this.now = tools.time.now()
    this.#loopYield = new LoopYield(tools.clock)
    this.spellings = new SpellingRows(tx)
    this.known = new TableRows(tx, KNOWN_PAGE)
    this.looks = new TableRows(tx, SITE_LOOKS)
    this.memory = new MemoryRows(tx)
    this.unendorsed = new TableRows(tx, UNENDORSED_SITE, NONE_UNREAD)
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

  breathe(): Promise<void> | undefined {
    return this.#loopYield.take()
  }

  async flush(): Promise<void> {
    const { tx, tools } = this
    tools.writers.add(tx)
    const kept = [...this.#beginning].flatMap((key) => this.sites.get(key) ?? [])
    const beginning = kept.filter(({ state }) => state === 'waiting')
    this.#beginning.clear()
    const names = this.#names
    const writes: (() => Promise<unknown>)[] = [
      () => Promise.all(writeUrls(tx, this.urls)),
      () => Promise.all([this.spellings, this.memory, this.known, this.looks].map((rows) => rows.write())),
      () => Promise.all([names && writeAliases(tx, names.take()), writeDomains(tx, this.domains)]),
      () => this.unendorsed.write(),
    ]
    const writing = await beginInTurns(
      () => this.breathe(),
      writes,
      (write) => write(),
    )
    const addresses = writeAddresses(tx, this.addresses)
    const [heads] = await Promise.all([this.readHeads(beginning), ...writing, ...addresses.writes])
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
      this.tools.refresh && this.known.read(wanted),
      this.tools.refresh && this.looks.read(wanted.map(({ site }) => ({ site }))),
    ])
    await this.spellings.read(spelt)
    const others = spelt.flatMap((at) => this.spellings.of(at)).filter(({ tried }) => tried === 0)
    const apart = others.flatMap(({ site, url }) => {
      const key = this.tools.urls.keyApart(url)
      return key === undefined ? [] : { site, key: signed64(key) }
    })
    if (apart.length === 0) return
    await readUrls(this.tx, this.urls, apart)
    if (this.tools.refresh !== undefined) await this.known.read(apart)
  }

  readToWeigh(targets: readonly Target[], named: boolean): Promise<void> {
    const doubtful = targets.filter((site) => this.sites.isMade(site.key) || !isTrusted(this.tools, site))
    return readToWeigh(this, doubtful, named)
  }

  async peekUnendorsed(sites: readonly bigint[]): Promise<void> {
    const missing = sites.filter((site) => !this.unendorsed.isRead({ site }) && !this.#peeked.has(site))
    const rows = await readRows(
      this.tx,
      UNENDORSED_SITE,
      missing.map((site) => ({ site })),
    )
    for (const site of missing) this.#peeked.set(site, false)
    for (const { site } of rows) this.#peeked.set(site, true)
  }

  isUnendorsed(site: bigint): boolean {
    const isLocked = this.unendorsed.isRead({ site })
    return isLocked ? this.unendorsed.get({ site }) !== undefined : this.#peeked.get(site) === true
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

  readVias(urls: readonly UrlText[]): Promise<(url: UrlText) => string | undefined> {
    return readVias(this.tx, urls)
  }

  pendingAliases(atMost: number): Promise<SiteName[]> {
    return readPending(this.tx, atMost)
  }

  hold(wanted: readonly { address: string; worker: WorkerId }[]): Promise<readonly boolean[]> {
    return hold(this.tx, wanted, this.now)
  }
}

/** Of sites that are trusted no row is read. */
const NONE_UNREAD: PlaceFilter = { mayHave: () => false, add() {} }

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
