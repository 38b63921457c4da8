import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteRow } from '../site-row.ts'

export const READ_SITE = `
  SELECT name, state, reason, since, seed, rank, losses, deferral, not_before, polite_at, pause, address, holder, fence, worker,
    lease_until, entered, granted, part, seq, known, waiting
  FROM site WHERE key = ?`

/**
 * The key is left out of the statement, so that everything else can be read as plain numbers. It is put into the row that
 * came: copying all columns into another object cost as much as the statement.
 */
export function readSite(tx: SqliteTx, key: bigint): SiteRow | undefined {
  const row = tx.get<Omit<SiteRow, 'key'>>(READ_SITE, key)
  return row === undefined ? undefined : Object.assign(row, { key })
}
