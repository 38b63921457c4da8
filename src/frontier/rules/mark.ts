/** What the frontier remembers of an outcome: a number in the URL's row. */
import { never } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import type { Link } from '../../contracts/report.ts'

export const MARKS = ['waiting', 'kept', 'moved', 'refused', 'gone', 'gone', 'read', 'moved', 'held'] as const
export type MarkName = (typeof MARKS)[number]

export const WAITING = 0
export const GONE = 4
/** Gone because the server says that it is not there: another spelling of the same URL may be. */
export const NOT_FOUND = 5
export const READ = 6
/** Its site is another name of an original, and it waits there now. */
export const REPLACED = 7
/** A finding about its pattern holds it back: it waits again if that is withdrawn. */
export const HELD = 8
/** Of one site, that wait again at once: findings are withdrawn long before there are so many. */
export const MAX_REQUEUED = 10_000

export function markOf(outcome: Outcome): number {
  switch (outcome.kind) {
    case 'later':
      return WAITING
    case 'kept':
      return 1
    case 'moved':
      return 2
    case 'refused':
      return outcome.held ? HELD : 3
    case 'gone':
      return outcome.why === 'status-404' || outcome.why === 'status-410' ? NOT_FOUND : GONE
    case 'read':
      return READ
    default:
      return never(outcome, 'outcome')
  }
}

/** The last instant that a date can tell; a sitemap may write any number. */
const MAX_INSTANT = 8.64e15

/** What a sitemap says of a link's last change, as it is kept. */
export function lastmodOf({ lastmod }: Pick<Link, 'lastmod'>): Instant | null {
  return lastmod === undefined || !(Math.abs(lastmod) <= MAX_INSTANT) ? null : Math.trunc(lastmod)
}
