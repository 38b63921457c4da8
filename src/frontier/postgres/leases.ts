/** Renewing leases. */
import type { Instant } from '../../base/clock.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { byKey, column, eachBucket } from '../../database/postgres/by-bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { Lease } from '../rules/site.ts'
import { leaseOf, visitId } from '../rules/visit.ts'

/** Never to an earlier end: a server that was suspended may come late with a renewal, after another server renewed. */
export const RENEW = `
  WITH mine AS (
    SELECT site.key FROM unnest($2::bigint[], $3::bigint[]) AS n (key, fence)
    JOIN site ON site.bucket = $1 AND site.key = n.key AND site.fence = n.fence
    WHERE site.worker = $4 AND site.state IN ('leased', 'returning') ORDER BY site.key FOR UPDATE OF site)
  UPDATE site SET lease_until = greatest(site.lease_until, $5) FROM mine
  WHERE site.bucket = $1 AND site.key = mine.key RETURNING site.key, site.fence::float8 AS fence`

/**
 * Returns the visits that have no lease any more. A lease that expired and was not reaped yet is renewed: no other worker
 * had the site. A visit whose last part is in the inbox is not lost, it has ended.
 */
export async function renew(
  tx: PostgresTx,
  worker: WorkerId,
  visits: readonly VisitId[],
  until: Instant,
): Promise<VisitId[]> {
  const renewed = new Set<VisitId>()
  // By visit: a list may name two visits to one site, of which one has the lease.
  const leases = new Map(visits.flatMap((visit) => (leaseOf(visit) ? [[visit, leaseOf(visit)!] as const] : [])))
  await eachBucket(leases.values(), byKey, async (bucket, some) => {
    const columns = [column(some, 'key'), column(some, 'fence')] as const
    const rows = await tx.allExact<Lease>(RENEW, bucket, ...columns, worker, until)
    for (const { key, fence } of rows) renewed.add(visitId(key, fence))
  })
  return visits.filter((visit) => !renewed.has(visit))
}
