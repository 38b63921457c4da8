/** A domain as its row has it: read, changed in memory, written once. */
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { type DomainRow, type DomainView, domainKey, domainView, newDomain } from '../domains.ts'

export const READ_DOMAIN = `SELECT name, sites, unendorsed, held, wildcard, pending FROM domain WHERE key = ?`
export const READ_DOMAIN_LOOK = `
  SELECT name, sites, unendorsed, held, wildcard, addresses, probed_at FROM domain WHERE key = ?`
export const WRITE_DOMAIN = `
  INSERT INTO domain (key, name, sites, unendorsed, held, wildcard, pending) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET sites = excluded.sites, unendorsed = excluded.unendorsed, held = excluded.held,
    wildcard = excluded.wildcard, pending = excluded.pending`
export const WRITE_WILDCARD = `UPDATE domain SET addresses = ?, probed_at = ? WHERE key = ?`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY key LIMIT ?`
export const COUNT_HELD_DOMAINS = `SELECT count(*) AS n FROM domain WHERE held > 0`

/** Undefined when it is not there, or when another name has the same 64 bits. */
export function readDomain(tx: SqliteTx, name: string): DomainRow | undefined {
  const key = domainKey(name)
  const row = tx.get<Omit<DomainRow, 'key'>>(READ_DOMAIN, key)
  return row?.name === name ? Object.assign(row, { key }) : undefined
}

/** A new one has nothing yet. Of two names with the same 64 bits the second is as good as a domain without limits. */
export function domainFor(tx: SqliteTx, name: string): DomainRow | undefined {
  const key = domainKey(name)
  const row = tx.get<Omit<DomainRow, 'key'>>(READ_DOMAIN, key)
  if (row === undefined) return newDomain(name)
  return row.name === name ? Object.assign(row, { key }) : undefined
}

export function writeDomain(tx: SqliteTx, domain: DomainRow): void {
  const { key, name, sites, unendorsed, held, wildcard, pending } = domain
  tx.run(WRITE_DOMAIN, key, name, sites, unendorsed, held, wildcard, pending)
}

export function viewOfDomain(tx: SqliteTx, name: string): DomainView | undefined {
  const row = tx.get<Parameters<typeof domainView>[0]>(READ_DOMAIN_LOOK, domainKey(name))
  return row?.name === name ? domainView(row) : undefined
}
