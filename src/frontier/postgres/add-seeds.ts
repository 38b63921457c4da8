import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { Admitted, SeedUrl } from '../ledger.ts'
import { admit } from './admit.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import { keyOf, type WorkingSet } from './working-set.ts'

/** One URL may be given twice: the first counts. */
export const ADD_SEEDS = `
  INSERT INTO seed (bucket, site, key, url, added_at, source)
  SELECT $1::smallint, n.site, n.key, n.url, $6::bigint, n.source
  FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS n (site, key, url, source, place)
  ORDER BY n.site, n.key, n.place ON CONFLICT (bucket, site, key) DO NOTHING`

/** A seed given again is enqueued no more than any URL is: once, ever. */
export async function addSeeds(working: WorkingSet, seeds: readonly SeedUrl[]): Promise<Admitted> {
  const links = seeds.map(({ url, key, site, path = '', lastmod }): Link => {
    const link = { url, key, site, depth: 0, via: '', path }
    return lastmod === undefined ? link : { ...link, lastmod }
  })
  // First, for the rows of seeds belong to whoever has their sites'.
  const admitted = await admit(working, links, true)
  const rows = seeds.map(({ url, key, site, source = 'given' }) => ({
    site: keyOf(site),
    key: signed64(key),
    url,
    source,
  }))
  await eachBucket(
    byBucket(rows, ({ site }) => site),
    (bucket, some) =>
      working.tx.run(
        ADD_SEEDS,
        bucket,
        column(some, 'site'),
        column(some, 'key'),
        column(some, 'url'),
        column(some, 'source'),
        working.now,
      ),
  )
  return admitted
}
