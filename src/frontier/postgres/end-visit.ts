import { never } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { lossesAfter, restAfter } from '../caution.ts'
import { reasonOf } from '../end-reason.ts'
import type { LostVisit } from '../ledger.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, type SiteRow } from '../site-row.ts'
import { visitId } from '../visit-id.ts'
import type { WorkingSet } from './working-set.ts'

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
