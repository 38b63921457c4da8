import { signed64 } from '../../base/digest.ts'
import type { VisitId } from '../../contracts/visit.ts'
import type { SiteRow } from '../site-row.ts'
import { readVisitId } from '../visit-id.ts'
import type { WorkingSet } from './working-set.ts'

/** Locks the sites of visits. Says whose a visit is, or was: undefined for what is no name of a visit. */
export async function lockVisits(
  working: WorkingSet,
  visits: readonly VisitId[],
): Promise<(visit: VisitId) => SiteRow | undefined> {
  const keyOf = (visit: VisitId) => {
    const id = readVisitId(visit)
    return id === undefined ? undefined : signed64(id.site)
  }
  await working.sites.lock(visits.flatMap((visit) => keyOf(visit) ?? []))
  return (visit) => {
    const key = keyOf(visit)
    return key === undefined ? undefined : working.sites.get(key)
  }
}
