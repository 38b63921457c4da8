import { never } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import { BUCKETS } from '../../database/bucket.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { LostVisit } from '../ledger.ts'
import { ALL_PARTS, isBegun, type SiteRow, stateAfter } from '../rules/site.ts'
import { lossesAfter, readVisitId, reasonOf, restAfter, visitId } from '../rules/visit.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
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

interface StoredPart {
  visit: VisitId
  fence: number
  part?: number
  last?: boolean
}

/**
 * Parts lie in the inbox after which their sites must not be handed out before `settle` has seen them. Most change nothing,
 * and wait for nobody: the site may be in the hands of whoever applies the part before.
 */
export async function awaitParts(working: WorkingSet, parts: readonly StoredPart[]): Promise<void> {
  const sites = await readSites(
    working.tx,
    parts.flatMap(({ visit }) => siteKeyOf(visit) ?? []),
  )
  const matter = parts.filter((part) => {
    const key = siteKeyOf(part.visit)
    return key !== undefined && isAwaited(sites.get(key), part, working.now)
  })
  if (matter.length === 0) return
  const siteOf = await lockVisits(
    working,
    matter.map(({ visit }) => visit),
  )
  for (const part of matter) {
    const site = siteOf(part.visit)
    if (site === undefined || !isAwaited(site, part, working.now)) continue
    if (site.worker === null || (part.last ?? true)) site.state = stateAfter(site.state, { kind: 'part-stored' })
    site.lease_until = Math.max(site.lease_until ?? 0, working.now + working.tools.leaseMs)
    working.sites.change(site)
  }
  await working.flush()
}

/** Of a visit that is over, or whose site went to another, nothing is awaited; nor is what was applied before. */
function isAwaited(
  site: SiteRow | undefined,
  { fence, part = ALL_PARTS, last = true }: StoredPart,
  now: Instant,
): boolean {
  if (site === undefined || site.fence !== fence || part <= site.part) return false
  // While the lease lasts, only the last part changes anything. One that has just run out must not be reaped between this
  // transaction and the one that applies the part: the site could be with another by then.
  return site.worker === null || last || (site.lease_until !== null && site.lease_until <= now)
}

function siteKeyOf(visit: VisitId): bigint | undefined {
  const id = readVisitId(visit)
  return id === undefined ? undefined : signed64(id.site)
}

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

/** `quietSince`: when the visit can have asked for the last time. */
export function endLease(working: WorkingSet, site: SiteRow, quietSince: Instant): void {
  if (site.entered !== null) working.addresses.release(site.entered, quietSince + working.tools.addressPauseMs)
  site.entered = null
  site.worker = null
  site.lease_until = null
  site.granted = 0
  working.sites.change(site)
}

/** The last part of a visit was applied. */
export function endVisit(working: WorkingSet, site: SiteRow, last: VisitReport): void {
  const why = last.ended
  if (why === undefined) return
  endLease(working, site, working.now)
  site.part = ALL_PARTS
  site.losses = 0
  site.since = working.now
  switch (why) {
    case 'given-up':
      working.urls.giveUp(site.key)
      working.spellings.forgetSite(site.key)
      site.waiting = 0
      site.state = stateAfter(site.state, { kind: 'given-up' })
      site.reason = reasonOf(last)
      return
    case 'done':
    case 'slice':
    case 'stopped':
    case 'elsewhere':
    case 'silent':
      // How long a silent site is left alone is in its courtesy, as every wait is.
      site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
      if (site.state === 'waiting') working.beginToWait(site)
      return
    default:
      never(why, 'end of a visit')
  }
}

/**
 * A visit that will not end by itself. Nobody knows when it asked for the last time, but it was not after `quietSince`:
 * the pause counts from there. `part` stays: what the visit sent before is still welcome until the site goes to another.
 * `withFrontier`: with all others, for the coordinator itself ended.
 */
export function loseVisit(working: WorkingSet, site: SiteRow, quietSince: Instant, withFrontier = false): LostVisit {
  const lost = { visit: visitId(site.key, site.fence), site: site.name, worker: site.worker ?? '' }
  endLease(working, site, quietSince)
  site.losses = lossesAfter(site.losses, withFrontier)
  site.since = working.now
  const rest = withFrontier ? 0 : restAfter(site.losses, working.tools.leaseMs)
  site.polite_at = Math.max(site.polite_at, quietSince + Math.max(working.tools.pauseOf(site), rest))
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') working.beginToWait(site)
  return lost
}
