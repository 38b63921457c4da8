import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteRow } from '../site-row.ts'

export const GROW_SITE = `UPDATE site SET seq = ?, known = ?, waiting = ?, seed = ? WHERE key = ?`

/**
 * More URLs, and nothing else is new: no index is touched. Links abroad lead to sites all over the table, and writing the
 * whole row there cost half of applying a report.
 */
export function growSite(tx: SqliteTx, site: SiteRow): void {
  tx.run(GROW_SITE, site.seq, site.known, site.waiting, site.seed, site.key)
}
