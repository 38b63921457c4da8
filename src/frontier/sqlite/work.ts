/** The rows of a transaction on SQLite: read when they are asked for, written by `flush`. */
import { type Clock, type Instant, type Millis, turn } from '../../base/clock.ts'
import type { SiteName, UrlKey, WorkerId } from '../../contracts/visit.ts'
import { keyed } from '../../database/schema/columns.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { AliasView, Replaced } from '../aliases.ts'
import type { FrontierOptions } from '../contract.ts'
import { KnownTexts } from '../known-url-cache.ts'
import { type DomainRow, DomainRows, UnendorsedRows } from '../rules/domain-rows.ts'
import { KnownRows } from '../rules/known-rows.ts'
import { NOT_FOUND } from '../rules/mark.ts'
import type { Rows, Sifted, SiteLinks, UnendorsedSites as Unendorsed } from '../rules/rows.ts'
import { headForOthers, type Lease, newSite, rankWaiting, type SiteRow, stateAfter } from '../rules/site.ts'
import { AddressRows, MemoryRows, SiteRows } from '../rules/site-rows.ts'
import { type KnownText, SpellingRows, type UrlAt, UrlRows } from '../rules/url-rows.ts'
import { type SharedTools, sharedTools } from '../tools.ts'
import { FORGET_ADDRESSES, hold, writeAddresses } from './addresses.ts'
import { AliasTable, CLEAR_IDLE_PENDING, READ_NAMES_OF, READ_PENDING, WRITE_PENDING } from './aliases.ts'
import {
  READ_HELD_AFTER,
  READ_NEWEST,
  READ_OLDEST_HELD,
  READ_PENDING_DOMAINS,
  readDomain,
  readUnendorsed,
  seedOf,
  UnendorsedSites,
  writeDomains,
  writeUnendorsed,
} from './domain-rows.ts'
import { READ_KNOWN_KEYS, readKnownPage, readLooks, readRefreshHead, readUrlsAfter, writeKnown } from './known-rows.ts'
import { writeMemories } from './memory.ts'
import {
  FREE_RESERVED_SITES,
  GROW_SITE,
  READ_ENDED_LEASES,
  READ_LEASES_OF_WORKER,
  READ_OUT,
  READ_RESTING,
  readQueueHead,
  readSite,
  writeSite,
} from './site-rows.ts'
import { readTotals } from './totals.ts'
import {
  ADD_URL_IF_NEW,
  MARK_WAITING,
  READ_TEXT,
  READ_WAITING,
  REVIVE_URLS,
  readHeldBack,
  readUrl,
  readVia,
  spellingReader,
  valuesOf,
  writeSpellings,
  writeUrls,
} from './url-rows.ts'

export interface FrontierTools extends SharedTools {
  aliases: AliasTable
  unendorsed: UnendorsedSites
  texts: KnownTexts
}

export function toolsOf(options: FrontierOptions): FrontierTools {
  return {
    ...sharedTools(options),
    aliases: new AliasTable(options.urls),
    unendorsed: new UnendorsedSites(),
    texts: new KnownTexts(),
  }
}

const ADD_SEED = `INSERT OR IGNORE INTO seed (site, key, url, added_at, source) VALUES (?, ?, ?, ?, ?)`
/** Before every key. */
const FIRST_KEY = -(2n ** 63n)

export class Work implements Rows {
  readonly tx: SqliteTx
  readonly tools: FrontierTools
  readonly now: Instant
  readonly isShared = false
  readonly sites: SiteRows
  readonly urls: UrlRows
  readonly spellings: SpellingRows
  readonly known: KnownRows
  readonly memory = new MemoryRows()
  readonly addresses = new AddressRows()
  readonly domains: DomainRows
  readonly unendorsed: UnendorsedRows
  readonly #beginning = new Set<SiteRow>()
  readonly #loopYield: LoopYield
  #names: AliasView | undefined

  constructor(tx: SqliteTx, tools: FrontierTools) {
    this.tx = tx
    this.tools = tools
    this.now = tools.time.now()
    this.#loopYield = new LoopYield(tools.clock)
    this.sites = new SiteRows({
      load: (key) => readSite(tx, key),
      make: (key, name) => newSite(key, name, this.now),
      seedOf: (key) => seedOf(tx, key),
    })
    this.urls = new UrlRows({
      load: (site, key) => readUrl(tx, site, key),
      loadText: (site, key) => tx.get<KnownText>(READ_TEXT, site, key),
      insert: (row) => tx.run(ADD_URL_IF_NEW, row.site, row.key, ...valuesOf(row)) === 1,
      mark: ({ site, key }, { mark, tries, url }) => tx.run(MARK_WAITING, mark, tries, url, site, key) === 1,
    })
    this.spellings = new SpellingRows(spellingReader(tx))
    this.known = new KnownRows({ page: (at) => readKnownPage(tx, at), looks: (site) => readLooks(tx, site) })
    this.domains = new DomainRows((key) => readDomain(tx, key))
    this.unendorsed = new UnendorsedRows((site) =>
      tools.unendorsed.mayHave(tx, site) ? readUnendorsed(tx, site) : undefined,
    )
  }

  get names(): AliasView {
    this.#names ??= this.tools.aliases.view()
    return this.#names
  }

  beginToWait(site: SiteRow): void {
    this.#beginning.add(site)
    this.sites.change(site)
  }

  noteText(key: UrlKey, url: string): void {
    this.tools.texts.note(key, url)
  }

  breathe(): Promise<void> | undefined {
    return this.#loopYield.take()
  }

  async flush(): Promise<void> {
    const { tx, tools } = this
    await writeUrls(tx, this.urls, () => this.breathe())
    writeSpellings(tx, this.spellings)
    writeKnown(tx, this.known)
    writeMemories(tx, this.memory)
    if (this.#names !== undefined) tools.aliases.write(tx, this.#names.take())
    writeDomains(tx, this.domains)
    writeUnendorsed(tx, tools.unendorsed, this.unendorsed)
    writeAddresses(tx, this.addresses)
    for (const site of this.#beginning) {
      if (site.state !== 'waiting') continue
      this.#rank(site)
      if (site.state === 'waiting' && site.not_before <= this.now) site.state = stateAfter(site.state, { kind: 'due' })
      const pause = this.breathe()
      if (pause !== undefined) await pause
    }
    this.#beginning.clear()
    const { changed, grown } = this.sites.take()
    // Writing the whole row, all over the table, cost half of applying a report.
    for (const { seq, known, waiting, key } of grown) tx.run(GROW_SITE, seq, known, waiting, key)
    for (const site of changed) {
      writeSite(tx, site)
      const pause = this.breathe()
      if (pause !== undefined) await pause
    }
  }

  /** With nothing to wait for it rests. */
  #rank(site: SiteRow): void {
    const { order, refresh } = this.tools
    const fresh = readQueueHead(this.tx, site.key)
    const head =
      refresh === undefined ? (fresh ?? headForOthers(this, site)) : readRefreshHead(this, refresh, site, fresh)
    if (head === undefined && refresh !== undefined) site.state = stateAfter(site.state, { kind: 'ended', left: 0 })
    else rankWaiting(order, site, head)
  }

  readNames(): void {
    this.tools.aliases.refresh(this.tx)
  }

  lockSites(): void {}

  lockIdle(keys: Iterable<bigint>): SiteRow[] {
    return [...keys].flatMap((key) => this.sites.get(key) ?? [])
  }

  peekSites(): (key: bigint) => SiteRow | undefined {
    return (key) => this.sites.get(key)
  }

  makeSites(): void {}

  readUrls(): void {}

  readLooks(): void {}

  readHeldBack(site: bigint): void {
    readHeldBack(this.tx, this.urls, site)
  }

  readToWeigh(): void {}

  readDomains(): void {}

  lockDomains(): void {}

  sift(groups: readonly SiteLinks[], replaced: readonly Replaced[]): Sifted {
    this.tools.texts.refresh(this.tx.rollbacks, () => readTotals(this.tx).urls.known)
    return { groups, replaced }
  }

  readMissing(): (page: UrlAt) => boolean {
    return ({ site, key }) => this.urls.textAt(site, key)?.mark === NOT_FOUND
  }

  aliasesAmong(sites: readonly bigint[]): ReadonlySet<bigint> {
    return new Set(sites)
  }

  waitingIn({ key: site }: SiteRow, atMost: number) {
    return this.tx.allExact<{ key: bigint }>(READ_WAITING, site, atMost).flatMap(({ key }) => {
      const row = this.urls.get(site, key)
      return row === undefined ? [] : [{ row, via: readVia(this.tx, row) }]
    })
  }

  knownIn(site: bigint, atMost: number) {
    const found = this.tx.allExact<{ key: bigint }>(READ_KNOWN_KEYS, site, atMost)
    return found.flatMap(({ key }) => this.known.get({ site, key }) ?? [])
  }

  urlsAfter(last: UrlAt | undefined, atMost: number) {
    const { site, key } = last ?? { site: FIRST_KEY, key: FIRST_KEY }
    return readUrlsAfter(this.tx, site, key, atMost)
  }

  endedLeases(now: Instant): bigint[] {
    return this.#keys(READ_ENDED_LEASES, now)
  }

  leasesOf(worker: WorkerId): Lease[] {
    return this.tx.allExact<Lease>(READ_LEASES_OF_WORKER, worker).map(keyed)
  }

  leasesOut(atMost: number): bigint[] {
    return this.#keys(READ_OUT, atMost)
  }

  restingAfter(last: bigint = FIRST_KEY, atMost: number): bigint[] {
    return this.#keys(READ_RESTING, last, atMost)
  }

  newestHoldable(domain: DomainRow, atMost: number): Unendorsed {
    return this.#unendorsedBy(READ_NEWEST, domain, atMost)
  }

  oldestHeld(domain: DomainRow, atMost: number): Unendorsed {
    return this.#unendorsedBy(READ_OLDEST_HELD, domain, atMost)
  }

  heldAfter(last: bigint = FIRST_KEY, atMost: number): bigint[] {
    return this.tx.allExact<{ site: bigint }>(READ_HELD_AFTER, last, atMost).map(({ site }) => site)
  }

  pendingDomains(atMost: number): string[] {
    return this.#readNames(READ_PENDING_DOMAINS, atMost)
  }

  pendingAliases(atMost: number): SiteName[] {
    this.tx.run(CLEAR_IDLE_PENDING)
    return this.#readNames(READ_PENDING, atMost)
  }

  namesOf(original: SiteName, atMost: number): SiteName[] {
    return this.#readNames(READ_NAMES_OF, original, atMost)
  }

  writePending(alias: bigint, pending: boolean): void {
    this.tx.run(WRITE_PENDING, pending ? 1 : 0, alias)
  }

  revive(sites: readonly bigint[], marks: readonly number[]): (site: bigint) => number {
    const revived = new Map<bigint, number>()
    for (const site of sites) {
      let count = 0
      for (const mark of marks) count += this.tx.run(REVIVE_URLS, site, mark)
      revived.set(site, count)
      this.urls.revived(site, marks)
    }
    return (site) => revived.get(site) ?? 0
  }

  hold(wanted: readonly { address: string; worker: WorkerId }[]): boolean[] {
    return wanted.map(({ address, worker }) => hold(this.tx, address, worker, this.now))
  }

  forgetHolders(): void {
    this.tx.run(FREE_RESERVED_SITES)
    this.tx.run(FORGET_ADDRESSES)
  }

  addSeeds(seeds: readonly { site: bigint; key: bigint; url: string; source: string }[]): void {
    for (const { site, key, url, source } of seeds) this.tx.run(ADD_SEED, site, key, url, this.now, source)
  }

  #keys(sql: string, ...values: (bigint | number | string)[]): bigint[] {
    return this.tx.allExact<{ key: bigint }>(sql, ...values).map(({ key }) => key)
  }

  #readNames(sql: string, ...values: (number | string)[]): string[] {
    return this.tx.all<{ name: string }>(sql, ...values).map(({ name }) => name)
  }

  #unendorsedBy(sql: string, domain: DomainRow, atMost: number): Unendorsed {
    writeUnendorsed(this.tx, this.tools.unendorsed, this.unendorsed)
    const found = this.tx.allExact<{ site: bigint }>(sql, domain.key, atMost)
    const idle = found.flatMap(({ site: key }) => {
      const site = this.sites.get(key)
      const row = this.unendorsed.get(key)
      return site === undefined || row === undefined ? [] : [{ site, row }]
    })
    return { found: found.length, idle }
  }
}

/** A turn costs some microseconds. */
const EVERY: Millis = 1

/**
 * Long work inside a transaction stops for one turn of the event loop now and then, so that a check-out of a prefetched lease,
 * which needs no transaction, need not wait for its end. No other transaction comes in between.
 */
class LoopYield {
  readonly #clock: Clock
  #since: Millis

  /** Work begins now. */
  constructor(clock: Clock) {
    this.#clock = clock
    this.#since = clock.elapsed()
  }

  /** Undefined when it is not time yet: then there is nothing to await. */
  take(): Promise<void> | undefined {
    return this.#clock.elapsed() - this.#since < EVERY ? undefined : this.#turn()
  }

  async #turn(): Promise<void> {
    await turn()
    this.#since = this.#clock.elapsed()
  }
}
