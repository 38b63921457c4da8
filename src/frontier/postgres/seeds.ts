import { signed64 } from '../../base/digest.ts'
import type { Admitted, SeedUrl } from '../contract.ts'
import { GONE, NOT_FOUND } from '../rules/mark.ts'
import { keyOf, sitesOf, stateAfter, wake } from '../rules/site.ts'
import { linksOfSeeds } from '../tools.ts'
import { admit } from './admit.ts'
import { byKey, bySite, column, eachBucket } from './by-bucket.ts'
import type { WorkingSet } from './working-set.ts'

/** A URL may be given twice: the first counts. */
export const ADD_SEEDS = `
  INSERT INTO seed (bucket, site, key, url, added_at, source)
  SELECT $1::smallint, n.site, n.key, n.url, $6::bigint, n.source
  FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) WITH ORDINALITY AS n (site, key, url, source, nth)
  ORDER BY n.site, n.key, n.nth ON CONFLICT (bucket, site, key) DO NOTHING`

/** A seed given again is enqueued no more than any URL is: once. */
export async function addSeeds(working: WorkingSet, seeds: readonly SeedUrl[]): Promise<Admitted> {
  // First, because it locks the sites that the rows of seeds belong to.
  const admitted = await admit(working, linksOfSeeds(seeds), true)
  const rows = seeds.map(({ url, key, site, source = 'given' }) => ({
    site: keyOf(site),
    key: signed64(key),
    url,
    source,
  }))
  await eachBucket(rows, bySite, (bucket, some) =>
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

/**
 * What was marked when the site was given up can't be distinguished from what was gone before: all of it is fetched once
 * more.
 */
export const REVIVE_GONE = `
  WITH revived AS (
    UPDATE url SET mark = 0, due_at = 0, tries = 0
    WHERE bucket = $1 AND site = ANY($2::bigint[]) AND mark IN (${GONE}, ${NOT_FOUND}) RETURNING site)
  SELECT site, count(*)::float8 AS urls FROM revived GROUP BY site`

/** Returns how many sites that had been given up wait again. */
export async function tryAgain(working: WorkingSet, seeds: readonly SeedUrl[]): Promise<number> {
  const groups = sitesOf(seeds)
  await working.sites.lock(groups.map(({ key }) => key))
  const barred = groups.flatMap(({ key, name }) => {
    const site = working.sites.get(key)
    return site?.state === 'barred' && site.name === name ? [site] : []
  })
  const revived = new Map<bigint, number>()
  await eachBucket(barred, byKey, async (bucket, some) => {
    const rows = await working.tx.allExact<{ site: bigint; urls: number }>(REVIVE_GONE, bucket, column(some, 'key'))
    for (const { site, urls } of rows) revived.set(site, urls)
  })
  for (const site of barred) {
    site.state = stateAfter(site.state, { kind: 'tried-again' })
    site.reason = null
    site.waiting += revived.get(site.key) ?? 0
    // It counts the tries that were used up.
    working.memory.forget(site.key)
    if (site.waiting > 0) wake(working, site)
    working.sites.change(site)
  }
  await working.flush()
  return barred.length
}
