/** What a server looks after once a second, for itself and for all: with every tick of the coordinator, so that no check-out waits for it. */
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { forgetAddresses, freeAddresses } from './free-addresses.ts'
import { readTotals } from './read-totals.ts'
import { refreshDueCache } from './refresh-due-cache.ts'
import type { FrontierTools } from './tools.ts'

export async function lookAround(
  tx: PostgresTx,
  { dueCache, clock, time, texts, trusted }: FrontierTools,
): Promise<void> {
  dueCache.refreshing(clock.elapsed())
  const [{ sites, urls }] = await Promise.all([readTotals(tx), refreshDueCache(tx, dueCache), foldTotals(tx)])
  // By what was just seen; last, for addresses are locked after all else.
  await Promise.all([freeAddresses(tx, dueCache, time.now()), forgetAddresses(tx, dueCache, time.now())])
  // What is in memory grows with what there is.
  texts.refresh(0, () => urls.known)
  trusted.refresh(0, () => Object.values(sites).reduce((sum, some) => sum + some, 0))
}

/**
 * Every statement that changes sites adds a row to the totals of a bucket; now and then many become one. The sum is the same
 * at any moment, whoever else adds, reads or folds.
 */

const NAMES = [
  ...['waiting', 'free', 'leased', 'returning', 'crawled', 'barred', 'held'].map((state) => `sites_${state}`),
  'urls_known',
  'urls_waiting',
  'urls_held',
  'urls_refreshing',
  'pages_granted',
]
/** So many rows of a bucket are read as quickly as one. */
const MANY = 32
const MAX_ROWS = 10_000

export const READ_LONG_TOTALS = `
  SELECT bucket FROM frontier_total GROUP BY bucket HAVING count(*) > ${MANY} ORDER BY bucket`
export const FOLD_TOTALS = `
  WITH old AS (
    SELECT id FROM frontier_total WHERE bucket = $1 ORDER BY id LIMIT ${MAX_ROWS} FOR UPDATE SKIP LOCKED),
  gone AS (
    DELETE FROM frontier_total t USING old WHERE t.bucket = $1 AND t.id = old.id RETURNING t.*)
  INSERT INTO frontier_total (bucket, ${NAMES.join(', ')})
  SELECT $1::smallint, ${NAMES.map((name) => `sum(${name})`).join(', ')} FROM gone HAVING count(*) > 0`

export async function foldTotals(tx: PostgresTx): Promise<void> {
  const long = await tx.all<{ bucket: number }>(READ_LONG_TOTALS)
  await Promise.all(long.map(({ bucket }) => tx.run(FOLD_TOTALS, bucket)))
}
