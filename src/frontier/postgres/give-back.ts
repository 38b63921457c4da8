import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, isBegun, type SiteRow } from '../site-row.ts'
import { readVisitId, visitId } from '../visit-id.ts'
import { endLease } from './end-visit.ts'
import { lockVisits } from './lock-visits.ts'
import { ALL_BUCKETS, READ_LEASES_OF_WORKER } from './reap.ts'
import type { Sheaf } from './sheaf.ts'

/** Nobody has seen the visit, so its number can be given again, and since when the site waits is as it was. */
export async function giveBack(sheaf: Sheaf, visits: readonly VisitId[]): Promise<void> {
  const siteOf = await lockVisits(sheaf, visits)
  for (const visit of visits) {
    const site = siteOf(visit)
    // Its lease ran out meanwhile.
    if (site?.state !== 'leased' || site.fence !== readVisitId(visit)?.fence || isBegun(site)) continue
    end(sheaf, site)
    site.fence--
  }
  await sheaf.flush()
}

/** Its number is not given again: the worker may yet come with it, for all that is known here. */
export async function takeBack(sheaf: Sheaf, worker: WorkerId, has: readonly VisitId[]): Promise<VisitId[]> {
  const leases = await sheaf.tx.allExact<{ key: bigint; fence: number }>(READ_LEASES_OF_WORKER, ALL_BUCKETS, worker)
  const named = new Set(has)
  const isMissing = ({ key, fence }: { key: bigint; fence: number }) => !named.has(visitId(key, fence))
  const missing = leases.filter(isMissing).map(({ key }) => key)
  await sheaf.sites.lock(missing)
  const taken = missing.flatMap((key) => {
    const site = sheaf.sites.get(key)
    if (site?.state !== 'leased' || site.worker !== worker || !isMissing(site) || isBegun(site)) return []
    end(sheaf, site)
    return [visitId(site.key, site.fence)]
  })
  await sheaf.flush()
  return taken
}

function end(sheaf: Sheaf, site: SiteRow): void {
  endLease(sheaf, site, sheaf.now)
  site.part = ALL_PARTS
  site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
  if (site.state === 'waiting') sheaf.beginToWait(site)
}
