/**
 * How a visit begins, is applied and ends, as changes of its site's row. Sites whose visits are lost one after the other are
 * treated with caution (V9), because they may be what kills the workers: they come after all others (free sites are ordered
 * by `losses` first), then their visits are small, then they rest, longer each time. A visit that brings a page resets the count.
 */
import { never } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport, VisitReport } from '../../contracts/report.ts'
import type { VisitId, WorkerId } from '../../contracts/visit.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { LostVisit, PartResult, StoredPart } from '../contract.ts'
import { ALL_PARTS, restAfter, type SiteRow, type SiteWork, stateAfter } from './site.ts'

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
export function leaseOf(id: VisitId): { key: bigint; fence: number } | undefined {
  const read = readVisitId(id)
  return read && { key: signed64(read.site), fence: read.fence }
}

export interface VisitWork extends SiteWork {
  readonly tools: { leaseMs: Millis; addressPauseMs: Millis; pauseOf(site: SiteRow): Millis }
  readonly addresses: {
    /** A visit there has ended: the address stays its worker's until the last visit has ended and the pause is over. */
    release(address: string, until: Instant): void
  }
  /** Marks every waiting URL of the site as gone, and forgets their other spellings. */
  giveUp(site: SiteRow): void
}

/** A free site becomes a visit. */
export function grantLease({ now, tools }: VisitWork, site: SiteRow, worker: WorkerId, pages: number): void {
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
function endLease(work: VisitWork, site: SiteRow, lastRequest: Instant): void {
  if (site.entered !== null) work.addresses.release(site.entered, lastRequest + work.tools.addressPauseMs)
  site.entered = null
  site.worker = null
  site.lease_until = null
  site.granted = 0
}

/** The last part of a visit was applied. */
function endVisit(work: VisitWork, site: SiteRow, last: VisitReport): void {
  const why = last.ended
  if (why === undefined) return
  endLease(work, site, work.now)
  site.part = ALL_PARTS
  site.losses = 0
  site.since = work.now
  switch (why) {
    case 'given-up':
      work.giveUp(site)
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
      restAfter(work, site, 'ended')
      return
    default:
      never(why, 'end of a visit')
  }
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
export function loseVisit(work: VisitWork, site: SiteRow, lastRequest: Instant, withFrontier = false): LostVisit {
  const lost = { visit: visitId(site.key, site.fence), site: site.name, worker: site.worker ?? '' }
  endLease(work, site, lastRequest)
  site.losses = lossesAfter(site.losses, withFrontier)
  site.since = work.now
  const rest = withFrontier ? 0 : cautiousRest(site.losses, work.tools.leaseMs)
  site.polite_at = Math.max(site.polite_at, lastRequest + Math.max(work.tools.pauseOf(site), rest))
  restAfter(work, site, 'lost')
  return lost
}

/** A lease that was never used ends as if it had not been granted: since when the site waits stays as it was. */
export function returnLease(work: VisitWork, site: SiteRow): void {
  endLease(work, site, work.now)
  site.part = ALL_PARTS
  restAfter(work, site, 'ended')
}

/** A part of its visit was applied, or an address entered: a worker has the visit. */
export const isBegun = ({ part, entered }: Pick<SiteRow, 'part' | 'entered'>): boolean => part > 0 || entered !== null

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
function cautiousRest(losses: number, leaseMs: Millis): Millis {
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

export function awaitPart({ now, tools }: VisitWork, site: SiteRow, { last = true }: StoredPart): void {
  if (site.worker === null || last) site.state = stateAfter(site.state, { kind: 'part-stored' })
  site.lease_until = Math.max(site.lease_until ?? 0, now + tools.leaseMs)
}

export interface PartWork extends VisitWork {
  readonly tools: VisitWork['tools'] & {
    urls: UrlReader
    time: { of(instant: Instant): Instant }
    learntPause(site: SiteRow, inForce: Millis): Millis
  }
  readonly addresses: VisitWork['addresses'] & { learn(site: SiteRow, address: string): void }
}

/** How a database enters what a part found. */
export interface PartOperations<Work extends PartWork, Site extends SiteRow> {
  /** Returns how many were new. */
  enqueue(work: Work, site: Site, links: readonly Link[]): number
  enterSpelling(work: Work, site: Site, link: Link): unknown
  /** What a withdrawn finding had held back waits again, behind what was never visited. */
  requeue(work: Work, site: Site): void
}

/** What a part says of its site, after its pages are marked. `own`: the links that it found into the site itself. */
export function applyPart<Work extends PartWork, Site extends SiteRow>(
  work: Work,
  site: Site,
  part: VisitReport,
  own: readonly Link[],
  { enqueue, enterSpelling, requeue }: PartOperations<Work, Site>,
): void {
  const { courtesy, learnt } = part
  site.part = part.part
  if (part.pages.some(isQueued)) site.losses = 0
  site.pause = work.tools.learntPause(site, courtesy.pause)
  site.polite_at = Math.max(site.polite_at, work.tools.time.of(courtesy.notBefore))
  if (courtesy.address !== undefined && courtesy.address !== site.address) {
    work.addresses.learn(site, courtesy.address)
    site.holder = ''
  }
  // Others come first, whatever the order says.
  if (learnt?.slow !== undefined) site.deferral = Math.max(site.deferral, 1)
  const plain = own.filter(({ spelling }) => !spelling)
  const areNew = enqueue(work, site, plain) === plain.length
  // After the plain links and the pages: whether another spelling is wanted depends on what became of the first. A link that
  // the visit took for new may be known by now under another name of its folder's index.
  if (plain.length < own.length || !areNew)
    for (const link of own)
      if (link.spelling || (!areNew && work.tools.urls.keyApart(link.url) !== undefined))
        enterSpelling(work, site, link)
  if (learnt?.requeue) requeue(work, site)
  if (part.ended !== undefined) endVisit(work, site, part)
  else if (site.worker === null) {
    // The visit was given up for lost, but no other worker had the site: what it did counts, and the site goes on waiting.
    site.lease_until = null
    restAfter(work, site, 'lost')
  }
}

/** robots.txt and probes never were in the queue. */
export const isQueued = ({ ownRequest }: Pick<PageReport, 'ownRequest'>): boolean => !ownRequest
