/** Known pages, and what the looks at each site have shown. */
import type { Instant, Millis } from '../../base/clock.ts'
import { type TableRows, tableOf } from '../../database/tables.ts'
import type { UrlAt } from './url-rows.ts'

/** A page that is looked at again: from `refresh_at` on, or by its worth (`class`). */
export interface KnownRow extends UrlAt {
  looked_at: Instant
  refresh_at: Instant | null
  /** The time from one look to the next, for policies that plan it. */
  interval_ms: Millis | null
  class: number | null
  /** Changes per second. */
  rate: number
  weight: number
  changes: number
  changed_ms: Millis
  unchanged_ms: Millis
  /** Looks in a row that did not bring the page. `missing_since`: all of them found it missing, the first one then. */
  failures: number
  missing_since: Instant | null
  /** When a hint said that it had changed; it was not looked at since. */
  hinted_at: Instant | null
}

/** Of all known pages of a site together. */
export interface LooksRow {
  readonly site: bigint
  looks: number
  changes: number
  changed_ms: Millis
  unchanged_ms: Millis
  /** Hints that a look confirmed, those it did not, and changes that no hint announced. */
  hints_right: number
  hints_wrong: number
  unhinted: number
  /** When intervals were planned for the site. */
  planned_at: Instant | null
}

export const KNOWN_PAGE = tableOf<KnownRow>('known_page', ['site', 'key'])
export const SITE_LOOKS = tableOf<LooksRow>('site_looks', ['site'])

export function looksOf({ looks }: { looks: TableRows<LooksRow> }, site: bigint): LooksRow {
  return looks.get({ site }) ?? looks.keep(noLooks(site))
}

function noLooks(site: bigint): LooksRow {
  const hints = { hints_right: 0, hints_wrong: 0, unhinted: 0 }
  return { site, looks: 0, changes: 0, changed_ms: 0, unchanged_ms: 0, ...hints, planned_at: null }
}
