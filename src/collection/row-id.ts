/**
 * Ids of pages and captures begin with their row's bucket, so that an id alone finds its row, and where one left off in a
 * table is one number. On PostgreSQL an id is bucket × 2^44 + n (under 2^53): within a bucket, whose reports are applied
 * one transaction after the other, ids grow in the order of arrival. SQLite has one bucket, number 0, and so the same rule.
 */

import { hash64, signed64 } from '../base/digest.ts'
import type { SiteName } from '../contracts/visit.ts'
import { bucketOf } from '../database/bucket.ts'
import type { Dialect } from '../database/database.ts'

const ROWS_OF_A_BUCKET = 2 ** 44

export function bucketOfId(id: number): number {
  return Math.floor(id / ROWS_OF_A_BUCKET)
}

/** `id` without its bucket: small numbers, close together. */
export function numberOfId(id: number): number {
  return id % ROWS_OF_A_BUCKET
}

/** An id as the two values that `bucket = ? AND id = ?` and pieces take. */
export function placeOf(id: number): [bucket: number, id: number] {
  return [bucketOfId(id), id]
}

export interface Piece {
  /** What comes after ?1 (a bucket) and ?2 (an id): `placeOf` makes both of an id, and 0 is before all. */
  after: string
  /** With `after`, for ids as above: all up to ?3 (a bucket) and ?4 (an id), these with it. */
  upto: string
  order: string
}

/**
 * The rows of a table in pieces, as its key has them: by bucket, and by id in each. The one place where the two databases
 * need two texts: SQLite knows its rows by id alone, and would not see that a constant before it changes nothing.
 * PostgreSQL is also told what follows from the rest: else it takes a piece of a bucket for the whole of it.
 */
export function pieceOf(dialect: Dialect, table: string, id = 'id'): Piece {
  const [bucket, key] = [`${table}.bucket`, `${table}.${id}`]
  return dialect === 'sqlite'
    ? { after: `${bucket} >= ?1 AND ${key} > ?2`, upto: `${bucket} <= ?3 AND ${key} <= ?4`, order: `ORDER BY ${key}` }
    : {
        after: `(${bucket}, ${key}) > (?1, ?2)`,
        upto: `(${bucket}, ${key}) <= (?3, ?4) AND ${key} > ?2 AND ${key} <= ?4`,
        order: `ORDER BY ${bucket}, ${key}`,
      }
}

/** The key under which the tables know a site: 64 bits of its name, as the frontier and packed links have them. */

export function siteKeyOf(site: SiteName): bigint {
  return signed64(hash64(site))
}

/** The first two values of a question about a site (`bucket = ? AND site = ?`), from its key. */
export function siteAt(dialect: Dialect, key: bigint): [bucket: number, site: bigint] {
  return [bucketOf(dialect, key), key]
}
