/** What the frontier remembers of a URL: the outcome as a number in its row, and what a sitemap said. */
import { never } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import { unsigned64 } from '../../base/digest.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import type { Link } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'

export const MARKS = ['waiting', 'kept', 'moved', 'refused', 'gone', 'gone', 'read', 'moved', 'held'] as const
export type MarkName = (typeof MARKS)[number]

export const WAITING = 0
export const KEPT = 1
export const MOVED = 2
export const GONE = 4
/** Gone because the server says that it is not there: another spelling of the URL may be. */
export const NOT_FOUND = 5
export const READ = 6
/** Its site is an alias, and it waits at the original now. */
export const REPLACED = 7
/** A finding holds it back: it waits again if the finding is withdrawn. */
export const HELD_BACK = 8
/** URLs of one site that wait again at once: findings are withdrawn long before there are more. */
export const MAX_REQUEUED = 10_000

export function markOf(outcome: Outcome): number {
  switch (outcome.kind) {
    case 'later':
      return WAITING
    case 'kept':
      return KEPT
    case 'moved':
      return MOVED
    case 'refused':
      return outcome.held ? HELD_BACK : 3
    case 'gone':
      return outcome.why === 'status-404' || outcome.why === 'status-410' ? NOT_FOUND : GONE
    case 'read':
      return READ
    default:
      return never(outcome, 'outcome')
  }
}

/** The last instant of a JavaScript date; a sitemap may write any number. */
const MAX_INSTANT = 8.64e15

/** A sitemap's date of a link's last change, as it is stored. */
export function lastmodOf({ lastmod }: Pick<Link, 'lastmod'>): Instant | null {
  return lastmod === undefined || !(Math.abs(lastmod) <= MAX_INSTANT) ? null : Math.trunc(lastmod)
}

export function isNewer(lastmod: Instant, known: Instant | null): boolean {
  return known === null || known < lastmod
}

/** SQLite reads rows with keys as bigints throughout. */
type Numeric = number | bigint

/** A URL's row, as far as an agenda shows it. */
export interface AgendaRow {
  key: bigint
  url: string
  depth: Numeric
  path: string
  enqueued_at: Numeric
  due_at: Numeric
  tries: Numeric
  lastmod: Numeric | null
}

/** A waiting URL's row as the link that it was found by. */
export function linkOfRow(
  site: SiteName,
  { url, key, depth, path, lastmod }: Omit<AgendaRow, 'enqueued_at' | 'due_at' | 'tries'>,
  via: string | undefined,
): Link {
  const link: Link = { url, key: unsigned64(key), site, depth: Number(depth), via: via ?? '', path }
  return lastmod === null ? link : { ...link, lastmod: Number(lastmod) }
}
