import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'

export const RELEASE_ADDRESS = `
  UPDATE address SET visits = max(0, visits - 1), until = max(until, ?) WHERE address = ?`

/** A visit there has ended: the address stays its worker's until the last of them has, plus the pause. */
export function releaseAddress(tx: SqliteTx, address: string, until: Instant): void {
  tx.run(RELEASE_ADDRESS, until, address)
}
