import type { VisitId } from '../../visit/visit.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS } from '../site-row.ts'
import { lockVisits } from './lock-visits.ts'
import type { Sheaf } from './sheaf.ts'

/** Parts lie in the inbox after which their sites must not be handed out before `settle` has seen them. */
export async function awaitParts(
  sheaf: Sheaf,
  parts: readonly { visit: VisitId; fence: number; last?: boolean }[],
): Promise<void> {
  const siteOf = await lockVisits(
    sheaf,
    parts.map(({ visit }) => visit),
  )
  for (const { visit, fence, last = true } of parts) {
    const site = siteOf(visit)
    // Of a visit that is over, or whose site went to another, nothing is awaited.
    if (site === undefined || site.fence !== fence || site.part === ALL_PARTS) continue
    if (site.worker !== null && !last) {
      // While the lease lasts, only the last part changes anything. One that has just run out must not be reaped between
      // this transaction and the one that applies the part: the site could be with another by then.
      if (site.lease_until === null || site.lease_until > sheaf.now) continue
    } else site.state = stateAfter(site.state, { kind: 'part-stored' })
    site.lease_until = sheaf.now + sheaf.rules.leaseMs
    sheaf.sites.change(site)
  }
  await sheaf.flush()
}
