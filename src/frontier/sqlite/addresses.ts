import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { deferralOf } from '../rules/domains.ts'
import type { SiteRow } from '../rules/site.ts'
import { readVisitId } from '../rules/visit.ts'
import { readSite, writeSite } from './site-rows.ts'
import type { FrontierTools } from './tools.ts'

export const READ_ADDRESS = `SELECT worker, visits, until FROM address WHERE address = ?`
export const HOLD_ADDRESS = `
  INSERT INTO address (address, worker, visits, until) VALUES (?, ?, 1, 0)
  ON CONFLICT (address) DO UPDATE SET visits = CASE worker WHEN excluded.worker THEN visits + 1 ELSE 1 END,
    worker = excluded.worker`

const MAX_FREED = 500

/** Who may ask at an address now: its holder, or undefined when it is anybody's. */
export function holderOf(tx: SqliteTx, address: string, now: number): WorkerId | undefined {
  const row = tx.get<{ worker: WorkerId; visits: number; until: number }>(READ_ADDRESS, address)
  return row !== undefined && (row.visits > 0 || row.until > now) ? row.worker : undefined
}

/**
 * No site is set aside any more for the one who had it: it would wait for him, who may be gone, for as long as others have the
 * address. Where they are more than are freed in one go, the address is nobody's to take yet.
 */
function isNobodys(tx: SqliteTx, address: string): boolean {
  return tx.run(FREE_SITES_OF_ADDRESS, address, MAX_FREED) < MAX_FREED
}

/** One visit holds one address. Where it was refused is remembered: the site then goes to the holder. */
export function holdAddress(
  tx: SqliteTx,
  tools: FrontierTools,
  { worker, visit, address }: { worker: WorkerId; visit: VisitId; address: string },
): 'here' | 'elsewhere' {
  const id = readVisitId(visit)
  const site = id === undefined ? undefined : readSite(tx, signed64(id.site))
  if (site === undefined || site.state !== 'leased' || site.fence !== id?.fence || site.worker !== worker)
    return 'elsewhere'
  if (site.entered === address) return 'here'
  const holder = holderOf(tx, address, tools.time.now())
  const here = holder === worker || (holder === undefined && isNobodys(tx, address))
  if (here) {
    if (site.entered !== null) releaseAddress(tx, site.entered, tools.time.now() + tools.addressPauseMs)
    tx.run(HOLD_ADDRESS, address, worker)
    site.entered = address
  }
  learnAddress(tx, site, address)
  writeSite(tx, site)
  return here ? 'here' : 'elsewhere'
}

export const RELEASE_ADDRESS = `
  UPDATE address SET visits = max(0, visits - 1), until = max(until, ?) WHERE address = ?`

/** A visit there has ended: the address stays its worker's until the last of them has, plus the pause. */
export function releaseAddress(tx: SqliteTx, address: string, until: Instant): void {
  tx.run(RELEASE_ADDRESS, until, address)
}

export const LEAVE_ADDRESS = `UPDATE address_sites SET sites = sites - 1 WHERE address = ?`
export const JOIN_ADDRESS = `
  INSERT INTO address_sites (address, sites) VALUES (?, 1) ON CONFLICT (address) DO UPDATE SET sites = sites + 1`
export const READ_ADDRESS_SITES = `SELECT sites FROM address_sites WHERE address = ?`

/** Where a site was found. With very many others there, it comes after sites that are more by themselves. */
export function learnAddress(tx: SqliteTx, site: SiteRow, address: string): void {
  if (address === site.address) return
  if (site.address !== null) tx.run(LEAVE_ADDRESS, site.address)
  tx.run(JOIN_ADDRESS, address)
  site.address = address
  if (site.seed === 1) return
  site.deferral = Math.max(
    site.deferral,
    deferralOf(tx.get<{ sites: number }>(READ_ADDRESS_SITES, address)?.sites ?? 1),
  )
}

export const READ_IDLE_ADDRESSES = `
  SELECT address FROM address WHERE visits = 0 AND until <= ? ORDER BY until LIMIT ?`
export const FREE_SITES_OF_ADDRESS = `
  UPDATE site SET holder = '' WHERE key IN (SELECT key FROM site WHERE address = ? AND holder > '' LIMIT ?)`
export const FORGET_ADDRESS = `DELETE FROM address WHERE address = ?`

/**
 * Addresses whose pause is over belong to nobody, and neither do the sites that were set aside for their holders.
 * At most so many rows at a time: shared hosting may have a hundred thousand sites at one address.
 */
export function freeAddresses(tx: SqliteTx, now: Instant, maxRows: number): void {
  let rows = maxRows
  for (const { address } of tx.all<{ address: string }>(READ_IDLE_ADDRESSES, now, maxRows)) {
    const freed = tx.run(FREE_SITES_OF_ADDRESS, address, rows)
    rows -= freed
    if (rows <= 0) return
    tx.run(FORGET_ADDRESS, address)
    rows--
  }
}
