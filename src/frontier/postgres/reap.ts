import type { Instant } from '../../base/clock.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import { BUCKETS } from '../../database/bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { LostVisit } from '../ledger.ts'
import { balancePending } from './balance-domain.ts'
import { loseVisit } from './end-visit.ts'
import { lookAround } from './look-around.ts'
import { movePending } from './move-waiting.ts'
import type { WorkingSet } from './working-set.ts'

export const READ_ENDED_LEASES = `
  SELECT s.key FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT key FROM site WHERE site.bucket = b.bucket AND lease_until <= $2 ORDER BY lease_until LIMIT 100) s
  WHERE b.bucket = ANY($1::smallint[]) LIMIT 500`
export const READ_ENDED_BUCKETS = `
  SELECT b.bucket FROM frontier_bucket b CROSS JOIN LATERAL (
    SELECT FROM site WHERE site.bucket = b.bucket AND lease_until <= $1 LIMIT 1) s ORDER BY b.bucket`
export const READ_LEASES_OF_WORKER = `
  SELECT key, fence::float8 AS fence FROM site
  WHERE bucket = ANY($1::smallint[]) AND worker = $2 AND state = 'leased'`

export const ALL_BUCKETS: readonly number[] = Array.from({ length: BUCKETS }, (_, bucket) => bucket)

/** Of all others nobody need care whether anything waits for them in the inbox. */
export async function bucketsOfEndedLeases(tx: PostgresTx, now: Instant): Promise<number[]> {
  return (await tx.all<{ bucket: number }>(READ_ENDED_BUCKETS, Math.floor(now))).map(({ bucket }) => bucket)
}

/**
 * Leases that ran out. The worker asked nothing after their end, by its own clock, which ends them earlier than ours.
 * Among them those whose last part was stored and cannot be applied: the inbox is empty, so it never will. Sites that
 * another transaction has now come next time.
 */
export async function reap(working: WorkingSet, now: Instant, buckets = ALL_BUCKETS): Promise<LostVisit[]> {
  await working.readNames()
  const ended = await working.tx.allExact<{ key: bigint }>(READ_ENDED_LEASES, buckets, now)
  const lost: LostVisit[] = []
  for (const site of await working.sites.lockIdle(ended.map(({ key }) => key)))
    if (site.lease_until !== null && site.lease_until <= now) lost.push(loseVisit(working, site, site.lease_until))
  await movePending(working)
  await balancePending(working)
  await working.flush()
  await lookAround(working.tx, working.tools)
  return lost
}

/** All leases of a worker that is no more; visits whose last part is in the inbox have ended well. */
export async function loseWorker(working: WorkingSet, worker: WorkerId): Promise<LostVisit[]> {
  const out = await working.tx.allExact<{ key: bigint }>(READ_LEASES_OF_WORKER, ALL_BUCKETS, worker)
  await working.sites.lock(out.map(({ key }) => key))
  const lost = out.flatMap(({ key }) => {
    const site = working.sites.get(key)
    return site?.state === 'leased' && site.worker === worker ? [loseVisit(working, site, working.now)] : []
  })
  await working.flush()
  return lost
}
