/** The rows of domains and of unendorsed sites, one at a time. */
import { unsigned64 } from '../../base/digest.ts'
import { HashSet64 } from '../../base/hash-set.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { PlaceFilter } from '../../database/tables.ts'
import type { DomainRow, DomainRows } from '../rules/domain-rows.ts'

export const READ_DOMAIN = `SELECT name, sites, unendorsed, held, wildcard, pending FROM domain WHERE key = ?`
export const WRITE_DOMAIN = `
  INSERT INTO domain (key, name, sites, unendorsed, held, wildcard, pending) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET sites = excluded.sites, unendorsed = excluded.unendorsed, held = excluded.held,
    wildcard = excluded.wildcard, pending = excluded.pending`
const WRITE_PROBE = `UPDATE domain SET addresses = ?, probed_at = ? WHERE key = ?`
const READ_UNENDORSED = `SELECT site FROM unendorsed_site`
export const READ_IS_SEED = `SELECT seed FROM site WHERE key = ?`
export function readDomain(tx: SqliteTx, key: bigint): DomainRow | undefined {
  const row = tx.get<Omit<DomainRow, 'key'>>(READ_DOMAIN, key)
  return row && Object.assign(row, { key })
}

export function writeDomains(tx: SqliteTx, domains: DomainRows): void {
  for (const { row, probe } of domains.take()) {
    tx.run(WRITE_DOMAIN, row.key, row.name, row.sites, row.unendorsed, row.held, row.wildcard, row.pending)
    if (probe !== undefined) tx.run(WRITE_PROBE, probe.addresses, probe.at, row.key)
  }
}

/**
 * Which sites may be unendorsed, so that all others need no look-up. A site that ever was unendorsed in this process stays in
 * it, so that a rolled back transaction does no harm: the row decides. 8 to 16 bytes each, so a million take 16 MB.
 */
export class UnendorsedSites {
  #sites: HashSet64 | undefined

  within(tx: SqliteTx): PlaceFilter {
    return {
      mayHave: ({ site }) => {
        const sites = this.#loaded(tx)
        return sites.size > 0 && sites.has(unsigned64(site))
      },
      add: ({ site }) => void this.#loaded(tx).add(unsigned64(site)),
    }
  }

  #loaded(tx: SqliteTx): HashSet64 {
    if (this.#sites !== undefined) return this.#sites
    this.#sites = new HashSet64()
    for (const { site } of tx.eachExact<{ site: bigint }>(READ_UNENDORSED)) this.#sites.add(unsigned64(site))
    return this.#sites
  }
}

export function seedOf(tx: SqliteTx, site: bigint): number | undefined {
  return tx.get<{ seed: number }>(READ_IS_SEED, site)?.seed
}
