/** The rows of URLs and of their other spellings, one at a time. */
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { rowsAt } from '../../database/tables.ts'
import { writeRow } from '../../database/write-rows.ts'
import { type SpellingRow, URL_SPELLING, URL_TABLE, type UrlAt, type UrlRows } from '../rules/url-rows.ts'

export const READ_TEXT = `SELECT url, mark FROM url WHERE site = ? AND key = ?`
export const MARK_WAITING = `UPDATE url SET mark = ?, tries = ?, url = ? WHERE site = ? AND key = ? AND mark = 0`
export const GIVE_UP_URLS = `UPDATE url SET mark = 4 WHERE site = ? AND mark = 0`
export const HAS_SPELLINGS = `SELECT 1 FROM url_spelling WHERE site = ? LIMIT 1`

/** Rows between two looks at the clock. */
const ROWS_A_BREATH = 16

export async function writeUrls(tx: SqliteTx, urls: UrlRows, breathe: () => Promise<void> | undefined): Promise<void> {
  const { added, changed, givenUp } = urls.take()
  for (const [nth, row] of [...added, ...changed].entries()) {
    writeRow(tx, URL_TABLE.write, row)
    const pause = nth % ROWS_A_BREATH === 0 ? breathe() : undefined
    if (pause !== undefined) await pause
  }
  for (const site of givenUp) tx.run(GIVE_UP_URLS, site)
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
