/**
 * The working set of a transaction. The rows that an operation needs are locked and read in bulk, changed in memory by the
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
import type { VisitId } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { Renaming } from '../aliases.ts'
import type { DomainWork } from '../rules/domains.ts'
import { type QueueHead, queueHead, rankWaiting, type SiteRow, stateAfter } from '../rules/site.ts'
import type { UrlAt } from '../rules/spellings.ts'
import { leaseOf, type PartWork } from '../rules/visit.ts'
import { AddressRows } from './address-rows.ts'
import type { AliasView } from './aliases.ts'
import { byKey, column, eachBucket, itself } from './by-bucket.ts'
import { DomainRows } from './domain-rows.ts'
import { MemoryRows } from './memory-rows.ts'
import { type SharedSite, SiteRows } from './site-rows.ts'
import { SpellingRows } from './spelling-rows.ts'
import type { FrontierTools } from './tools.ts'
import { UnendorsedRows } from './unendorsed-rows.ts'
import { UrlRows } from './url-rows.ts'

export class WorkingSet implements PartWork, DomainWork {
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

  /** Before the first link is entered. */
  async readNames(): Promise<void> {
    this.#names = await this.tools.aliases.at(this.tx)
  }

  /** The aliases, as this transaction sees them. */
  get names(): AliasView {
    assert(this.#names !== undefined, 'names that were not read')
    return this.#names
  }

  get renaming(): Renaming {
    return { urls: this.tools.urls, aliases: this.names, mayReplace: this.tools.mayReplace }
  }

  /** Reads URLs of locked sites, with their other spellings, and the rows that those have apart from their folder. */
  async readUrls(rows: Iterable<UrlAt>): Promise<void> {
    const spelt = await this.urls.read(this.urls.unread(rows))
    await this.spellings.read(spelt)
    const others = spelt.flatMap((at) => this.spellings.of(at)).filter(({ tried }) => tried === 0)
    const apart = others.flatMap(({ site, url }) => {
      const key = this.tools.urls.keyApart(url)
      return key === undefined ? [] : { site, key: signed64(key) }
    })
    if (apart.length > 0) await this.urls.read(this.urls.unread(apart))
  }

  /**
   * `flush` sets until when the site waits, and its rank, after it has written its URLs. A site that need not wait is free
   * then.
   */
  beginToWait(site: SiteRow): void {
    assert(site.state === 'waiting', `a site that is ${site.state} begins to wait`)
    this.#beginning.add(site.key)
    this.sites.change(site)
  }

  giveUp({ key }: SiteRow): void {
    this.urls.giveUp(key)
    this.spellings.forgetSite(key)
  }

  /** Locks the sites of visits. The answer tells a visit's site; undefined for a name that is not a visit's. */
  async lockVisits(visits: readonly VisitId[]): Promise<(visit: VisitId) => SharedSite | undefined> {
    await this.sites.lock(visits.flatMap((visit) => leaseOf(visit)?.key ?? []))
    return (visit) => {
      const lease = leaseOf(visit)
      return lease && this.sites.get(lease.key)
    }
  }

  /** Writes all that was changed so far. The working set can be used afterwards. */
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
      rankWaiting(this.tools.order, site, heads.get(site.key))
      site.region = this.tools.affinity.regionFor(site)
      if (site.not_before > this.now) continue
      // The process that had it before, or is near it, has some time to take it.
      if (site.fence > 0 && this.tools.affinity.isOn) site.not_before = this.now
      else site.state = stateAfter(site.state, { kind: 'due' })
    }
    this.tools.dueCache.changed(await this.sites.write(), addresses.idle)
  }
}

function isWaiting({ state }: SiteRow): boolean {
  return state === 'waiting'
}

/** What `../rules/domains.ts` asks about sites that link to others. */

const READ_SEEDS = `
  SELECT key, seed::float8 AS seed FROM site WHERE bucket = $1 AND key = ANY($2::bigint[])`

class LinkingSites {
  readonly #tx: PostgresTx
  readonly #sites: SiteRows
  /** Of sites that are not locked; undefined: it does not exist. */
  readonly #seeds = new Map<bigint, number | undefined>()

  constructor(tx: PostgresTx, sites: SiteRows) {
    this.#tx = tx
    this.#sites = sites
  }

  async peek(keys: Iterable<bigint>): Promise<void> {
    const missing = [...keys].filter((key) => !this.#sites.isLocked(key) && !this.#seeds.has(key))
    for (const key of missing) this.#seeds.set(key, undefined)
    await eachBucket(missing, itself, async (bucket, some) => {
      const rows = await this.#tx.allExact<{ key: bigint; seed: number }>(READ_SEEDS, bucket, some)
      for (const { key, seed } of rows) this.#seeds.set(key, seed)
    })
  }

  /** 1: the operator named it. Undefined: it is not known, or not yet registered in its domain. */
  seedOf(key: bigint): number | undefined {
    if (this.#sites.isMade(key)) return undefined
    return this.#sites.isLocked(key) ? this.#sites.get(key)?.seed : this.#seeds.get(key)
  }
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
  await eachBucket(sites, byKey, async (bucket, some) => {
    for (const { site, fresh, due } of await tx.allExact<HeadRow>(READ_QUEUE_HEADS, bucket, column(some, 'key'))) {
      const head = queueHead(fresh, due)
      if (head !== undefined) heads.set(site, head)
    }
  })
  return heads
}
