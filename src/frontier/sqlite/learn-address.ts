import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { deferralOf } from '../domains.ts'
import type { SiteRow } from '../site-row.ts'

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
