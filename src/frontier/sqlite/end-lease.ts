import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteRow } from '../site-row.ts'
import { releaseAddress } from './release-address.ts'
import type { Rules } from './rules.ts'

/** `quietSince`: when the visit can have asked for the last time. */
export function endLease(tx: SqliteTx, rules: Rules, site: SiteRow, quietSince: Instant): void {
  if (site.entered !== null) releaseAddress(tx, site.entered, quietSince + rules.addressPauseMs)
  site.entered = null
  site.worker = null
  site.lease_until = null
  site.granted = 0
}
