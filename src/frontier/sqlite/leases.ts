import { assert, never } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { LostVisit } from '../ledger.ts'
import { ALL_PARTS, isBegun, type SiteRow, stateAfter } from '../rules/site.ts'
import { lossesAfter, readVisitId, reasonOf, restAfter, visitId } from '../rules/visit.ts'
import { releaseAddress } from './addresses.ts'
import { balancePending } from './domains.ts'
import { movePending } from './move-waiting.ts'
import { beginToWait, readSite, writeSite } from './site-rows.ts'
import { FORGET_SPELLINGS_OF_SITE } from './spellings.ts'
import type { FrontierTools } from './tools.ts'

export const READ_ENDED_LEASES = `
  SELECT key FROM site WHERE lease_until <= ? ORDER BY lease_until LIMIT 500`
export const READ_LEASES_OF_WORKER = `SELECT key FROM site WHERE worker = ? AND state = 'leased'`

/**
 * Leases that ran out. The worker asked nothing after their end, by its own clock, which ends them earlier than ours.
 * Among them those whose last part was stored and cannot be applied: the inbox is empty, so it never will.
 */
export function reap(tx: SqliteTx, tools: FrontierTools, now: Instant): LostVisit[] {
  tools.aliases.refresh(tx)
  const lost = tx.allExact<{ key: bigint }>(READ_ENDED_LEASES, now).map(({ key }) => {
    const site = readSite(tx, key)
    assert(site?.lease_until != null, 'a lease without an end')
    return loseVisit(tx, tools, site, site.lease_until)
  })
  movePending(tx, tools)
  balancePending(tx, tools)
  return lost
}

/** All leases of a worker that is no more; visits whose last part is in the inbox have ended well. */
export function loseWorker(tx: SqliteTx, tools: FrontierTools, worker: WorkerId): LostVisit[] {
  return tx.allExact<{ key: bigint }>(READ_LEASES_OF_WORKER, worker).map(({ key }) => {
    const site = readSite(tx, key)
    assert(site !== undefined, 'a lease without a site')
    return loseVisit(tx, tools, site, tools.time.now())
  })
}

/** `quietSince`: when the visit can have asked for the last time. */
export function endLease(tx: SqliteTx, tools: FrontierTools, site: SiteRow, quietSince: Instant): void {
  if (site.entered !== null) releaseAddress(tx, site.entered, quietSince + tools.addressPauseMs)
  site.entered = null
  site.worker = null
  site.lease_until = null
  site.granted = 0
}

export const MARK_REST_GONE = `UPDATE url SET mark = 4 WHERE site = ? AND mark = 0`

/** The last part of a visit was applied. */
export function endVisit(tx: SqliteTx, tools: FrontierTools, site: SiteRow, last: VisitReport): void {
  const why = last.ended
  if (why === undefined) return
  const now = tools.time.now()
  endLease(tx, tools, site, now)
  site.part = ALL_PARTS
  site.losses = 0
  site.since = now
  switch (why) {
    case 'given-up':
      tx.run(MARK_REST_GONE, site.key)
      tx.run(FORGET_SPELLINGS_OF_SITE, site.key)
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
      if (site.state === 'waiting') beginToWait(tx, tools, site)
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
export function loseVisit(
  tx: SqliteTx,
  tools: FrontierTools,
  site: SiteRow,
  quietSince: Instant,
  withFrontier = false,
): LostVisit {
  const lost = { visit: visitId(site.key, site.fence), site: site.name, worker: site.worker ?? '' }
  endLease(tx, tools, site, quietSince)
  site.losses = lossesAfter(site.losses, withFrontier)
  site.since = tools.time.now()
  const rest = withFrontier ? 0 : restAfter(site.losses, tools.leaseMs)
  site.polite_at = Math.max(site.polite_at, quietSince + Math.max(tools.pauseOf(site), rest))
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') beginToWait(tx, tools, site)
  writeSite(tx, site)
  return lost
}

/** Nobody has seen the visit, so its number can be given again, and since when the site waits is as it was. */
export function giveBack(tx: SqliteTx, tools: FrontierTools, visits: readonly VisitId[]): void {
  for (const visit of visits) {
    const id = readVisitId(visit)
    const site = id === undefined ? undefined : readSite(tx, signed64(id.site))
    // Its lease ran out meanwhile.
    if (site?.state !== 'leased' || site.fence !== id?.fence || isBegun(site)) continue
    end(tx, tools, { ...site, fence: site.fence - 1 })
  }
}

/** Its number is not given again: the worker may yet come with it, for all that is known here. */
export function takeBack(tx: SqliteTx, tools: FrontierTools, worker: WorkerId, has: readonly VisitId[]): VisitId[] {
  const named = new Set(has)
  return tx.allExact<{ key: bigint }>(READ_LEASES_OF_WORKER, worker).flatMap(({ key }) => {
    const site = readSite(tx, key)
    if (site === undefined || isBegun(site)) return []
    const visit = visitId(site.key, site.fence)
    if (named.has(visit)) return []
    end(tx, tools, site)
    return [visit]
  })
}

function end(tx: SqliteTx, tools: FrontierTools, site: SiteRow): void {
  endLease(tx, tools, site, tools.time.now())
  site.part = ALL_PARTS
  site.state = stateAfter(site.state, { kind: 'ended', left: site.waiting })
  if (site.state === 'waiting') beginToWait(tx, tools, site)
  writeSite(tx, site)
}
