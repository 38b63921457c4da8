import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, isBegun, type SiteRow } from '../site-row.ts'
import { readVisitId, visitId } from '../visit-id.ts'
import { endLease } from './end-visit.ts'
import { lockVisits } from './lock-visits.ts'
import { ALL_BUCKETS, READ_LEASES_OF_WORKER } from './reap.ts'
import type { WorkingSet } from './working-set.ts'

/** Nobody has seen the visit, so its number can be given again, and since when the site waits is as it was. */
export async function giveBack(working: WorkingSet, visits: readonly VisitId[]): Promise<void> {
  const siteOf = await lockVisits(working, visits)
  for (const visit of visits) {
    const site = siteOf(visit)
    // Its lease ran out meanwhile.
    if (site?.state !== 'leased' || site.fence !== readVisitId(visit)?.fence || isBegun(site)) continue
    end(working, site)
    site.fence--
  }
  await working.flush()
}

/** Its number is not given again: the worker may yet come with it, for all that is known here. */
export async function takeBack(working: WorkingSet, worker: WorkerId, has: readonly VisitId[]): Promise<VisitId[]> {
  const leases = await working.tx.allExact<{ key: bigint; fence: number }>(READ_LEASES_OF_WORKER, ALL_BUCKETS, worker)
  const named = new Set(has)
  const isMissing = ({ key, fence }: { key: bigint; fence: number }) => !named.has(visitId(key, fence))
  const missing = leases.filter(isMissing).map(({ key }) => key)
  await working.sites.lock(missing)
  const taken = missing.flatMap((key) => {
    const site = working.sites.get(key)
    if (site?.state !== 'leased' || site.worker !== worker || !isMissing(site) || isBegun(site)) return []
    end(working, site)
    return [visitId(site.key, site.fence)]
  })
  await working.flush()
  return taken
}

function end(working: WorkingSet, site: SiteRow): void {
  endLease(working, site, working.now)
  site.part = ALL_PARTS
  site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
  if (site.state === 'waiting') working.beginToWait(site)
}
