/** A visit's name says whose lease it is and which one, so that no table has to be asked: 16 hex digits, dot, fence. */

import type { Millis } from '../../base/clock.ts'
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import type { VisitId } from '../../contracts/visit.ts'
import type { PartResult } from '../ledger.ts'
import type { SiteRow } from './site.ts'

export function visitId(site: bigint, fence: number): VisitId {
  return `${BigInt.asUintN(64, site).toString(16).padStart(16, '0')}.${fence}`
}

/** Undefined for what is no name of a visit: it may come from anywhere. */
export function readVisitId(id: VisitId): { site: bigint; fence: number } | undefined {
  const match = /^([0-9a-f]{16})\.([1-9]\d{0,14})$/.exec(id)
  return match === null ? undefined : { site: BigInt('0x' + match[1]), fence: Number(match[2]) }
}

/** What becomes of a part whose site stands so. */
export function partResultOf(
  site: Pick<SiteRow, 'key' | 'fence' | 'part'>,
  { visit, fence, part }: Pick<VisitReport, 'visit' | 'fence' | 'part'>,
): PartResult {
  if (fence === 0 || fence !== site.fence || visit !== visitId(site.key, fence)) return 'stale'
  if (part <= site.part) return 'again'
  return part === site.part + 1 ? 'applied' : 'early'
}

/** `given-up: no-such-name`: with the failure that used up the last try, when the part has it. */
export function reasonOf(last: Pick<VisitReport, 'pages'>): string {
  const failure = last.pages.findLast((page) => page.outcome.kind === 'gone')?.outcome
  return failure?.kind === 'gone' ? `given-up: ${failure.why}` : 'given-up'
}

/**
 * Caution with a site whose visits are lost one after the other (V9): it may be what kills the workers. It comes after the others
 * (`losses` is the first of what the free sites are ordered by); then its visits are small, so that little is lost with the next; then it
 * rests, longer each time. A visit that brought a page was no loss for nothing: the count begins anew.
 */

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
export function restAfter(losses: number, leaseMs: Millis): Millis {
  if (losses < RESTS_FROM) return 0
  // Whatever the losses: 2 ** 1100 is Infinity, and that is longer than a day too.
  return Math.min(LONGEST_REST, leaseMs * 2 ** (losses - RESTS_FROM + 1))
}

/** `withFrontier`: everything was lost, because the coordinator itself ended. That is hardly the site's doing: no rest for it. */
export function lossesAfter(losses: number, withFrontier: boolean): number {
  return withFrontier ? Math.max(losses, Math.min(losses + 1, CAUTIOUS_FROM)) : losses + 1
}

/** Robots.txt and the like are asked for before anything that could go wrong. */
export function bringsSomething(pages: readonly Pick<PageReport, 'ownRequest'>[]): boolean {
  return pages.some(({ ownRequest }) => !ownRequest)
}
