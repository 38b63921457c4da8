/**
 * The working set of a transaction. What an operation needs is locked and read in bulk, changed in memory by the rules that
 * every database shares, and written by `flush`: a bounded number of round trips, however much it is. Statements are for one
 * bucket each; those of one step are sent together, in the order of buckets and keys.
 *
 * Locks are taken in one order everywhere: sites by bucket and key, then new sites, domains, strangers, addresses. URLs,
 * spellings and memory belong to whoever has their site's row. What must be locked out of that order is locked only when it
 * is idle; where even that goes wrong, PostgreSQL ends one of the two transactions and the database runs it again: so
 * everything here is made anew for each run.
 */
import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { siteKey } from '../../web/url/web-url.ts'
import type { Renaming } from '../aliases.ts'
import { type SiteRow, stateAfter } from '../rules/site.ts'
import { AddressRows } from './address-rows.ts'
import type { AliasView } from './aliases.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import { DomainRows } from './domain-rows.ts'
import { MemoryRows } from './memory-rows.ts'
import { SiteRows } from './site-rows.ts'
import { SpellingRows } from './spelling-rows.ts'
import type { FrontierTools } from './tools.ts'
import { UnendorsedRows } from './unendorsed-rows.ts'
import { type UrlPlace, UrlRows } from './url-rows.ts'

/** The page on which a link was found. */
export interface PageKeys {
  site: bigint | null
  key: bigint | null
  /** Of its site. */
  name?: SiteName
}

const NOWHERE: PageKeys = { site: null, key: null }

export class WorkingSet {
  readonly tx: PostgresTx
  readonly tools: FrontierTools
  /** One for the whole transaction. */
  readonly now: Instant
  readonly sites: SiteRows
  readonly urls: UrlRows
  readonly spellings: SpellingRows
  readonly memory: MemoryRows
  readonly addresses: AddressRows
  readonly domains: DomainRows
  readonly unendorsed: UnendorsedRows
  readonly linkingSites: LinkingSites
  #names: AliasView | undefined
  readonly #beginning = new Set<bigint>()
  readonly #pages = new Map<string, PageKeys>()

  constructor(tx: PostgresTx, tools: FrontierTools) {
    this.tx = tx
    this.tools = tools
    this.now = tools.time.now()
    this.sites = new SiteRows(tx)
    this.urls = new UrlRows(tx)
    this.spellings = new SpellingRows(tx)
    this.memory = new MemoryRows(tx)
    this.addresses = new AddressRows(tx)
    this.domains = new DomainRows(tx)
    this.unendorsed = new UnendorsedRows(tx)
    this.linkingSites = new LinkingSites(tx, this.sites)
  }

  /** Before the first link is looked at. */
  async readNames(): Promise<void> {
    this.#names = await this.tools.aliases.at(this.tx)
  }

  /** Other names of sites, as this transaction sees them. */
  get names(): AliasView {
    assert(this.#names !== undefined, 'names that were not read')
    return this.#names
  }

  get renaming(): Renaming {
    return { urls: this.tools.urls, aliases: this.names, mayReplace: this.tools.mayReplace }
  }

  /** URLs of locked sites, with their other spellings, and what those are apart from their folder. */
  async readUrls(places: Iterable<UrlPlace>): Promise<void> {
    const spelt = await this.urls.read(this.urls.unread(places))
    await this.spellings.read(spelt)
    const others = spelt.flatMap((place) => this.spellings.of(place)).filter(({ tried }) => tried === 0)
    const apart = others.flatMap(({ site, url }) => {
      const key = this.tools.urls.keyApart(url)
      return key === undefined ? [] : { site, key: signed64(key) }
    })
    if (apart.length > 0) await this.urls.read(this.urls.unread(apart))
  }

  /**
   * A waiting site: until when, and its rank, are known when `flush` has written its URLs; one that need not wait is free
   * then.
   */
  beginToWait(site: SiteRow): void {
    assert(site.state === 'waiting', `a site that is ${site.state} begins to wait`)
    this.#beginning.add(site.key)
    this.sites.change(site)
  }

  /** A site got something to ask: a crawled one waits again, one that waited for a URL to be due may have less to wait. */
  wake(site: SiteRow): void {
    const before = site.state
    site.state = stateAfter(before, { kind: 'urls' })
    if (site.state !== 'waiting') return
    if (before === 'crawled') site.since = this.now
    else if (site.not_before <= site.polite_at) return
    this.beginToWait(site)
  }

  /** A page's keys take 16 bytes where its URL takes 60. A report's links come from few pages, many from each. */
  pageOf(url: string | undefined): PageKeys {
    if (url === undefined || url === '') return NOWHERE
    const known = this.#pages.get(url)
    if (known !== undefined) return known
    const read = this.tools.urls.parse(url)
    const page = read === undefined ? NOWHERE : { site: keyOf(read.site), key: signed64(read.key), name: read.site }
    this.#pages.set(url, page)
    return page
  }

  /** All that was changed so far. The working set can be used on afterwards. */
  async flush(): Promise<void> {
    this.tools.writers.add(this.tx)
    const beginning = [...this.#beginning].flatMap((key) => this.sites.get(key) ?? []).filter(isWaiting)
    this.#beginning.clear()
    const urls = [...this.urls.write(), ...this.spellings.write(), ...this.memory.write()]
    const others = [this.#names?.write(this.tx), ...this.domains.write(), ...this.unendorsed.write()]
    const addresses = this.addresses.write()
    const reading = readQueueHeads(this.tx, beginning)
    const [heads] = await Promise.all([reading, ...urls, ...others, ...addresses.writes])
    for (const site of beginning) {
      const head = heads.get(site.key)
      assert(head !== undefined, `${site.name} waits with nothing to ask`)
      site.not_before = Math.max(site.polite_at, head.due)
      site.rank = this.tools.order.rank({
        oldest: head.oldest,
        since: site.since,
        last: site.fence === 0 ? undefined : site.rank,
        known: site.known,
        waiting: site.waiting,
      })
      site.region = this.tools.affinity.regionFor(site)
      if (site.not_before > this.now) continue
      // Who had it before, or is near it, has some time to ask for it.
      if (site.fence > 0 && this.tools.affinity.isOn) site.not_before = this.now
      else site.state = stateAfter(site.state, { kind: 'due' })
    }
    this.tools.dueCache.changed(await this.sites.write(), addresses.idle)
  }
}

function isWaiting({ state }: SiteRow): boolean {
  return state === 'waiting'
}

/** As the database holds it. */
export function keyOf(site: SiteName): bigint {
  return signed64(siteKey(site))
}

/** What must be known of the sites that speak for others by their links: see `../rules/domains.ts`. */

const READ_SEEDS = `
  SELECT key, seed::float8 AS seed FROM site WHERE bucket = $1 AND key = ANY($2::bigint[])`

class LinkingSites {
  readonly #tx: PostgresTx
  readonly #sites: SiteRows
  /** Of those that are not locked; undefined: there is no such site. */
  readonly #seeds = new Map<bigint, number | undefined>()

  constructor(tx: PostgresTx, sites: SiteRows) {
    this.#tx = tx
    this.#sites = sites
  }

  async peek(keys: Iterable<bigint>): Promise<void> {
    const missing = [...keys].filter((key) => !this.#sites.isLocked(key) && !this.#seeds.has(key))
    for (const key of missing) this.#seeds.set(key, undefined)
    await eachBucket(
      byBucket(missing, (key) => key),
      async (bucket, some) => {
        const rows = await this.#tx.allExact<{ key: bigint; seed: number }>(READ_SEEDS, bucket, some)
        for (const { key, seed } of rows) this.#seeds.set(key, seed)
      },
    )
  }

  /** 1: the operator named it. Undefined: it is not known, or it is new and its turn to be enrolled has not come. */
  seedOf(key: bigint): number | undefined {
    if (this.#sites.isMade(key)) return undefined
    return this.#sites.isLocked(key) ? this.#sites.get(key)?.seed : this.#seeds.get(key)
  }
}

const READ_QUEUE_HEADS = `
  SELECT n.site, f.enqueued_at::float8 AS fresh, d.due_at::float8 AS due FROM unnest($2::bigint[]) AS n (site)
  LEFT JOIN LATERAL (
    SELECT enqueued_at FROM url
    WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at = 0 ORDER BY seq LIMIT 1) f ON true
  LEFT JOIN LATERAL (
    SELECT due_at FROM url
    WHERE bucket = $1 AND site = n.site AND mark = 0 AND due_at > 0 ORDER BY due_at LIMIT 1) d ON true`

interface QueueHead {
  /** Since when the oldest unmarked URL waits, or will. */
  oldest: Instant
  /** When the first of them may be asked for; 0 is at once. */
  due: Instant
}

interface HeadRow {
  site: bigint
  fresh: number | null
  due: number | null
}

/** Of sites with something to ask. */
async function readQueueHeads(tx: PostgresTx, sites: readonly { key: bigint }[]): Promise<Map<bigint, QueueHead>> {
  const heads = new Map<bigint, QueueHead>()
  await eachBucket(
    byBucket(sites, ({ key }) => key),
    async (bucket, some) => {
      for (const { site, fresh, due } of await tx.allExact<HeadRow>(READ_QUEUE_HEADS, bucket, column(some, 'key'))) {
        if (fresh !== null) heads.set(site, { oldest: Math.min(fresh, due ?? fresh), due: 0 })
        else if (due !== null) heads.set(site, { oldest: due, due })
      }
    },
  )
  return heads
}
