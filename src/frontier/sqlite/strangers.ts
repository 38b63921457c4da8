/** Sites that nobody vouches for, a row each, and a set in memory that spares all others the look-up. */

import { unsigned64 } from '../../base/digest.ts'
import { HashSet64 } from '../../base/hash-set.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'

export const READ_STRANGER = `SELECT domain, speaker, since, standing FROM stranger WHERE site = ?`
export const ADD_STRANGER = `INSERT INTO stranger (site, domain, speaker, since, standing) VALUES (?, ?, ?, ?, ?)`
export const WRITE_SPEAKER = `UPDATE stranger SET speaker = ? WHERE site = ?`
export const WRITE_STANDING = `UPDATE stranger SET standing = ? WHERE site = ?`
export const REMOVE_STRANGER = `DELETE FROM stranger WHERE site = ?`
export const READ_STRANGERS = `SELECT site FROM stranger`

export interface StrangerRow {
  domain: bigint
  speaker: bigint | null
  since: bigint
  standing: bigint
}

/**
 * Who may be a stranger. Whoever ever was one in this process stays in it, so that a transaction that is taken back does
 * no harm: a row decides. 8 to 16 bytes each, so a million take 16 MB.
 */
export class StrangerBook {
  #sites: HashSet64 | undefined

  add(tx: SqliteTx, site: bigint): void {
    this.#loaded(tx).add(unsigned64(site))
  }

  read(tx: SqliteTx, site: bigint): StrangerRow | undefined {
    const sites = this.#loaded(tx)
    if (sites.size === 0 || !sites.has(unsigned64(site))) return undefined
    return tx.getExact<StrangerRow>(READ_STRANGER, site)
  }

  #loaded(tx: SqliteTx): HashSet64 {
    if (this.#sites !== undefined) return this.#sites
    this.#sites = new HashSet64()
    for (const { site } of tx.eachExact<{ site: bigint }>(READ_STRANGERS)) this.#sites.add(unsigned64(site))
    return this.#sites
  }
}
