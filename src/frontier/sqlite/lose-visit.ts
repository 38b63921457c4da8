import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { lossesAfter, restAfter } from '../caution.ts'
import type { LostVisit } from '../ledger.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { visitId } from '../visit-id.ts'
import { beginToWait } from './begin-to-wait.ts'
import { endLease } from './end-lease.ts'
import type { FrontierTools } from './tools.ts'
import { writeSite } from './write-site.ts'

/**
 * A visit that will not end by itself. Nobody knows when it asked for the last time, but it was not after `quietSince`:
 * the pause counts from there. `part` stays: what the visit sent before is still welcome until the site goes to another.
 * `withFrontier`: with all others, for the coordinator itself ended.
 */
export function loseVisit(
  tx: SqliteTx,
  tools: FrontierTools,
  site: SiteRow,
  quietSince: Instant,
  withFrontier = false,
): LostVisit {
  const lost = { visit: visitId(site.key, site.fence), site: site.name, worker: site.worker ?? '' }
  endLease(tx, tools, site, quietSince)
  site.losses = lossesAfter(site.losses, withFrontier)
  site.since = tools.time.now()
  const rest = withFrontier ? 0 : restAfter(site.losses, tools.leaseMs)
  site.polite_at = Math.max(site.polite_at, quietSince + Math.max(tools.pauseOf(site), rest))
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') beginToWait(tx, tools, site)
  writeSite(tx, site)
  return lost
}
