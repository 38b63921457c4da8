/** The URLs of a transaction and their other spellings: rows in memory, read before or when they are asked for, written at its end. */
import { assert } from '../../base/assert.ts'
import type { Instant } from '../../base/clock.ts'
import type { Tx } from '../../database/database.ts'
import { columnTypes } from '../../database/schema/columns.ts'
import { readRows, removeAll, tableOf, writeAll } from '../../database/tables.ts'
import { rowWriter } from '../../database/write-rows.ts'
import { GONE, HELD_BACK, WAITING } from './mark.ts'
import { compareBigints, taken } from './site.ts'

/** Where a URL's row is. */
export interface UrlAt {
  readonly site: bigint
  readonly key: bigint
}

/** A text of a URL, and how it was found. */
export interface UrlText {
  url: string
  depth: number
  via_site: bigint | null
  via_key: bigint | null
  path: string
}

export interface UrlRow extends UrlAt, UrlText {
  seq: number
  enqueued_at: Instant
  /** 0: never visited. */
  due_at: Instant
  tries: number
  mark: number
  lastmod: Instant | null
}

export const URL_TABLE = tableOf<UrlRow>('url', ['site', 'key'])
/** An existing row stays as it is. */
export const NEW_URL = rowWriter<UrlRow>('url', [...columnTypes('url').keys()] as (keyof UrlRow)[], 'site, key')

/** A URL that was never visited, unless `more` says otherwise. */
export function newUrl(
  { site, key }: UrlAt,
  { url, depth, via_site, via_key, path }: UrlText,
  more: Pick<UrlRow, 'seq' | 'enqueued_at' | 'mark'> & Partial<Pick<UrlRow, 'due_at' | 'tries' | 'lastmod'>>,
): UrlRow {
  return { site, key, url, depth, via_site, via_key, path, due_at: 0, tries: 0, lastmod: null, ...more }
}

/** Rows by two keys. null: it was read and does not exist. */
type BySite<Row> = Map<bigint, Map<bigint, Row>>

function ofSite<Row>(all: BySite<Row>, site: bigint): Map<bigint, Row> {
  const known = all.get(site)
  if (known !== undefined) return known
  const rows = new Map<bigint, Row>()
  all.set(site, rows)
  return rows
}

export type KnownText = Pick<UrlRow, 'url' | 'mark'>

interface LoadUrls {
  load?(site: bigint, key: bigint): UrlRow | undefined
  loadText?(site: bigint, key: bigint): KnownText | undefined
  /** Writes a row at once, unless it is there: one statement for most links, where reading first would take two. */
  insert?(row: UrlRow): boolean
  /** Marks a URL that waits, at once. False: there is none. */
  mark?(at: UrlAt, marked: Marked): boolean
}

type Marked = Pick<UrlRow, 'mark' | 'tries' | 'url'>

/** URLs of sites that this transaction has locked: no other one changes or adds any. */
export class UrlRows {
  readonly #from: LoadUrls
  readonly #rows: BySite<UrlRow | null> = new Map()
  readonly #added = new Set<UrlRow>()
  readonly #changed = new Set<UrlRow>()
  readonly #givenUp = new Set<bigint>()

  constructor(from: LoadUrls = {}) {
    this.#from = from
  }

  get(site: bigint, key: bigint): UrlRow | undefined {
    const rows = ofSite(this.#rows, site)
    const known = rows.get(key)
    if (known !== undefined) return known ?? undefined
    assert(this.#from.load !== undefined, 'a URL that was not read')
    const row = this.#from.load(site, key)
    rows.set(key, row ?? null)
    if (row?.mark === WAITING && this.#givenUp.has(site)) row.mark = GONE
    return row
  }

  /** Its text and mark: on SQLite half as much to read as the whole row. */
  textAt(site: bigint, key: bigint): KnownText | undefined {
    const { loadText } = this.#from
    const mayLoad = loadText !== undefined && !this.isRead({ site, key }) && !this.#givenUp.has(site)
    return mayLoad ? loadText(site, key) : this.get(site, key)
  }

  isRead({ site, key }: UrlAt): boolean {
    return this.#rows.get(site)?.has(key) === true
  }

  /** Keys that were not read before, once each. They count as absent until they are kept. */
  unread(all: Iterable<UrlAt>): UrlAt[] {
    const missing: UrlAt[] = []
    for (const { site, key } of all) {
      const rows = ofSite(this.#rows, site)
      if (rows.has(key)) continue
      rows.set(key, null)
      missing.push({ site, key })
    }
    return missing
  }

  /** A row that was read. */
  keep(row: UrlRow): void {
    ofSite(this.#rows, row.site).set(row.key, row)
  }

  /** Of the rows that were kept, those that findings hold back. */
  heldBack(site: bigint): UrlRow[] {
    return [...ofSite(this.#rows, site).values()].filter((row) => row?.mark === HELD_BACK) as UrlRow[]
  }

  add(row: UrlRow): void {
    assert(this.get(row.site, row.key) === undefined, 'a URL that is known')
    this.keep(row)
    this.#added.add(row)
  }

  /** Adds it unless it is known. Returns whether it is new. */
  addNew(row: UrlRow): boolean {
    const { insert } = this.#from
    if (insert === undefined || this.isRead(row)) {
      if (this.get(row.site, row.key) !== undefined) return false
      this.add(row)
      return true
    }
    const isNew = insert(row)
    if (isNew) this.keep(row)
    return isNew
  }

  /** Where a row need not be read to be marked, one statement is enough. False: read it. */
  markUnread(at: UrlAt, marked: Marked): boolean {
    const mayMark = !this.isRead(at) && !this.#givenUp.has(at.site)
    return this.#from.mark !== undefined && mayMark && this.#from.mark(at, marked)
  }

  change(row: UrlRow): void {
    if (!this.#added.has(row)) this.#changed.add(row)
  }

  /** Everything that waits in the site, read or not, is gone. */
  giveUp(site: bigint): void {
    for (const row of ofSite(this.#rows, site).values()) if (row?.mark === WAITING) row.mark = GONE
    this.#givenUp.add(site)
  }

  /** A statement has made all URLs of the site with these marks wait again, after a `flush`. */
  revived(site: bigint, marks: readonly number[]): void {
    for (const row of ofSite(this.#rows, site).values())
      if (row !== null && marks.includes(row.mark)) Object.assign(row, REVIVED)
  }

  /** The rows to write, by key: batches in the order of their keys go in twice as fast. */
  take(): { added: UrlRow[]; changed: UrlRow[]; givenUp: bigint[] } {
    const byKey = (a: UrlRow, b: UrlRow) => compareBigints(a.site, b.site) || compareBigints(a.key, b.key)
    return {
      added: taken(this.#added).sort(byKey),
      changed: taken(this.#changed).sort(byKey),
      givenUp: taken(this.#givenUp),
    }
  }
}

/** A URL that was marked waits again, as one that was never visited. */
export const REVIVED = { mark: WAITING, due_at: 0, tries: 0 } as const

export interface Spelling extends UrlText {
  /** 1, 2, 3. */
  readonly position: number
  tried: number
}

export interface SpellingRow extends UrlAt, Spelling {}

export const URL_SPELLING = tableOf<SpellingRow>('url_spelling', ['site', 'key'], 'position')
export const SPELLINGS_OF_SITE = tableOf<SpellingRow>('url_spelling', ['site'], 'key', 'position')

const NO_SPELLINGS: readonly SpellingRow[] = []

/** Other spellings of URLs: most have none. */
export class SpellingRows {
  readonly #tx: Tx
  readonly #load: (at: UrlAt) => SpellingRow[]
  readonly #rows: BySite<SpellingRow[]> = new Map()
  readonly #changed = new Set<SpellingRow>()
  readonly #forgotten = new Set<UrlAt>()
  readonly #sites = new Set<bigint>()

  /** `load`: on SQLite, where they are read when they are asked for. */
  constructor(tx: Tx, load: (at: UrlAt) => SpellingRow[] = () => []) {
    this.#tx = tx
    this.#load = load
  }

  /** On PostgreSQL, those of URLs that have some and were not read before. */
  async read(urls: readonly UrlAt[]): Promise<void> {
    const found = await readRows(this.#tx, URL_SPELLING, urls)
    for (const row of found) {
      const rows = ofSite(this.#rows, row.site)
      const known = rows.get(row.key)
      if (known === undefined) rows.set(row.key, [row])
      else known.push(row)
    }
  }

  /** In the order of their positions. */
  of({ site, key }: UrlAt): readonly SpellingRow[] {
    const rows = ofSite(this.#rows, site)
    const known = rows.get(key)
    if (known !== undefined) return known
    const read = this.#sites.has(site) ? [] : this.#load({ site, key })
    if (read.length === 0) return NO_SPELLINGS
    rows.set(key, read)
    return read
  }

  /** At the position of one that is there, or after the last. */
  put({ site, key }: UrlAt, spelling: Spelling): void {
    const row: SpellingRow = { ...spelling, site, key }
    const before = this.of(row)[row.position - 1]
    if (before !== undefined) this.#changed.delete(before)
    const rows = ofSite(this.#rows, site)
    const known = rows.get(key)
    if (known === undefined) rows.set(key, [row])
    else known[row.position - 1] = row
    this.#changed.add(row)
  }

  keepOnly(at: UrlAt, isKept: (row: SpellingRow) => boolean): void {
    const rows = this.of(at)
    const kept = rows.filter(isKept)
    if (kept.length === rows.length) return
    this.forget(at)
    for (const [index, row] of kept.entries()) this.put(at, { ...row, position: index + 1 })
  }

  forget({ site, key }: UrlAt): void {
    const rows = this.of({ site, key })
    if (rows.length === 0) return
    for (const row of rows) this.#changed.delete(row)
    ofSite(this.#rows, site).set(key, [])
    this.#forgotten.add({ site, key })
  }

  /** Read or not. */
  forgetSite(site: bigint): void {
    for (const [key] of ofSite(this.#rows, site)) this.forget({ site, key })
    this.#sites.add(site)
  }

  async write(): Promise<void> {
    const sites = taken(this.#sites).map((site) => ({ site }))
    await Promise.all([
      removeAll(this.#tx, SPELLINGS_OF_SITE, sites),
      removeAll(this.#tx, URL_SPELLING, taken(this.#forgotten)),
      writeAll(this.#tx, URL_SPELLING, taken(this.#changed)),
    ])
  }
}
