/** Rows by bucket: each statement is for one bucket. Buckets come in their order, the rows of each in the order of their keys. */
import { hash64, signed64 } from '../../base/digest.ts'
import { bucketOf } from '../bucket.ts'
import { columnsOf, type PostgresTx } from './tx.ts'
import type { PgValue } from './values.ts'

/** The bucket of a site's key, or of any other 64 bits by which rows are distributed. */
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
  const sorted = [...rows].sort((a, b) => compareKeys(keyOf(a), keyOf(b)))
  return Map.groupBy(sorted, (row) => bucketFor(keyOf(row)))
}

/** One statement per bucket, all sent at once. */
export function eachBucket<Row, Answer>(
  rows: Iterable<Row>,
  keyOf: (row: Row) => bigint,
  ask: (bucket: number, rows: readonly Row[]) => Promise<Answer>,
): Promise<Answer[]> {
  return Promise.all([...byBucket(rows, keyOf)].map(([bucket, some]) => ask(bucket, some)))
}

/**
 * Begins many statements, which may answer later. `breathe` lets others in between: those of all 256 buckets hold the thread
 * for 3 ms otherwise. Statements that others begin meanwhile may come between these.
 */
export async function beginInTurns<Item, Answer>(
  breathe: () => Promise<void> | undefined,
  items: Iterable<Item>,
  begin: (item: Item) => Promise<Answer>,
): Promise<Promise<Answer>[]> {
  const answers: Promise<Answer>[] = []
  for (const item of items) {
    const pause = breathe()
    if (pause !== undefined) await pause
    const answer = begin(item)
    // It may fail before anybody awaits it.
    answer.catch(() => {})
    answers.push(answer)
  }
  return answers
}

/** Rows by their keys, whatever their buckets: `sql` takes the bucket, the keys, and what else is given. */
export async function readBy<Row extends object>(
  tx: PostgresTx,
  sql: string,
  keys: Iterable<bigint>,
  ...more: PgValue[]
): Promise<Row[]> {
  return (await eachBucket(keys, itself, (bucket, some) => tx.allExact<Row>(sql, bucket, some, ...more))).flat()
}

/** The same by site and key. */
export async function readAt<Row extends object>(
  tx: PostgresTx,
  sql: string,
  at: Iterable<{ site: bigint; key: bigint }>,
): Promise<Row[]> {
  const rows = await eachBucket(at, bySite, (bucket, some) =>
    tx.allExact<Row>(sql, bucket, ...columnsOf(some, 'site', 'key')),
  )
  return rows.flat()
}

/** Changes rows by their keys. */
export function runBy(tx: PostgresTx, sql: string, keys: Iterable<bigint>): Promise<unknown> {
  return eachBucket(keys, itself, (bucket, some) => tx.run(sql, bucket, some))
}

/** Keys of rows, for `byBucket` and `eachBucket`. */
export const byKey = ({ key }: { key: bigint }): bigint => key
export const bySite = ({ site }: { site: bigint }): bigint => site
/** Addresses have shards of their own. */
export const byAddress = ({ address }: { address: string }): bigint => signed64(hash64(address))
export const itself = (key: bigint): bigint => key

/** The values of one column, for `unnest`. */
export function column<Row extends object, Name extends keyof Row>(rows: readonly Row[], name: Name): Row[Name][] {
  return rows.map((row) => row[name])
}
