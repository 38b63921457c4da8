/** Sites that nobody vouches for, a row each, and a set in memory that spares all others the look-up. */

import { unsigned64 } from '../../base/digest.ts'
import { HashSet64 } from '../../base/hash-set.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'

export const READ_UNENDORSED_SITE = `SELECT domain, referrer, since, status FROM unendorsed_site WHERE site = ?`
export const ADD_UNENDORSED_SITE = `INSERT INTO unendorsed_site (site, domain, referrer, since, status) VALUES (?, ?, ?, ?, ?)`
export const WRITE_REFERRER = `UPDATE unendorsed_site SET referrer = ? WHERE site = ?`
export const WRITE_STATUS = `UPDATE unendorsed_site SET status = ? WHERE site = ?`
export const REMOVE_UNENDORSED_SITE = `DELETE FROM unendorsed_site WHERE site = ?`
export const READ_UNENDORSED = `SELECT site FROM unendorsed_site`

export interface UnendorsedRow {
  domain: bigint
  referrer: bigint | null
  since: bigint
  status: bigint
}

/**
 * Who may be a stranger. Whoever ever was one in this process stays in it, so that a transaction that is taken back does
 * no harm: a row decides. 8 to 16 bytes each, so a million take 16 MB.
 */
export class UnendorsedSites {
  #sites: HashSet64 | undefined

  add(tx: SqliteTx, site: bigint): void {
    this.#loaded(tx).add(unsigned64(site))
  }

  read(tx: SqliteTx, site: bigint): UnendorsedRow | undefined {
    const sites = this.#loaded(tx)
    if (sites.size === 0 || !sites.has(unsigned64(site))) return undefined
    return tx.getExact<UnendorsedRow>(READ_UNENDORSED_SITE, site)
  }

  #loaded(tx: SqliteTx): HashSet64 {
    if (this.#sites !== undefined) return this.#sites
    this.#sites = new HashSet64()
    for (const { site } of tx.eachExact<{ site: bigint }>(READ_UNENDORSED)) this.#sites.add(unsigned64(site))
    return this.#sites
  }
}
