import type { WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'

export const SET_ASIDE = `UPDATE site SET holder = ? WHERE key = ?`

/** A free site whose address another worker holds leaves the way of all others: it is met once, not at every check-out. */
export function setAside(tx: SqliteTx, site: bigint, holder: WorkerId): void {
  tx.run(SET_ASIDE, holder, site)
}
