import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'

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
