/** The rows of a transaction on SQLite: read when they are asked for, written by `flush`. */
import type { Instant } from '../../base/clock.ts'
import type { SiteName, UrlKey, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { rowAt, TableRows } from '../../database/tables.ts'
import { writeRow } from '../../database/write-rows.ts'
import type { AliasView, Replaced } from '../aliases.ts'
import type { FrontierOptions } from '../contract.ts'
import { KnownTexts } from '../known-url-cache.ts'
import { LoopYield } from '../loop-yield.ts'
import { DomainRows, UNENDORSED_SITE, type UnendorsedRow } from '../rules/domain-rows.ts'
import { KNOWN_PAGE, type KnownRow, type LooksRow, SITE_LOOKS } from '../rules/known-rows.ts'
import { NOT_FOUND } from '../rules/mark.ts'
import type { Rows, Sifted, SiteLinks } from '../rules/rows.ts'
import { headForOthers, newSite, rankWaiting, type SiteRow, stateAfter } from '../rules/site.ts'
import { AddressRows, MemoryRows, SiteRows } from '../rules/site-rows.ts'
import { readOwnTotals } from '../rules/totals.ts'
import {
  type KnownText,
  NEW_URL,
  SpellingRows,
  URL_TABLE,
  type UrlAt,
  UrlRows,
  type UrlText,
} from '../rules/url-rows.ts'
import { type SharedTools, sharedTools } from '../tools.ts'
import { hold, writeAddresses } from './addresses.ts'
import { AliasTable, CLEAR_IDLE_PENDING, READ_PENDING } from './aliases.ts'
import { readDomain, seedOf, UnendorsedSites, writeDomains } from './domain-rows.ts'
import { readRefreshHead } from './known-rows.ts'
import { GROW_SITE, readQueueHead, readSite, writeSite } from './site-rows.ts'
import { MARK_WAITING, READ_TEXT, readVia, spellingReader, writeUrls } from './url-rows.ts'

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

export class Work implements Rows {
  readonly tx: SqliteTx
  readonly tools: FrontierTools
  readonly now: Instant
  readonly sites: SiteRows
  readonly urls: UrlRows
  readonly spellings: SpellingRows
  readonly known: TableRows<KnownRow>
  readonly looks: TableRows<LooksRow>
  readonly memory: MemoryRows
  readonly addresses = new AddressRows()
  readonly domains: DomainRows
  readonly unendorsed: TableRows<UnendorsedRow>
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
      load: (site, key) => rowAt(tx, URL_TABLE, { site, key }),
      loadText: (site, key) => tx.get<KnownText>(READ_TEXT, site, key),
      insert: (row) => writeRow(tx, NEW_URL, row) === 1,
      mark: ({ site, key }, { mark, tries, url }) => tx.run(MARK_WAITING, mark, tries, url, site, key) === 1,
    })
    this.spellings = new SpellingRows(tx, spellingReader(tx))
    this.known = new TableRows(tx, KNOWN_PAGE)
    this.looks = new TableRows(tx, SITE_LOOKS)
    this.memory = new MemoryRows(tx)
    this.domains = new DomainRows((key) => readDomain(tx, key))
    this.unendorsed = new TableRows(tx, UNENDORSED_SITE, tools.unendorsed.within(tx))
  }

  get names(): AliasView {
    this.#names ??= this.tools.aliases.view()
    return this.#names
  }

  isUnendorsed(site: bigint): boolean {
    return this.unendorsed.get({ site }) !== undefined
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
    for (const rows of [this.spellings, this.known, this.looks, this.memory, this.unendorsed]) await rows.write()
    if (this.#names !== undefined) tools.aliases.write(tx, this.#names.take())
    writeDomains(tx, this.domains)
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

  readToWeigh(): void {}

  readDomains(): void {}

  lockDomains(): void {}

  sift(groups: readonly SiteLinks[], replaced: readonly Replaced[]): Sifted {
    this.tools.texts.refresh(this.tx.rollbacks, () => readOwnTotals(this.tx).urls.known)
    return { groups, replaced }
  }

  readMissing(): (page: UrlAt) => boolean {
    return ({ site, key }) => this.urls.textAt(site, key)?.mark === NOT_FOUND
  }

  aliasesAmong(sites: readonly bigint[]): ReadonlySet<bigint> {
    return new Set(sites)
  }

  readVias(): (url: UrlText) => string | undefined {
    return (url) => readVia(this.tx, url)
  }

  pendingAliases(atMost: number): SiteName[] {
    this.tx.run(CLEAR_IDLE_PENDING)
    return this.tx.all<{ name: string }>(READ_PENDING, atMost).map(({ name }) => name)
  }

  hold(wanted: readonly { address: string; worker: WorkerId }[]): boolean[] {
    return wanted.map(({ address, worker }) => hold(this.tx, address, worker, this.now))
  }
}
