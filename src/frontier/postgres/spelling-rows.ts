/** Other spellings of the URLs of a transaction: most have none. Read after the URLs, whose sites are locked. */

import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { SpellingRow, SpellingRows, UrlAt } from '../rules/url-rows.ts'
import { bySite, column, eachBucket, itself } from './by-bucket.ts'

export const READ_SPELLINGS = `
  SELECT s.site, s.key, s.position::float8 AS position, s.url, s.depth::float8 AS depth, s.via_site, s.via_key, s.path,
    s.tried::float8 AS tried
  FROM unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  JOIN url_spelling s ON s.bucket = $1 AND s.site = n.site AND s.key = n.key ORDER BY s.site, s.key, s.position`
export const WRITE_SPELLINGS = `
  INSERT INTO url_spelling (bucket, site, key, position, url, depth, via_site, via_key, path, tried)
  SELECT $1::smallint, n.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[],
    $8::bigint[], $9::text[], $10::bigint[]) AS n
  ON CONFLICT (bucket, site, key, position) DO UPDATE SET url = excluded.url, depth = excluded.depth,
    via_site = excluded.via_site, via_key = excluded.via_key, path = excluded.path, tried = excluded.tried`
export const FORGET_SPELLINGS = `
  DELETE FROM url_spelling s USING unnest($2::bigint[], $3::bigint[]) AS n (site, key)
  WHERE s.bucket = $1 AND s.site = n.site AND s.key = n.key`
export const FORGET_SPELLINGS_OF_SITES = `DELETE FROM url_spelling WHERE bucket = $1 AND site = ANY($2::bigint[])`

const NAMES = ['site', 'key', 'position', 'url', 'depth', 'via_site', 'via_key', 'path', 'tried'] as const

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
    eachBucket(changed, bySite, (bucket, rows) =>
      tx.run(WRITE_SPELLINGS, bucket, ...NAMES.map((name) => column(rows, name))),
    ),
  ]
}
