import { signed64 } from '../../base/digest.ts'
import type { VisitId } from '../../contracts/visit.ts'
import type { SiteRow } from '../site-row.ts'
import { readVisitId } from '../visit-id.ts'
import type { Sheaf } from './sheaf.ts'

/** Locks the sites of visits. Says whose a visit is, or was: undefined for what is no name of a visit. */
export async function lockVisits(
  sheaf: Sheaf,
  visits: readonly VisitId[],
): Promise<(visit: VisitId) => SiteRow | undefined> {
  const keyOf = (visit: VisitId) => {
    const id = readVisitId(visit)
    return id === undefined ? undefined : signed64(id.site)
  }
  await sheaf.sites.lock(visits.flatMap((visit) => keyOf(visit) ?? []))
  return (visit) => {
    const key = keyOf(visit)
    return key === undefined ? undefined : sheaf.sites.get(key)
  }
}
