import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitId } from '../../contracts/visit.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, type SiteRow } from '../site-row.ts'
import { readVisitId } from '../visit-id.ts'
import { lockVisits } from './lock-visits.ts'
import { readSites } from './site-rows.ts'
import type { WorkingSet } from './working-set.ts'

interface StoredPart {
  visit: VisitId
  fence: number
  part?: number
  last?: boolean
}

/**
 * Parts lie in the inbox after which their sites must not be handed out before `settle` has seen them. Most change nothing,
 * and wait for nobody: the site may be in the hands of whoever applies the part before.
 */
export async function awaitParts(working: WorkingSet, parts: readonly StoredPart[]): Promise<void> {
  const sites = await readSites(
    working.tx,
    parts.flatMap(({ visit }) => siteKeyOf(visit) ?? []),
  )
  const matter = parts.filter((part) => {
    const key = siteKeyOf(part.visit)
    return key !== undefined && isAwaited(sites.get(key), part, working.now)
  })
  if (matter.length === 0) return
  const siteOf = await lockVisits(
    working,
    matter.map(({ visit }) => visit),
  )
  for (const part of matter) {
    const site = siteOf(part.visit)
    if (site === undefined || !isAwaited(site, part, working.now)) continue
    if (site.worker === null || (part.last ?? true)) site.state = stateAfter(site.state, { kind: 'part-stored' })
    site.lease_until = Math.max(site.lease_until ?? 0, working.now + working.tools.leaseMs)
    working.sites.change(site)
  }
  await working.flush()
}

/** Of a visit that is over, or whose site went to another, nothing is awaited; nor is what was applied before. */
function isAwaited(
  site: SiteRow | undefined,
  { fence, part = ALL_PARTS, last = true }: StoredPart,
  now: Instant,
): boolean {
  if (site === undefined || site.fence !== fence || part <= site.part) return false
  // While the lease lasts, only the last part changes anything. One that has just run out must not be reaped between this
  // transaction and the one that applies the part: the site could be with another by then.
  return site.worker === null || last || (site.lease_until !== null && site.lease_until <= now)
}

function siteKeyOf(visit: VisitId): bigint | undefined {
  const id = readVisitId(visit)
  return id === undefined ? undefined : signed64(id.site)
}
