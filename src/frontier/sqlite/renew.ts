import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { readVisitId } from '../visit-id.ts'

export const RENEW = `
  UPDATE site SET lease_until = ? WHERE key = ? AND fence = ? AND worker = ? AND state IN ('leased', 'returning')`

/**
 * Says which have no lease any more. One that ran out and was not reaped yet is renewed: nobody else had the site; and
 * one whose last part is in the inbox is not lost, it has ended.
 */
export function renew(tx: SqliteTx, worker: WorkerId, visits: readonly VisitId[], until: Instant): VisitId[] {
  return visits.filter((visit) => {
    const id = readVisitId(visit)
    return id === undefined || tx.run(RENEW, until, signed64(id.site), id.fence, worker) === 0
  })
}
