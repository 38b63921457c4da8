/** How leases are renewed, awaited, given back and lost. */
import type { Instant } from '../../base/clock.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { ALL_BUCKETS } from '../../database/bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { LostVisit, StoredPart } from '../ledger.ts'
import type { SiteRow } from '../rules/site.ts'
import { awaitPart, isAwaited, isBegun, leaseOf, loseVisit, returnLease, visitId } from '../rules/visit.ts'
import { byKey, column, eachBucket } from './by-bucket.ts'
import { balancePending } from './domains.ts'
import { lookAround } from './look-around.ts'
import { movePending } from './move-waiting.ts'
import { readSites } from './site-rows.ts'
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
/** Never to an earlier end: a server that was suspended may come late with a renewal, after another server renewed. */
export const RENEW = `
  WITH mine AS (
    SELECT site.key FROM unnest($2::bigint[], $3::bigint[]) AS n (key, fence)
    JOIN site ON site.bucket = $1 AND site.key = n.key AND site.fence = n.fence
    WHERE site.worker = $4 AND site.state IN ('leased', 'returning') ORDER BY site.key FOR UPDATE OF site)
  UPDATE site SET lease_until = greatest(site.lease_until, $5) FROM mine
  WHERE site.bucket = $1 AND site.key = mine.key RETURNING site.key, site.fence::float8 AS fence`

interface Lease {
  key: bigint
  fence: number
}

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

/**
 * Parts are in the inbox: their sites must not be handed out before `applyParts` has seen them. Most change nothing and lock
 * nothing: another transaction may have the site and be applying the part before.
 */
export async function awaitParts(working: WorkingSet, parts: readonly StoredPart[]): Promise<void> {
  const keys = parts.flatMap(({ visit }) => leaseOf(visit)?.key ?? [])
  const sites = await readSites(working.tx, keys)
  const awaited = parts.filter((part) => {
    const lease = leaseOf(part.visit)
    return lease !== undefined && isAwaited(sites.get(lease.key), part, working.now)
  })
  if (awaited.length === 0) return
  const siteOf = await working.lockVisits(awaited.map(({ visit }) => visit))
  for (const part of awaited) {
    const site = siteOf(part.visit)
    if (!isAwaited(site, part, working.now)) continue
    awaitPart(working, site, part)
    working.sites.change(site)
  }
  await working.flush()
}

/** No worker has seen the visit, so its fence can be used again. */
export async function giveBack(working: WorkingSet, visits: readonly VisitId[]): Promise<void> {
  const siteOf = await working.lockVisits(visits)
  for (const visit of visits) {
    const site = siteOf(visit)
    // Otherwise its lease has expired meanwhile.
    if (site?.state === 'leased' && site.fence === leaseOf(visit)?.fence && !isBegun(site)) {
      site.fence--
      endUnused(working, site)
    }
  }
  await working.flush()
}

/** The fence is not used again: the worker may still come with it. */
export async function takeBack(working: WorkingSet, worker: WorkerId, has: readonly VisitId[]): Promise<VisitId[]> {
  const leases = await working.tx.allExact<Lease>(READ_LEASES_OF_WORKER, ALL_BUCKETS, worker)
  const named = new Set(has)
  const isMissing = ({ key, fence }: Lease) => !named.has(visitId(key, fence))
  const missing = leases.filter(isMissing).map(({ key }) => key)
  await working.sites.lock(missing)
  const taken = missing.flatMap((key) => {
    const site = working.sites.get(key)
    if (site?.state !== 'leased' || site.worker !== worker || !isMissing(site) || isBegun(site)) return []
    endUnused(working, site)
    return [visitId(site.key, site.fence)]
  })
  await working.flush()
  return taken
}

function endUnused(working: WorkingSet, site: SiteRow): void {
  returnLease(working, site)
  working.sites.change(site)
}

/** For the other buckets it does not matter what waits in the inbox. */
export async function bucketsOfEndedLeases(tx: PostgresTx, now: Instant): Promise<number[]> {
  return (await tx.all<{ bucket: number }>(READ_ENDED_BUCKETS, Math.floor(now))).map(({ bucket }) => bucket)
}

/**
 * Ends leases that expired. The worker made no request after their end: by its own clock they end earlier. Among them are
 * those whose last part was stored and can't be applied: the inbox is empty, so it never will be. Sites that another
 * transaction has locked are left to the next call.
 */
export async function reap(working: WorkingSet, now: Instant, buckets = ALL_BUCKETS): Promise<LostVisit[]> {
  await working.readNames()
  const ended = await working.tx.allExact<{ key: bigint }>(READ_ENDED_LEASES, buckets, now)
  const lost: LostVisit[] = []
  for (const site of await working.sites.lockIdle(ended.map(({ key }) => key)))
    if (site.lease_until !== null && site.lease_until <= now) lost.push(lose(working, site, site.lease_until))
  await movePending(working)
  await balancePending(working)
  await working.flush()
  await lookAround(working.tx, working.tools)
  return lost
}

/** All leases of a worker that has ended. Visits whose last part is in the inbox have ended well. */
export async function loseWorker(working: WorkingSet, worker: WorkerId): Promise<LostVisit[]> {
  const out = await working.tx.allExact<Lease>(READ_LEASES_OF_WORKER, ALL_BUCKETS, worker)
  await working.sites.lock(out.map(({ key }) => key))
  const lost = out.flatMap(({ key }) => {
    const site = working.sites.get(key)
    return site?.state === 'leased' && site.worker === worker ? [lose(working, site, working.now)] : []
  })
  await working.flush()
  return lost
}

export function lose(working: WorkingSet, site: SiteRow, lastRequest: Instant, withFrontier = false): LostVisit {
  const lost = loseVisit(working, site, lastRequest, withFrontier)
  working.sites.change(site)
  return lost
}
