/** The sites of a transaction, their addresses and their memory: rows in memory, written at its end. */
import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { freshMemory, type MemoryNews, type SiteMemory } from '../../contracts/site-memory.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { TableRows, tableOf } from '../../database/tables.ts'
import { deferralOf, isGivenUp, type SiteRow, taken } from './site.ts'

interface LoadSites<Site> {
  load?(key: bigint): Site | undefined
  /** A site that does not exist; without it the database makes them before they are asked for. */
  make?(key: bigint, name: SiteName): Site
  /** Of a site whose row is not needed. */
  seedOf?(key: bigint): number | undefined
}

export class SiteRows<Site extends SiteRow = SiteRow> {
  readonly #from: LoadSites<Site>
  /** null: it was read and does not exist. */
  readonly #rows = new Map<bigint, Site | null>()
  readonly #changed = new Set<Site>()
  readonly #grown = new Set<Site>()
  /** Made here, and not yet registered in their domains. */
  readonly #made = new Set<bigint>()
  /** Of sites that are not locked; undefined: it does not exist. */
  readonly #seeds = new Map<bigint, number | undefined>()

  constructor(from: LoadSites<Site> = {}) {
    this.#from = from
  }

  get(key: bigint): Site | undefined {
    const known = this.#rows.get(key)
    if (known !== undefined) return known ?? undefined
    assert(this.#from.load !== undefined, 'a site that was not locked')
    const row = this.#from.load(key)
    this.#rows.set(key, row ?? null)
    return row
  }

  /**
   * An unknown one is made. Of two names with the same 64 bits the second is undefined: it is never crawled, rather than
   * visited under the pause of the first.
   */
  for(key: bigint, name: SiteName): Site | undefined {
    const known = this.get(key)
    if (known !== undefined) return known.name === name ? known : undefined
    const site = this.#from.make?.(key, name)
    if (site === undefined) return undefined
    this.made(site)
    this.#changed.add(site)
    return site
  }

  /** The site, unless another name has the same 64 bits or the site was given up. */
  open(key: bigint, name: SiteName): Site | undefined {
    const site = this.get(key)
    return site === undefined || site.name !== name || isGivenUp(site) ? undefined : site
  }

  isLocked(key: bigint): boolean {
    return this.#rows.has(key)
  }

  /** Rows that were locked and read. */
  keep(rows: readonly Site[]): void {
    for (const row of rows) this.#rows.set(row.key, row)
  }

  /** It was looked for and does not exist. */
  keepAbsent(key: bigint): void {
    this.#rows.set(key, null)
  }

  /** Another transaction has made it meanwhile: it is to be read. */
  unkeep(key: bigint): void {
    this.#rows.delete(key)
  }

  made(site: Site): void {
    this.#rows.set(site.key, site)
    this.#made.add(site.key)
  }

  /** It is new, and not yet registered in its domain. */
  isMade(key: bigint): boolean {
    return this.#made.has(key)
  }

  registered(key: bigint): void {
    this.#made.delete(key)
  }

  change(site: SiteRow): void {
    this.#changed.add(this.#of(site))
  }

  /** It has more URLs, or more that wait (`seq`, `known`, `waiting`): no index is touched. */
  grow(site: SiteRow): void {
    this.#grown.add(this.#of(site))
  }

  #of({ key }: SiteRow): Site {
    const kept = this.get(key)
    assert(kept !== undefined, 'a site that is not there')
    return kept
  }

  keepSeed(key: bigint, seed: number | undefined): void {
    this.#seeds.set(key, seed)
  }

  isSeedRead(key: bigint): boolean {
    return this.#rows.has(key) || this.#seeds.has(key)
  }

  /** 1: the operator named it. Undefined: it is unknown, or not yet registered in its domain. */
  seedOf(key: bigint): number | undefined {
    if (this.#made.has(key)) return undefined
    const known = this.#rows.get(key)
    if (known !== undefined) return known?.seed
    return this.#from.seedOf === undefined ? this.#seeds.get(key) : this.#from.seedOf(key)
  }

  /** The rows to write; `grown`: those that have only grown. */
  take(): { changed: Site[]; grown: Site[] } {
    const changed = taken(this.#changed)
    const isChanged = new Set(changed)
    return { changed, grown: taken(this.#grown).filter((site) => !isChanged.has(site)) }
  }
}

/** The changes of a transaction to addresses, written at its end. */
export class AddressRows {
  readonly #ended = new Map<string, { address: string; ended: number; until: Instant }>()
  readonly #moves = new Map<string, number>()
  readonly #newcomers = new Map<string, SiteRow[]>()

  /** A visit there has ended: the address stays its worker's until the last visit has ended and the pause is over. */
  release(address: string, until: Instant): void {
    const before = this.#ended.get(address)
    this.#ended.set(address, {
      address,
      ended: (before?.ended ?? 0) + 1,
      until: Math.max(until, before?.until ?? 0),
    })
  }

  /** Where a site was found. */
  learn(site: SiteRow, address: string): void {
    if (address === site.address) return
    if (site.address !== null) this.#move(site.address, -1)
    this.#move(address, 1)
    site.address = address
    if (site.seed === 1) return
    const newcomers = this.#newcomers.get(address)
    if (newcomers === undefined) this.#newcomers.set(address, [site])
    else newcomers.push(site)
  }

  /** `counted` receives how many sites an address has now: a site at a crowded one is deferred. */
  take() {
    const ended = [...this.#ended.values()]
    const moves = [...this.#moves].map(([address, sites]) => ({ address, sites }))
    const newcomers = new Map(this.#newcomers)
    this.#ended.clear()
    this.#moves.clear()
    this.#newcomers.clear()
    const counted = (address: string, sites: number) => {
      for (const [nth, site] of (newcomers.get(address) ?? []).reverse().entries())
        if (site.address === address) site.deferral = Math.max(site.deferral, deferralOf(sites - nth))
    }
    return { ended, moves, counted }
  }

  #move(address: string, by: number): void {
    this.#moves.set(address, (this.#moves.get(address) ?? 0) + by)
  }
}

export const SITE_MEMORY = tableOf<{ site: bigint; memory: string }>('site_memory', ['site'])
export const SITE_ROBOTS = tableOf<{ site: bigint; robots: string }>('site_robots', ['site'])
export const SITE_TRAPS = tableOf<{ site: bigint; traps: string }>('site_traps', ['site'])

/**
 * Site memory is carried, never interpreted. It has tables of its own: a robots.txt of 500 KiB must not make the site's row
 * heavy, nor be written again with every part that does not change it.
 */
export class MemoryRows {
  readonly #memory: TableRows<{ site: bigint; memory: string }>
  readonly #robots: TableRows<{ site: bigint; robots: string }>
  readonly #traps: TableRows<{ site: bigint; traps: string }>

  constructor(tx: Tx) {
    this.#memory = new TableRows(tx, SITE_MEMORY)
    this.#robots = new TableRows(tx, SITE_ROBOTS)
    this.#traps = new TableRows(tx, SITE_TRAPS)
  }

  record(site: bigint, { robots, traps, ...memory }: MemoryNews): void {
    this.#memory.put({ site, memory: JSON.stringify(memory) })
    if (robots !== undefined) this.#robots.put({ site, robots: JSON.stringify(robots) })
    if (traps !== undefined) this.#traps.put({ site, traps: JSON.stringify(traps) })
  }

  forget(site: bigint): void {
    for (const rows of [this.#memory, this.#robots, this.#traps]) rows.remove({ site })
  }

  async write(): Promise<void> {
    await Promise.all([this.#memory, this.#robots, this.#traps].map((rows) => rows.write()))
  }
}

export interface StoredMemory {
  memory: string
  robots: string | null
  traps: string | null
}

/** A field that the stored text lacks reads as it does for a new site. */
export function memoryOf(stored: StoredMemory | undefined): SiteMemory {
  const memory = freshMemory()
  if (stored === undefined) return memory
  Object.assign(memory, JSON.parse(stored.memory))
  if (stored.robots !== null) memory.robots = JSON.parse(stored.robots)
  if (stored.traps !== null) memory.traps = JSON.parse(stored.traps)
  return memory
}
