/**
 * How rows are addressed: sites by key, pages and captures by id.
 *
 * An id begins with its row's bucket, so an id alone finds its row, and one number marks a position in a table. On PostgreSQL
 * an id is bucket × 2^44 + n (under 2^53). The reports of a bucket are applied one transaction after the other, so its ids
 * grow in the order of arrival. SQLite has one bucket, number 0, and so the same rule.
 */
import { turn } from '../base/clock.ts'
import { type SiteName, siteKeyOf } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Dialect, Tx } from '../database/database.ts'

/** The values of `bucket = ? AND site = ?`. */
export function siteAt(dialect: Dialect, key: bigint): [bucket: number, site: bigint] {
  return [bucketOf(dialect, key), key]
}

export const siteNamed = (tx: Tx, name: SiteName) => siteAt(tx.dialect, siteKeyOf(name))

const ROWS_PER_BUCKET = 2 ** 44

export function bucketOfId(id: number): number {
  return Math.floor(id / ROWS_PER_BUCKET)
}

/** Before all ids of a bucket. */
export function firstIdOf(bucket: number): number {
  return bucket * ROWS_PER_BUCKET
}

/** `id` without its bucket: small numbers, close together. */
export function numberOfId(id: number): number {
  return id % ROWS_PER_BUCKET
}

/** The values of `bucket = ? AND id = ?`, and of `pieceOf`. */
export function rowOf(id: number): [bucket: number, id: number] {
  return [bucketOfId(id), id]
}

/**
 * A table in pieces, in the order of its key: by bucket, then by id. The databases need two texts: SQLite's key is the id
 * alone, and it would not see that a constant before it changes nothing. PostgreSQL also needs the condition on the id: without it
 * the planner takes a piece of a bucket for the whole. `after`: the rows after ?1 (a bucket) and ?2 (an id): `rowOf` makes both
 * from an id, and 0 is before all. `upto`, with `after`: those up to and including ?3 and ?4.
 */
export function pieceOf(dialect: Dialect, table: string, id = 'id') {
  const [bucket, key] = [`${table}.bucket`, `${table}.${id}`]
  return dialect === 'sqlite'
    ? { after: `${bucket} >= ?1 AND ${key} > ?2`, upto: `${bucket} <= ?3 AND ${key} <= ?4`, order: `ORDER BY ${key}` }
    : {
        after: `(${bucket}, ${key}) > (?1, ?2)`,
        upto: `(${bucket}, ${key}) <= (?3, ?4) AND ${key} > ?2 AND ${key} <= ?4`,
        order: `ORDER BY ${bucket}, ${key}`,
      }
}

/** What `read` finds after a row, from the first on, until there is no more: in short transactions, so that a crawl can write meanwhile. */
export async function* inPieces<Row>(
  read: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[], void, undefined> {
  for (let last: Row | undefined; ; await turn()) {
    const piece = await read(last)
    if (piece.length === 0) return
    yield piece
    last = piece.at(-1)
  }
}
