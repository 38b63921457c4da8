/** Other spellings of the URLs of a transaction: most have none. Read after the URLs, whose sites are locked. */

import type { PostgresTx } from '../../database/postgres/tx.ts'
import { columnTypes } from '../../database/schema/columns.ts'
import { type SpellingRow, type SpellingRows, URL_SPELLING, type UrlAt } from '../rules/url-rows.ts'
import { readAt, runAt, runBy, selected, writeAll } from './by-bucket.ts'

export const READ_SPELLINGS = `
  SELECT ${selected(columnTypes('url_spelling'), 's')} FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url_spelling s ON s.bucket = $1 AND s.site = n.site AND s.key = n.key ORDER BY s.site, s.key, s.position`
export const WRITE_SPELLINGS = URL_SPELLING.postgres
export const FORGET_SPELLINGS = `
  DELETE FROM url_spelling s USING unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  WHERE s.bucket = $1 AND s.site = n.site AND s.key = n.key`
export const FORGET_SPELLINGS_OF_SITES = `DELETE FROM url_spelling WHERE bucket = $1 AND site = ANY($2::bigint[])`

export async function readSpellings(tx: PostgresTx, spellings: SpellingRows, urls: readonly UrlAt[]): Promise<void> {
  for (const row of await readAt<SpellingRow>(tx, READ_SPELLINGS, urls)) spellings.keep(row)
}

export function writeSpellings(tx: PostgresTx, spellings: SpellingRows): Promise<unknown>[] {
  const { sites, forgotten, changed } = spellings.take()
  return [
    runBy(tx, FORGET_SPELLINGS_OF_SITES, sites),
    runAt(tx, FORGET_SPELLINGS, forgotten),
    writeAll(tx, URL_SPELLING, changed),
  ]
}
