/** Rows by bucket: a statement is for one bucket, the buckets in their order, the rows of each in the order of their keys. */
import { bucketOf } from '../../database/bucket.ts'

/** Of a site's key, or of any other 64 bits that say where a row lies. */
export function bucketFor(key: bigint): number {
  return bucketOf('postgres', key)
}

/** Smaller buckets first; within a bucket as PostgreSQL sorts the key. */
export function compareKeys(a: bigint, b: bigint): number {
  const buckets = bucketFor(a) - bucketFor(b)
  return buckets !== 0 ? buckets : a < b ? -1 : a > b ? 1 : 0
}

export type ByBucket<Row> = ReadonlyMap<number, readonly Row[]>

export function byBucket<Row>(rows: Iterable<Row>, keyOf: (row: Row) => bigint): ByBucket<Row> {
  const buckets = new Map<number, Row[]>()
  const sorted = [...rows].sort((a, b) => compareKeys(keyOf(a), keyOf(b)))
  for (const row of sorted) {
    const bucket = bucketFor(keyOf(row))
    const others = buckets.get(bucket)
    if (others === undefined) buckets.set(bucket, [row])
    else others.push(row)
  }
  return buckets
}

/** One statement for each bucket, sent at once. */
export function eachBucket<Row, Answer>(
  buckets: ByBucket<Row>,
  ask: (bucket: number, rows: readonly Row[]) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all([...buckets].map(([bucket, rows]) => ask(bucket, rows)))
}

/** The values of one column, for `unnest`. */
export function column<Row extends object, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name])
}
