import type { Instant } from '../../base/clock.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { lossesAfter, restAfter } from '../caution.ts'
import type { LostVisit } from '../ledger.ts'
import { stateAfter } from '../site.ts'
import type { SiteRow } from '../site-row.ts'
import { visitId } from '../visit-id.ts'
import { beginToWait } from './begin-to-wait.ts'
import { endLease } from './end-lease.ts'
import type { Rules } from './rules.ts'
import { writeSite } from './write-site.ts'

/**
 * A visit that will not end by itself. Nobody knows when it asked for the last time, but it was not after `quietSince`:
 * the pause counts from there. `part` stays: what the visit sent before is still welcome until the site goes to another.
 * `withHouse`: with all others, for the house itself ended.
 */
export function loseVisit(
  tx: SqliteTx,
  rules: Rules,
  site: SiteRow,
  quietSince: Instant,
  withHouse = false,
): LostVisit {
  const lost = { visit: visitId(site.key, site.fence), site: site.name, worker: site.worker ?? '' }
  endLease(tx, rules, site, quietSince)
  site.losses = lossesAfter(site.losses, withHouse)
  site.since = rules.time.now()
  const rest = withHouse ? 0 : restAfter(site.losses, rules.leaseMs)
  site.polite_at = Math.max(site.polite_at, quietSince + Math.max(rules.pauseOf(site), rest))
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') beginToWait(tx, rules, site)
  writeSite(tx, site)
  return lost
}
