import type { SeedUrl } from '../ledger.ts'
import { GONE, NOT_FOUND } from '../mark.ts'
import { stateAfter } from '../site.ts'
import { sitesOf } from '../sites-of.ts'
import { byBucket, column, eachBucket } from './by-bucket.ts'
import type { WorkingSet } from './working-set.ts'

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
