/** The rows of URLs and of their other spellings, one at a time. */
import { keyed } from '../../database/schema/columns.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { rowsAt } from '../../database/tables.ts'
import { HELD_BACK, MAX_REQUEUED } from '../rules/mark.ts'
import { type SpellingRow, URL_SPELLING, type UrlAt, type UrlRow, type UrlRows } from '../rules/url-rows.ts'

const COLUMNS = 'url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark, lastmod'

export const READ_URL = `SELECT ${COLUMNS} FROM url WHERE site = ? AND key = ?`
export const READ_TEXT = `SELECT url, mark FROM url WHERE site = ? AND key = ?`
export const ADD_URL = `INSERT INTO url (site, key, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
export const ADD_URL_IF_NEW = ADD_URL.replace('INSERT', 'INSERT OR IGNORE')
export const WRITE_URL = `
  UPDATE url SET url = ?, depth = ?, via_site = ?, via_key = ?, path = ?, seq = ?, enqueued_at = ?, due_at = ?, tries = ?,
    mark = ?, lastmod = ?
  WHERE site = ? AND key = ?`
export const MARK_WAITING = `UPDATE url SET mark = ?, tries = ?, url = ? WHERE site = ? AND key = ? AND mark = 0`
export const GIVE_UP_URLS = `UPDATE url SET mark = 4 WHERE site = ? AND mark = 0`
export const READ_HELD_BACK = `
  SELECT key, ${COLUMNS} FROM url INDEXED BY url_held WHERE site = ? AND mark = ${HELD_BACK} LIMIT ${MAX_REQUEUED}`

export const HAS_SPELLINGS = `SELECT 1 FROM url_spelling WHERE site = ? LIMIT 1`

/** In the order of `COLUMNS`. */
type UrlColumns = readonly [
  url: string,
  depth: bigint,
  via_site: bigint | null,
  via_key: bigint | null,
  path: string,
  seq: bigint,
  enqueued_at: bigint,
  due_at: bigint,
  tries: bigint,
  mark: bigint,
  lastmod: bigint | null,
]

/** Columns by name cost 7.7 µs a row, in an array 3.0. */
export function readUrl(tx: SqliteTx, site: bigint, key: bigint): UrlRow | undefined {
  const row = tx.getColumns<UrlColumns>(READ_URL, site, key)
  return row && rowOf(site, key, row)
}

function rowOf(
  site: bigint,
  key: bigint,
  [url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark, lastmod]: UrlColumns,
): UrlRow {
  return {
    site,
    key,
    url,
    depth: Number(depth),
    via_site,
    via_key,
    path,
    seq: Number(seq),
    enqueued_at: Number(enqueued_at),
    due_at: Number(due_at),
    tries: Number(tries),
    mark: Number(mark),
    lastmod: lastmod === null ? null : Number(lastmod),
  }
}

/** URLs that findings hold back in a site. */
export function readHeldBack(tx: SqliteTx, urls: UrlRows, site: bigint): void {
  for (const row of tx.allExact<Omit<UrlRow, 'site'>>(READ_HELD_BACK, site))
    if (!urls.isRead({ site, key: row.key })) urls.keep(Object.assign(keyed(row), { site }))
}

/** Rows between two looks at the clock. */
const ROWS_A_BREATH = 16

export async function writeUrls(tx: SqliteTx, urls: UrlRows, breathe: () => Promise<void> | undefined): Promise<void> {
  const { added, changed, givenUp } = urls.take()
  for (let nth = 0; nth < added.length + changed.length; nth++) {
    const isNew = nth < added.length
    const row = isNew ? added[nth] : changed[nth - added.length]
    if (isNew) tx.run(ADD_URL, row.site, row.key, ...valuesOf(row))
    else tx.run(WRITE_URL, ...valuesOf(row), row.site, row.key)
    const pause = nth % ROWS_A_BREATH === 0 ? breathe() : undefined
    if (pause !== undefined) await pause
  }
  for (const site of givenUp) tx.run(GIVE_UP_URLS, site)
}

export function valuesOf(row: UrlRow) {
  const { url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark, lastmod } = row
  return [url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark, lastmod] as const
}

/** Most sites have none: then their pages need not be looked up one by one. */
export function spellingReader(tx: SqliteTx): (at: UrlAt) => SpellingRow[] {
  const spelt = new Map<bigint, boolean>()
  return ({ site, key }) => {
    const isSpelt = spelt.get(site) ?? tx.get(HAS_SPELLINGS, site) !== undefined
    spelt.set(site, isSpelt)
    return isSpelt ? rowsAt(tx, URL_SPELLING, { site, key }) : []
  }
}

export interface WithVia {
  via_site: bigint | null
  via_key: bigint | null
}

/** The text of the page on which a URL was found. */
export function readVia(tx: SqliteTx, { via_site, via_key }: WithVia): string | undefined {
  if (via_site === null || via_key === null) return undefined
  return tx.get<{ url: string }>(READ_TEXT, via_site, via_key)?.url
}
