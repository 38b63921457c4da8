import { signed64 } from '../../base/digest.ts'
import type { Link } from '../../contracts/report.ts'
import type { Admitted, SeedUrl } from '../ledger.ts'
import { GONE, NOT_FOUND } from '../rules/mark.ts'
import { sitesOf, stateAfter } from '../rules/site.ts'
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

/** What was marked when the site was given up cannot be told from what was gone before: all of it is asked for once more. */
export const REVIVE_GONE = `
  WITH revived AS (
    UPDATE url SET mark = 0, due_at = 0, tries = 0
    WHERE bucket = $1 AND site = ANY($2::bigint[]) AND mark IN (${GONE}, ${NOT_FOUND}) RETURNING site)
  SELECT site, count(*)::float8 AS urls FROM revived GROUP BY site`

/** Says how many sites that had been given up wait again. */
export async function tryAgain(working: WorkingSet, seeds: readonly SeedUrl[]): Promise<number> {
  const groups = sitesOf(seeds)
  await working.sites.lock(groups.map(({ key }) => key))
  const barred = groups.flatMap(({ key, name }) => {
    const site = working.sites.get(key)
    return site?.state === 'barred' && site.name === name ? [site] : []
  })
  const revived = new Map<bigint, number>()
  await eachBucket(
    byBucket(barred, ({ key }) => key),
    async (bucket, some) => {
      const rows = await working.tx.allExact<{ site: bigint; urls: number }>(REVIVE_GONE, bucket, column(some, 'key'))
      for (const { site, urls } of rows) revived.set(site, urls)
    },
  )
  for (const site of barred) {
    site.state = stateAfter(site.state, { kind: 'tried-again' })
    site.reason = null
    site.waiting += revived.get(site.key) ?? 0
    // It counts the tries that were used up.
    working.memory.forget(site.key)
    if (site.waiting > 0) working.wake(site)
    working.sites.change(site)
  }
  await working.flush()
  return barred.length
}
