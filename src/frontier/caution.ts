/**
 * Caution with a site whose visits are lost one after the other (V9): it may be what kills the workers. It comes after the others
 * (`losses` is the first of what the free sites are ordered by); then its visits are small, so that little is lost with the next; then it
 * rests, longer each time. A visit that brought a page was no loss for nothing: the count begins anew.
 */
import type { Millis } from '../base/clock.ts'
import type { PageReport } from '../contracts/report.ts'

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
