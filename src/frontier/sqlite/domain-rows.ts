/** The rows of domains and of unendorsed sites, read when they are asked for and written at once. */
import { unsigned64 } from '../../base/digest.ts'
import { HashSet64 } from '../../base/hash-set.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type DomainRow, type DomainWork, domainKey, newDomain, type UnendorsedRow } from '../rules/domains.ts'

export const READ_DOMAIN = `SELECT name, sites, unendorsed, held, wildcard, pending FROM domain WHERE key = ?`
export const WRITE_DOMAIN = `
  INSERT INTO domain (key, name, sites, unendorsed, held, wildcard, pending) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET sites = excluded.sites, unendorsed = excluded.unendorsed, held = excluded.held,
    wildcard = excluded.wildcard, pending = excluded.pending`
export const READ_UNENDORSED_SITE = `SELECT domain, referrer, since, hold_state FROM unendorsed_site WHERE site = ?`
export const ADD_UNENDORSED_SITE = `
  INSERT INTO unendorsed_site (site, domain, referrer, since, hold_state) VALUES (?, ?, ?, ?, ?)`
export const WRITE_UNENDORSED_SITE = `UPDATE unendorsed_site SET referrer = ?, hold_state = ? WHERE site = ?`
export const REMOVE_UNENDORSED_SITE = `DELETE FROM unendorsed_site WHERE site = ?`
const READ_UNENDORSED = `SELECT site FROM unendorsed_site`
export const READ_IS_SEED = `SELECT seed FROM site WHERE key = ?`

type Domains = DomainWork['domains']
type Unendorsed = DomainWork['unendorsed']

export class DomainRows implements Domains {
  readonly #tx: SqliteTx

  constructor(tx: SqliteTx) {
    this.#tx = tx
  }

  get(name: string): DomainRow | undefined {
    const row = this.#read(name)
    return row?.name === name ? row : undefined
  }

  for(name: string): DomainRow | undefined {
    const row = this.#read(name) ?? newDomain(name)
    return row.name === name ? row : undefined
  }

  isWild(name: string): boolean {
    return this.get(name)?.wildcard === 1
  }

  change({ key, name, sites, unendorsed, held, wildcard, pending }: DomainRow): void {
    this.#tx.run(WRITE_DOMAIN, key, name, sites, unendorsed, held, wildcard, pending)
  }

  #read(name: string): DomainRow | undefined {
    const key = domainKey(name)
    const row = this.#tx.get<Omit<DomainRow, 'key'>>(READ_DOMAIN, key)
    return row && Object.assign(row, { key })
  }
}

/**
 * Which sites may be unendorsed, so that all others need no look-up. A site that ever was unendorsed in this process stays in
 * it, so that a rolled back transaction does no harm: the row decides. 8 to 16 bytes each, so a million take 16 MB.
 */
export class UnendorsedSites {
  #sites: HashSet64 | undefined

  add(tx: SqliteTx, site: bigint): void {
    this.#loaded(tx).add(unsigned64(site))
  }

  mayHave(tx: SqliteTx, site: bigint): boolean {
    const sites = this.#loaded(tx)
    return sites.size > 0 && sites.has(unsigned64(site))
  }

  #loaded(tx: SqliteTx): HashSet64 {
    if (this.#sites !== undefined) return this.#sites
    this.#sites = new HashSet64()
    for (const { site } of tx.eachExact<{ site: bigint }>(READ_UNENDORSED)) this.#sites.add(unsigned64(site))
    return this.#sites
  }
}

export class UnendorsedRows implements Unendorsed {
  readonly #tx: SqliteTx
  readonly #sites: UnendorsedSites

  constructor(tx: SqliteTx, sites: UnendorsedSites) {
    this.#tx = tx
    this.#sites = sites
  }

  get(site: bigint): UnendorsedRow | undefined {
    if (!this.#sites.mayHave(this.#tx, site)) return undefined
    const row = this.#tx.getExact<Record<'domain' | 'since' | 'hold_state', bigint> & { referrer: bigint | null }>(
      READ_UNENDORSED_SITE,
      site,
    )
    return row && { ...row, site, since: Number(row.since), hold_state: Number(row.hold_state) }
  }

  isUnendorsed(site: bigint): boolean {
    return this.get(site) !== undefined
  }

  add({ site, domain, referrer, since, hold_state }: UnendorsedRow): void {
    this.#tx.run(ADD_UNENDORSED_SITE, site, domain, referrer, since, hold_state)
    this.#sites.add(this.#tx, site)
  }

  change({ site, referrer, hold_state }: UnendorsedRow): void {
    this.#tx.run(WRITE_UNENDORSED_SITE, referrer, hold_state, site)
  }

  remove({ site }: UnendorsedRow): void {
    this.#tx.run(REMOVE_UNENDORSED_SITE, site)
  }
}

export function seedOf(tx: SqliteTx, site: bigint): number | undefined {
  return tx.get<{ seed: number }>(READ_IS_SEED, site)?.seed
}
