/** How leases are renewed, awaited, given back and lost; `recover` is what happens when a process starts. */
import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { Ledger, LostVisit, StoredPart } from '../contract.ts'
import type { SiteRow } from '../rules/site.ts'
import { awaitPart, isAwaited, isBegun, leaseOf, loseVisit, returnLease, visitId } from '../rules/visit.ts'
import { balancePending } from './domains.ts'
import { readMeta, WRITE_META } from './meta.ts'
import { movePending } from './move-waiting.ts'
import { readSite, writeSite } from './site-rows.ts'
import type { Work } from './work.ts'

export const RENEW = `
  UPDATE site SET lease_until = ? WHERE key = ? AND fence = ? AND worker = ? AND state IN ('leased', 'returning')`
export const READ_ENDED_LEASES = `
  SELECT key FROM site WHERE lease_until <= ? ORDER BY lease_until LIMIT 500`
export const READ_LEASES_OF_WORKER = `SELECT key FROM site WHERE worker = ? AND state = 'leased'`
export const READ_OUT = `SELECT key FROM site WHERE lease_until IS NOT NULL`
const FREE_RESERVED_SITES = `UPDATE site SET holder = '' WHERE holder > ''`
const FORGET_ADDRESSES = `DELETE FROM address`
const READ_RESTING = `SELECT key FROM site WHERE state IN ('waiting', 'free')`

/**
 * Returns the visits that have no lease any more. A lease that expired and was not reaped yet is renewed: nobody else had the
 * site. A visit whose last part is in the inbox is not lost, it has ended.
 */
export function renew({ tx, now, tools }: Work, worker: WorkerId, visits: readonly VisitId[]): VisitId[] {
  return visits.filter((visit) => {
    const lease = leaseOf(visit)
    return lease === undefined || tx.run(RENEW, now + tools.leaseMs, lease.key, lease.fence, worker) === 0
  })
}

/** Parts are in the inbox: their sites must not be handed out before `applyParts` has seen them. */
export function awaitParts(work: Work, parts: readonly StoredPart[]): void {
  for (const part of parts) {
    const lease = leaseOf(part.visit)
    const site = lease && readSite(work.tx, lease.key)
    if (!isAwaited(site, part, work.now)) continue
    awaitPart(work, site, part)
    writeSite(work.tx, site)
  }
}

/** No worker has seen the visit, so its fence can be used again. */
export function giveBack(work: Work, visits: readonly VisitId[]): void {
  for (const visit of visits) {
    const lease = leaseOf(visit)
    const site = lease && readSite(work.tx, lease.key)
    // Otherwise its lease has expired meanwhile.
    if (site?.state === 'leased' && site.fence === lease?.fence && !isBegun(site)) {
      site.fence--
      endUnused(work, site)
    }
  }
}

/** The fence is not used again: the worker may still come with it. */
export function takeBack(work: Work, worker: WorkerId, has: readonly VisitId[]): VisitId[] {
  const named = new Set(has)
  return leasesOf(work, worker).flatMap((site) => {
    const visit = visitId(site.key, site.fence)
    if (isBegun(site) || named.has(visit)) return []
    endUnused(work, site)
    return [visit]
  })
}

function endUnused(work: Work, site: SiteRow): void {
  returnLease(work, site)
  writeSite(work.tx, site)
}

function leasesOf({ tx }: Work, worker: WorkerId): SiteRow[] {
  return tx.allExact<{ key: bigint }>(READ_LEASES_OF_WORKER, worker).flatMap(({ key }) => readSite(tx, key) ?? [])
}

/**
 * Ends leases that expired. The worker made no request after their end: by its own clock they end earlier. Among them are
 * those whose last part was stored and can't be applied: the inbox is empty, so it never will be.
 */
export async function reap(
  work: Work,
  now: Instant,
  settled: Parameters<Ledger['reap']>[2] = async (sites) => sites,
): Promise<LostVisit[]> {
  work.tools.aliases.refresh(work.tx)
  const ended = work.tx.allExact<{ key: bigint }>(READ_ENDED_LEASES, now).map(({ key }) => key)
  const lost = (ended.length === 0 ? ended : await settled(ended)).map((key) => {
    const site = readSite(work.tx, key)
    assert(site?.lease_until != null, 'a lease without an end')
    return lose(work, site, site.lease_until)
  })
  movePending(work)
  balancePending(work)
  return lost
}

/** All leases of a worker that has ended. Visits whose last part is in the inbox have ended well. */
export function loseWorker(work: Work, worker: WorkerId): LostVisit[] {
  return leasesOf(work, worker).map((site) => lose(work, site, work.now))
}

function lose(work: Work, site: SiteRow, lastRequest: Instant, withFrontier = false): LostVisit {
  const lost = loseVisit(work, site, lastRequest, withFrontier)
  writeSite(work.tx, site)
  return lost
}

/**
 * The last process has ended, with all its workers unless `leasesOutlive`, and its inbox is applied: visits that are still out
 * are lost. Which addresses it visited a moment ago is unknown, so nothing at all is handed out for one address pause, unless
 * there was no process before this one (`first`).
 */
export function recover(work: Work, leasesOutlive: boolean): { lost: number; first: boolean } {
  const { tx, tools } = work
  const lost = leasesOutlive ? 0 : loseAll(work)
  const before = readMeta(tx, 'order')
  if (before !== undefined && before !== tools.order.name) rankAnew(work)
  tx.run(WRITE_META, 'order', tools.order.name)
  const first = readMeta(tx, 'opened_at') === undefined
  tx.run(WRITE_META, 'opened_at', String(work.now))
  return { lost, first }
}

function loseAll(work: Work): number {
  const out = work.tx.allExact<{ key: bigint }>(READ_OUT)
  for (const { key } of out) {
    const site = readSite(work.tx, key)
    assert(site !== undefined, 'a lease without a site')
    lose(work, site, work.now, true)
  }
  work.tx.run(FREE_RESERVED_SITES)
  work.tx.run(FORGET_ADDRESSES)
  return out.length
}

/** Ranks of another order mean nothing in this one. Once, when the operator changes it. */
function rankAnew(work: Work): void {
  for (const { key } of work.tx.allExact<{ key: bigint }>(READ_RESTING)) {
    const site = readSite(work.tx, key)
    if (site === undefined) continue
    site.state = 'waiting'
    work.beginToWait(site)
    writeSite(work.tx, site)
  }
}
