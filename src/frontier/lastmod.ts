import type { Instant } from '../base/clock.ts'
import type { Link } from '../contracts/report.ts'

/** The last instant that a date can tell; a sitemap may write any number. */
const MAX_INSTANT = 8.64e15

/** What a sitemap says of a link's last change, as it is kept. */
export function lastmodOf({ lastmod }: Pick<Link, 'lastmod'>): Instant | null {
  return lastmod === undefined || !(Math.abs(lastmod) <= MAX_INSTANT) ? null : Math.trunc(lastmod)
}
