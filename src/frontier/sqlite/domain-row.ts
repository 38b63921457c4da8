/** A domain as its row has it: read, changed in memory, written once. */
import { hash64, signed64 } from '../../base/digest.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { allowedStrangers, type DomainLook } from '../domains.ts'

export const READ_DOMAIN = `SELECT name, sites, strangers, held, wildcard, pending FROM domain WHERE key = ?`
export const READ_DOMAIN_LOOK = `
  SELECT name, sites, strangers, held, wildcard, addresses, probed_at FROM domain WHERE key = ?`
export const WRITE_DOMAIN = `
  INSERT INTO domain (key, name, sites, strangers, held, wildcard, pending) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET sites = excluded.sites, strangers = excluded.strangers, held = excluded.held,
    wildcard = excluded.wildcard, pending = excluded.pending`
export const WRITE_WILDCARD = `UPDATE domain SET addresses = ?, probed_at = ? WHERE key = ?`
export const READ_PENDING_DOMAINS = `SELECT name FROM domain WHERE pending = 1 ORDER BY key LIMIT ?`
export const COUNT_HELD_DOMAINS = `SELECT count(*) AS n FROM domain WHERE held > 0`

export interface DomainRow {
  /** Signed, as the database holds it. */
  readonly key: bigint
  readonly name: string
  sites: number
  strangers: number
  held: number
  wildcard: number
  pending: number
}

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
  if (row === undefined) return { key, name, sites: 0, strangers: 0, held: 0, wildcard: 0, pending: 0 }
  return row.name === name ? Object.assign(row, { key }) : undefined
}

export function writeDomain(tx: SqliteTx, domain: DomainRow): void {
  const { key, name, sites, strangers, held, wildcard, pending } = domain
  tx.run(WRITE_DOMAIN, key, name, sites, strangers, held, wildcard, pending)
}

/** Strangers that may still be visited; below 0, so many are too many. Only where there is a wildcard is there a bound. */
export function roomIn(domain: DomainRow): number {
  return allowedStrangers(domain) - (domain.strangers - domain.held)
}

export function lookAtDomain(tx: SqliteTx, name: string): DomainLook | undefined {
  const row = tx.get<Omit<DomainRow, 'key' | 'pending'> & { addresses: string | null; probed_at: number | null }>(
    READ_DOMAIN_LOOK,
    domainKey(name),
  )
  if (row === undefined || row.name !== name) return undefined
  return {
    name,
    sites: row.sites,
    vouched: row.sites - row.strangers,
    held: row.held,
    wildcard: row.wildcard === 1,
    addresses: row.addresses === null ? [] : (JSON.parse(row.addresses) as string[]),
    ...(row.probed_at === null ? {} : { probedAt: row.probed_at }),
    allowed: allowedStrangers(row),
  }
}

function domainKey(name: string): bigint {
  return signed64(hash64(name))
}
