import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteRow } from '../site-row.ts'
import { releaseAddress } from './release-address.ts'
import type { FrontierTools } from './tools.ts'

/** `quietSince`: when the visit can have asked for the last time. */
export function endLease(tx: SqliteTx, tools: FrontierTools, site: SiteRow, quietSince: Instant): void {
  if (site.entered !== null) releaseAddress(tx, site.entered, quietSince + tools.addressPauseMs)
  site.entered = null
  site.worker = null
  site.lease_until = null
  site.granted = 0
}
