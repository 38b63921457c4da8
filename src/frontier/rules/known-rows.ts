/** The known pages of a transaction, and what the looks at each site have shown: rows in memory, written at its end. */
import { assert } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import { wholeRowWriter } from '../../database/write-rows.ts'
import { compareBigints } from './site.ts'
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
  /** Somebody said then that it had changed, and it was not looked at since. */
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

export const KNOWN_PAGE = wholeRowWriter<KnownRow>('known_page', 'site', 'key')
export const SITE_LOOKS = wholeRowWriter<LooksRow>('site_looks', 'site')

export function noLooks(site: bigint): LooksRow {
  const hints = { hints_right: 0, hints_wrong: 0, unhinted: 0 }
  return { site, looks: 0, changes: 0, changed_ms: 0, unchanged_ms: 0, ...hints, planned_at: null }
}

interface LoadKnown {
  page?(at: UrlAt): KnownRow | undefined
  looks?(site: bigint): LooksRow | undefined
}

export class KnownRows {
  readonly #from: LoadKnown
  /** null: it was read and does not exist. */
  readonly #pages = new Map<string, KnownRow | null>()
  readonly #looks = new Map<bigint, LooksRow>()
  readonly #changed = new Set<KnownRow>()
  readonly #removed = new Set<KnownRow>()
  readonly #changedLooks = new Set<LooksRow>()

  constructor(from: LoadKnown = {}) {
    this.#from = from
  }

  get(at: UrlAt): KnownRow | undefined {
    const name = nameOf(at)
    const known = this.#pages.get(name)
    if (known !== undefined) return known ?? undefined
    assert(this.#from.page !== undefined, 'a known page that was not read')
    const row = this.#from.page(at)
    this.#pages.set(name, row ?? null)
    return row
  }

  /** Those that were not read before, once each. They count as absent until they are kept. */
  unread(all: Iterable<UrlAt>): UrlAt[] {
    const missing: UrlAt[] = []
    for (const { site, key } of all) {
      const name = nameOf({ site, key })
      if (this.#pages.has(name)) continue
      this.#pages.set(name, null)
      missing.push({ site, key })
    }
    return missing
  }

  /** A row that was read. */
  keep(row: KnownRow): void {
    this.#pages.set(nameOf(row), row)
  }

  put(row: KnownRow): void {
    this.keep(row)
    this.#removed.delete(row)
    this.#changed.add(row)
  }

  remove(row: KnownRow): void {
    this.#pages.set(nameOf(row), null)
    this.#changed.delete(row)
    this.#removed.add(row)
  }

  looksOf(site: bigint): LooksRow {
    const known = this.#looks.get(site)
    if (known !== undefined) return known
    assert(this.#from.looks !== undefined, 'looks that were not read')
    const row = this.#from.looks(site) ?? noLooks(site)
    this.#looks.set(site, row)
    return row
  }

  hasLooks(site: bigint): boolean {
    return this.#looks.has(site)
  }

  keepLooks(row: LooksRow): void {
    this.#looks.set(row.site, row)
  }

  changeLooks(row: LooksRow): void {
    this.#changedLooks.add(row)
  }

  /** What is to be written, by key. */
  take(): { changed: KnownRow[]; removed: KnownRow[]; looks: LooksRow[] } {
    const byKey = (a: UrlAt, b: UrlAt) => compareBigints(a.site, b.site) || compareBigints(a.key, b.key)
    const taken = {
      changed: [...this.#changed].sort(byKey),
      removed: [...this.#removed].sort(byKey),
      looks: [...this.#changedLooks].sort((a, b) => compareBigints(a.site, b.site)),
    }
    this.#changed.clear()
    this.#removed.clear()
    this.#changedLooks.clear()
    return taken
  }
}

function nameOf({ site, key }: UrlAt): string {
  return `${site} ${key}`
}
