import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { readVisitId } from '../visit-id.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'

/** Never to an earlier end: a server that stood still meanwhile comes late with what it had begun, when another renewed. */
export const RENEW = `
  WITH mine AS (
    SELECT site.key FROM unnest($2::bigint[], $3::bigint[]) AS n (key, fence)
    JOIN site ON site.bucket = $1 AND site.key = n.key AND site.fence = n.fence
    WHERE site.worker = $4 AND site.state IN ('leased', 'returning') ORDER BY site.key FOR UPDATE OF site)
  UPDATE site SET lease_until = greatest(site.lease_until, $5) FROM mine
  WHERE site.bucket = $1 AND site.key = mine.key RETURNING site.key, site.fence::float8 AS fence`

/**
 * Says which have no lease any more. One that ran out and was not reaped yet is renewed: nobody else had the site; and
 * one whose last part is in the inbox is not lost, it has ended.
 */
export async function renew(
  tx: PostgresTx,
  worker: WorkerId,
  visits: readonly VisitId[],
  until: Instant,
): Promise<VisitId[]> {
  const leases = new Map(
    visits.flatMap((visit) => {
      const id = readVisitId(visit)
      return id === undefined ? [] : [[visit, { key: signed64(id.site), fence: id.fence }] as const]
    }),
  )
  const renewed = new Map<bigint, number>()
  await eachBucket(
    byBucket(leases.values(), ({ key }) => key),
    async (bucket, some) => {
      const columns = [column(some, 'key'), column(some, 'fence')] as const
      const rows = await tx.allExact<{ key: bigint; fence: number }>(RENEW, bucket, ...columns, worker, until)
      for (const { key, fence } of rows) renewed.set(key, fence)
    },
  )
  return visits.filter((visit) => {
    const lease = leases.get(visit)
    return lease === undefined || renewed.get(lease.key) !== lease.fence
  })
}
