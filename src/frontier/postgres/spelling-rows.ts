/** Other spellings of the URLs of a transaction: most have none. Read after the URLs, whose sites are locked. */

import type { PostgresTx } from '../../database/postgres/tx.ts'
import { columnTypes } from '../../database/schema/columns.ts'
import { writeBucket } from '../../database/write-rows.ts'
import { type SpellingRow, type SpellingRows, URL_SPELLING, type UrlAt } from '../rules/url-rows.ts'
import { bySite, column, eachBucket, itself, selected } from './by-bucket.ts'

export const READ_SPELLINGS = `
  SELECT ${selected(columnTypes('url_spelling'), 's')} FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url_spelling s ON s.bucket = $1 AND s.site = n.site AND s.key = n.key ORDER BY s.site, s.key, s.position`
export const WRITE_SPELLINGS = URL_SPELLING.postgres
export const FORGET_SPELLINGS = `
  DELETE FROM url_spelling s USING unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  WHERE s.bucket = $1 AND s.site = n.site AND s.key = n.key`
export const FORGET_SPELLINGS_OF_SITES = `DELETE FROM url_spelling WHERE bucket = $1 AND site = ANY($2::bigint[])`

export async function readSpellings(tx: PostgresTx, spellings: SpellingRows, urls: readonly UrlAt[]): Promise<void> {
  await eachBucket(urls, bySite, async (bucket, some) => {
    const sql = [READ_SPELLINGS, bucket, column(some, 'site'), column(some, 'key')] as const
    for (const row of await tx.allExact<SpellingRow>(...sql)) spellings.keep(row)
  })
}

export function writeSpellings(tx: PostgresTx, spellings: SpellingRows): Promise<unknown>[] {
  const { sites, forgotten, changed } = spellings.take()
  return [
    eachBucket(sites, itself, (bucket, keys) => tx.run(FORGET_SPELLINGS_OF_SITES, bucket, keys)),
    eachBucket(forgotten, bySite, (bucket, rows) =>
      tx.run(FORGET_SPELLINGS, bucket, column(rows, 'site'), column(rows, 'key')),
    ),
    eachBucket(changed, bySite, (bucket, rows) => writeBucket(tx, URL_SPELLING, bucket, rows)),
  ]
}
