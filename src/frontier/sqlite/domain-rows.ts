/** The rows of domains and of unendorsed sites, one at a time. */
import { unsigned64 } from '../../base/digest.ts'
import { HashSet64 } from '../../base/hash-set.ts'
import { keyed } from '../../database/schema/columns.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { writeRow } from '../../database/write-rows.ts'
import {
  type DomainRow,
  type DomainRows,
  UNENDORSED_SITE,
  type UnendorsedRow,
  type UnendorsedRows,
} from '../rules/domain-rows.ts'
import { HELD, HOLDABLE } from '../rules/domains.ts'

export const READ_DOMAIN = `SELECT name, sites, unendorsed, held, wildcard, pending FROM domain WHERE key = ?`
export const WRITE_DOMAIN = `
  INSERT INTO domain (key, name, sites, unendorsed, held, wildcard, pending) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET sites = excluded.sites, unendorsed = excluded.unendorsed, held = excluded.held,
    wildcard = excluded.wildcard, pending = excluded.pending`
const WRITE_PROBE = `UPDATE domain SET addresses = ?, probed_at = ? WHERE key = ?`
export const READ_UNENDORSED_SITE = `SELECT domain, referrer, since, hold_state FROM unendorsed_site WHERE site = ?`
export const WRITE_UNENDORSED_SITE = UNENDORSED_SITE.sqlite
export const REMOVE_UNENDORSED_SITE = `DELETE FROM unendorsed_site WHERE site = ?`
const READ_UNENDORSED = `SELECT site FROM unendorsed_site`
export const READ_IS_SEED = `SELECT seed FROM site WHERE key = ?`
export const READ_NEWEST = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND hold_state = ${HOLDABLE} ORDER BY since DESC, site DESC LIMIT ?`
export const READ_OLDEST_HELD = `
  SELECT site FROM unendorsed_site WHERE domain = ? AND hold_state = ${HELD} ORDER BY since, site LIMIT ?`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY key LIMIT ?`
export const READ_HELD_AFTER = `
  SELECT site FROM unendorsed_site WHERE site > ? AND hold_state = ${HELD} ORDER BY site LIMIT ?`

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

export function readUnendorsed(tx: SqliteTx, site: bigint): UnendorsedRow | undefined {
  const row = tx.getExact<Omit<UnendorsedRow, 'site'>>(READ_UNENDORSED_SITE, site)
  return row && Object.assign(keyed(row), { site })
}

export function writeUnendorsed(tx: SqliteTx, known: UnendorsedSites, rows: UnendorsedRows): void {
  const { removed, written } = rows.take()
  for (const site of removed) tx.run(REMOVE_UNENDORSED_SITE, site)
  for (const row of written) {
    writeRow(tx, UNENDORSED_SITE, row)
    known.add(tx, row.site)
  }
}

export function seedOf(tx: SqliteTx, site: bigint): number | undefined {
  return tx.get<{ seed: number }>(READ_IS_SEED, site)?.seed
}
