/**
 * Every statement that changes sites adds a row to the totals of a bucket; now and then many become one. The sum is the same
 * at any moment, whoever else adds, reads or folds.
 */
import type { PostgresTx } from '../../database/postgres/tx.ts'

const NAMES = [
  ...['waiting', 'free', 'leased', 'returning', 'crawled', 'barred', 'held'].map((state) => `sites_${state}`),
  'urls_known',
  'urls_waiting',
  'urls_held',
  'pages_granted',
]
/** So many rows of a bucket are read as quickly as one. */
const MANY = 32
const MOST_ROWS = 10_000

export const READ_LONG_TOTALS = `
  SELECT bucket FROM frontier_total GROUP BY bucket HAVING count(*) > ${MANY} ORDER BY bucket`
export const FOLD_TOTALS = `
  WITH old AS (
    SELECT id FROM frontier_total WHERE bucket = $1 ORDER BY id LIMIT ${MOST_ROWS} FOR UPDATE SKIP LOCKED),
  gone AS (
    DELETE FROM frontier_total t USING old WHERE t.bucket = $1 AND t.id = old.id RETURNING t.*)
  INSERT INTO frontier_total (bucket, ${NAMES.join(', ')})
  SELECT $1::smallint, ${NAMES.map((name) => `sum(${name})`).join(', ')} FROM gone HAVING count(*) > 0`

export async function foldTotals(tx: PostgresTx): Promise<void> {
  const long = await tx.all<{ bucket: number }>(READ_LONG_TOTALS)
  await Promise.all(long.map(({ bucket }) => tx.run(FOLD_TOTALS, bucket)))
}
