/**
 * Addresses. A worker holds the addresses that its visits have entered, until the last visit there has ended and the pause is
 * over. Free sites whose address another worker holds are reserved for that worker (`holder`).
 */
import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { AddressRows } from '../rules/site-rows.ts'

export const READ_ADDRESS = `SELECT worker, visits, until FROM address WHERE address = ?`
export const HOLD_ADDRESS = `
  INSERT INTO address (address, worker, visits, until) VALUES (?, ?, 1, 0)
  ON CONFLICT (address) DO UPDATE SET visits = CASE worker WHEN excluded.worker THEN visits + 1 ELSE 1 END,
    worker = excluded.worker`
export const READ_IDLE_ADDRESSES = `
  SELECT address FROM address WHERE visits = 0 AND until <= ? ORDER BY until LIMIT ?`
export const READ_SITES_HELD = `SELECT key FROM site WHERE address = ? AND holder > '' LIMIT ?`
const FREE_SITE = `UPDATE site SET holder = '' WHERE key = ?`
const FORGET_ADDRESS = `DELETE FROM address WHERE address = ?`
export const RELEASE_ADDRESS = `
  UPDATE address SET visits = max(0, visits - ?), until = max(until, ?) WHERE address = ?`
export const COUNT_AT_ADDRESS = `
  INSERT INTO address_sites (address, sites) VALUES (?, ?) ON CONFLICT (address) DO UPDATE SET sites = max(0, sites + ?)`
export const READ_ADDRESS_SITES = `SELECT sites FROM address_sites WHERE address = ?`

const MAX_FREED = 500

/** The worker that may visit an address now; undefined when any may. */
export function holderOf(tx: SqliteTx, address: string, now: Instant): WorkerId | undefined {
  const row = tx.get<{ worker: WorkerId; visits: number; until: Instant }>(READ_ADDRESS, address)
  return row !== undefined && (row.visits > 0 || row.until > now) ? row.worker : undefined
}

/** Mostly there are none: then reading takes a fifth of an UPDATE that looks for them. */
function freeSites(tx: SqliteTx, address: string, atMost: number): number {
  const sites = tx.allColumns<[key: bigint]>(READ_SITES_HELD, address, atMost)
  for (const [key] of sites) tx.run(FREE_SITE, key)
  return sites.length
}

/**
 * Whether no site is reserved any more for the last holder. A reserved site would wait for that worker, which may be gone, for
 * as long as others have the address. Where there are too many to free at once, the address can't be taken yet.
 */
function isReleased(tx: SqliteTx, address: string): boolean {
  return freeSites(tx, address, MAX_FREED) < MAX_FREED
}

/** Whether the address is the worker's now. */
export function hold(tx: SqliteTx, address: string, worker: WorkerId, now: Instant): boolean {
  const holder = holderOf(tx, address, now)
  const isHere = holder === worker || (holder === undefined && isReleased(tx, address))
  if (isHere) tx.run(HOLD_ADDRESS, address, worker)
  return isHere
}

export function writeAddresses(tx: SqliteTx, rows: AddressRows): void {
  const { ended, moves, counted } = rows.take()
  for (const { address, ended: visits, until } of ended) tx.run(RELEASE_ADDRESS, visits, until, address)
  for (const { address, sites } of moves) {
    tx.run(COUNT_AT_ADDRESS, address, Math.max(0, sites), sites)
    counted(address, tx.get<{ sites: number }>(READ_ADDRESS_SITES, address)?.sites ?? 0)
  }
}

/**
 * Frees addresses whose pause is over, and the sites reserved for their holders. At most so many rows at a time: shared
 * hosting may have a hundred thousand sites at one address.
 */
export function freeAddresses(tx: SqliteTx, now: Instant, maxRows: number): void {
  let rows = maxRows
  for (const { address } of tx.all<{ address: string }>(READ_IDLE_ADDRESSES, now, maxRows)) {
    rows -= freeSites(tx, address, rows)
    if (rows <= 0) return
    tx.run(FORGET_ADDRESS, address)
    rows--
  }
}
