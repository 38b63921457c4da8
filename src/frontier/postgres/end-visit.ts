import { never } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { VisitReport } from '../../contracts/report.ts'
import { lossesAfter, restAfter } from '../caution.ts'
import { reasonOf } from '../end-reason.ts'
import type { LostVisit } from '../ledger.ts'
import { stateAfter } from '../site.ts'
import { ALL_PARTS, type SiteRow } from '../site-row.ts'
import { visitId } from '../visit-id.ts'
import type { Sheaf } from './sheaf.ts'

/** `quietSince`: when the visit can have asked for the last time. */
export function endLease(sheaf: Sheaf, site: SiteRow, quietSince: Instant): void {
  if (site.entered !== null) sheaf.addresses.release(site.entered, quietSince + sheaf.rules.addressPauseMs)
  site.entered = null
  site.worker = null
  site.lease_until = null
  site.granted = 0
  sheaf.sites.change(site)
}

/** The last part of a visit was applied. */
export function endVisit(sheaf: Sheaf, site: SiteRow, last: VisitReport): void {
  const why = last.ended
  if (why === undefined) return
  endLease(sheaf, site, sheaf.now)
  site.part = ALL_PARTS
  site.losses = 0
  site.since = sheaf.now
  switch (why) {
    case 'given-up':
      sheaf.urls.giveUp(site.key)
      sheaf.spellings.forgetSite(site.key)
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
      if (site.state === 'waiting') sheaf.beginToWait(site)
      return
    default:
      never(why, 'end of a visit')
  }
}

/**
 * A visit that will not end by itself. Nobody knows when it asked for the last time, but it was not after `quietSince`:
 * the pause counts from there. `part` stays: what the visit sent before is still welcome until the site goes to another.
 * `withHouse`: with all others, for the house itself ended.
 */
export function loseVisit(sheaf: Sheaf, site: SiteRow, quietSince: Instant, withHouse = false): LostVisit {
  const lost = { visit: visitId(site.key, site.fence), site: site.name, worker: site.worker ?? '' }
  endLease(sheaf, site, quietSince)
  site.losses = lossesAfter(site.losses, withHouse)
  site.since = sheaf.now
  const rest = withHouse ? 0 : restAfter(site.losses, sheaf.rules.leaseMs)
  site.polite_at = Math.max(site.polite_at, quietSince + Math.max(sheaf.rules.pauseOf(site), rest))
  site.state = stateAfter(site.state, { kind: 'lost', left: site.waiting })
  if (site.state === 'waiting') sheaf.beginToWait(site)
  return lost
}
