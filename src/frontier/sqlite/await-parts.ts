import { signed64 } from '../../base/digest.ts'
import type { VisitId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS } from '../site-row.ts'
import { readVisitId } from '../visit-id.ts'
import { readSite } from './read-site.ts'
import type { Rules } from './rules.ts'
import { writeSite } from './write-site.ts'

/** Parts lie in the inbox after which their sites must not be handed out before `settle` has seen them. */
export function awaitParts(
  tx: SqliteTx,
  rules: Rules,
  visits: readonly { visit: VisitId; fence: number; part?: number; last?: boolean }[],
): void {
  for (const { visit, fence, part = ALL_PARTS, last = true } of visits) {
    const id = readVisitId(visit)
    const site = id === undefined ? undefined : readSite(tx, signed64(id.site))
    // Of a visit that is over, or whose site went to another, nothing is awaited; nor is what was applied before.
    if (site === undefined || site.fence !== fence || part <= site.part) continue
    const now = rules.time.now()
    if (site.worker !== null && !last) {
      // While the lease lasts, only the last part changes anything. One that has just run out must not be reaped between
      // this transaction and the one that applies the part: the site could be with another by then.
      if (site.lease_until === null || site.lease_until > now) continue
    } else site.state = stateAfter(site.state, { kind: 'part-stored' })
    site.lease_until = now + rules.leaseMs
    writeSite(tx, site)
  }
}
