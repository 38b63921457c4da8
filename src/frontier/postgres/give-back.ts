import type { VisitId } from '../../visit/visit.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS } from '../site-row.ts'
import { readVisitId } from '../visit-id.ts'
import { endLease } from './end-visit.ts'
import { lockVisits } from './lock-visits.ts'
import type { Sheaf } from './sheaf.ts'

/** Nobody has seen the visit, so its number can be given again, and since when the site waits is as it was. */
export async function giveBack(sheaf: Sheaf, visits: readonly VisitId[]): Promise<void> {
  const siteOf = await lockVisits(sheaf, visits)
  for (const visit of visits) {
    const site = siteOf(visit)
    // Its lease ran out meanwhile.
    if (site?.state !== 'leased' || site.fence !== readVisitId(visit)?.fence) continue
    if (site.part > 0 || site.entered !== null) continue
    endLease(sheaf, site, sheaf.now)
    site.fence--
    site.part = ALL_PARTS
    site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
    if (site.state === 'waiting') sheaf.beginToWait(site)
  }
  await sheaf.flush()
}
