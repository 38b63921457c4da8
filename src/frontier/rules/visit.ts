/**
 * How a visit begins, is applied and ends, as changes of its site's row. Sites whose visits are lost one after the other are
 * treated with caution (V9), because they may be what kills the workers: they come after all others (free sites are ordered
 * by `losses` first), then their visits are small, then they rest, longer each time. A visit that brings a page resets the count.
 */
import { never } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { LostVisit, PartResult, StoredPart } from '../contract.ts'
import type { RefreshTools } from '../tools.ts'
import type { Rows } from './rows.ts'
import { ALL_PARTS, type Lease, restAfter, type SiteRow, stateAfter } from './site.ts'

/** 16 hex digits, a dot and the fence: the name tells the site and the lease without a table. */
export function visitId(site: bigint, fence: number): VisitId {
  return `${BigInt.asUintN(64, site).toString(16).padStart(16, '0')}.${fence}`
}

/** Undefined when the text, which may come from anywhere, is not a visit's name. */
export function readVisitId(id: VisitId): { site: bigint; fence: number } | undefined {
  const match = /^([0-9a-f]{16})\.([1-9]\d{0,14})$/.exec(id)
  return match === null ? undefined : { site: BigInt('0x' + match[1]), fence: Number(match[2]) }
}

/** The same, with the site's key as the database holds it. */
export function leaseOf(id: VisitId): Lease | undefined {
  const read = readVisitId(id)
  return read && { key: signed64(read.site), fence: read.fence }
}

/** A free site becomes a visit. */
export function grantLease(
  { now, tools }: { now: Instant; tools: { leaseMs: Millis } },
  site: SiteRow,
  worker: WorkerId,
  pages: number,
): void {
  site.state = stateAfter(site.state, { kind: 'checked-out' })
  site.fence++
  site.worker = worker
  site.lease_until = now + tools.leaseMs
  site.holder = ''
  site.entered = null
  site.granted = pages
  site.part = 0
}

/** `lastRequest`: the latest time at which the visit can have made a request. */
function endLease(rows: Rows, site: SiteRow, lastRequest: Instant): void {
  if (site.entered !== null) rows.addresses.release(site.entered, lastRequest + rows.tools.addressPauseMs)
  site.entered = null
  site.worker = null
  site.lease_until = null
  site.granted = 0
}

/** The last part of a visit was applied. */
export function endVisit(rows: Rows, site: SiteRow, last: VisitReport): void {
  const why = last.ended
  if (why === undefined) return
  endLease(rows, site, rows.now)
  site.part = ALL_PARTS
  site.losses = 0
  site.since = rows.now
  switch (why) {
    case 'given-up':
      rows.urls.giveUp(site.key)
      rows.spellings.forgetSite(site.key)
      site.waiting = 0
      if (rows.tools.refresh !== undefined && site.refreshing > 0) {
        restWithKnown(rows, rows.tools.refresh, site)
        return
      }
      site.state = stateAfter(site.state, { kind: 'given-up' })
      site.reason = reasonOf(last)
      return
    case 'done':
    case 'slice':
    case 'stopped':
    case 'elsewhere':
    case 'silent':
      // How long a silent site is left alone is in its courtesy, as every wait is.
      restAfter(rows, site, 'ended')
      return
    default:
      never(why, 'end of a visit')
  }
}

/**
 * The site does not answer, but it has collected pages and may come back. A pass over all pages does not wait for that.
 */
function restWithKnown(rows: Rows, { once }: RefreshTools, site: SiteRow): void {
  if (once !== undefined) {
    site.state = stateAfter(site.state, { kind: 'ended', left: 0 })
    return
  }
  site.polite_at = Math.max(site.polite_at, rows.now + REST_WITH_KNOWN)
  restAfter(rows, site, 'ended')
}

/** `given-up: no-such-name`: with the failure that used up the last try, when the part has it. */
function reasonOf(last: Pick<VisitReport, 'pages'>): string {
  const failure = last.pages.findLast((page) => page.outcome.kind === 'gone')?.outcome
  return failure?.kind === 'gone' ? `given-up: ${failure.why}` : 'given-up'
}

/**
 * A visit that will not end by itself. It made no request after `lastRequest`, so the pause counts from there. `part` stays:
 * parts that the visit sent are still applied until the site is handed out again. `withFrontier`: all visits are lost, because
 * the coordinator itself ended.
 */
export function loseVisit(rows: Rows, site: SiteRow, lastRequest: Instant, withFrontier = false): LostVisit {
  const lost = { visit: visitId(site.key, site.fence), site: site.name, worker: site.worker ?? '' }
  endLease(rows, site, lastRequest)
  site.losses = lossesAfter(site.losses, withFrontier)
  site.since = rows.now
  const rest = withFrontier ? 0 : cautiousRest(site.losses, rows.tools.leaseMs)
  site.polite_at = Math.max(site.polite_at, lastRequest + Math.max(rows.tools.pauseOf(site), rest))
  restAfter(rows, site, 'lost')
  rows.sites.change(site)
  return lost
}

/** A lease that was never used ends as if it had not been granted: since when the site waits stays as it was. */
export function returnLease(rows: Rows, site: SiteRow): void {
  endLease(rows, site, rows.now)
  site.part = ALL_PARTS
  restAfter(rows, site, 'ended')
  rows.sites.change(site)
}

/** A part of its visit was applied, or an address entered: a worker has the visit. */
export const isBegun = ({ part, entered }: Pick<SiteRow, 'part' | 'entered'>): boolean => part > 0 || entered !== null

/** A site with known pages that does not answer at all. */
const REST_WITH_KNOWN: Millis = 7 * 86_400_000

/** Visits lost in a row from which on a visit is small. */
export const CAUTIOUS_FROM = 3
export const CAUTIOUS_PAGES = 10
/** From which on the site rests. */
const RESTS_FROM = 5
const LONGEST_REST: Millis = 86_400_000

export function cautiousPages(losses: number, pages: number): number {
  return losses < CAUTIOUS_FROM ? pages : Math.min(pages, CAUTIOUS_PAGES)
}

/** Two leases, four, eight … a day. */
export function cautiousRest(losses: number, leaseMs: Millis): Millis {
  if (losses < RESTS_FROM) return 0
  // 2 ** 1100 is Infinity, which is longer than a day, too.
  return Math.min(LONGEST_REST, leaseMs * 2 ** (losses - RESTS_FROM + 1))
}

/** When the coordinator ended, the loss is hardly the site's fault: it never comes to rest by that. */
function lossesAfter(losses: number, withFrontier: boolean): number {
  return withFrontier ? Math.max(losses, Math.min(losses + 1, CAUTIOUS_FROM)) : losses + 1
}

/** What becomes of a part of a visit to this site. */
export function partResultOf(
  site: Pick<SiteRow, 'key' | 'fence' | 'part'>,
  { visit, fence, part }: Pick<VisitReport, 'visit' | 'fence' | 'part'>,
): PartResult {
  if (fence === 0 || fence !== site.fence || visit !== visitId(site.key, fence)) return 'stale'
  if (part <= site.part) return 'again'
  return part === site.part + 1 ? 'applied' : 'out-of-order'
}

/**
 * Whether a part in the inbox keeps its site from being handed out. Not when the visit is over, its site was handed out
 * again, or the part was applied before.
 */
export function isAwaited(
  site: SiteRow | undefined,
  { fence, part = ALL_PARTS, last = true }: StoredPart,
  now: Instant,
): site is SiteRow {
  if (site === undefined || site.fence !== fence || part <= site.part) return false
  // While the lease lasts, only the last part changes anything. One that has just expired must not be reaped between this
  // transaction and the one that applies the part: the site could have been handed out by then.
  return site.worker === null || last || (site.lease_until !== null && site.lease_until <= now)
}

export function awaitPart({ now, tools, sites }: Rows, site: SiteRow, { last = true }: StoredPart): void {
  if (site.worker === null || last) site.state = stateAfter(site.state, { kind: 'part-stored' })
  site.lease_until = Math.max(site.lease_until ?? 0, now + tools.leaseMs)
  sites.change(site)
}

/** robots.txt and probes never were in the queue. */
export const isQueued = ({ ownRequest }: Pick<PageReport, 'ownRequest'>): boolean => !ownRequest
