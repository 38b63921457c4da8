/** What can be done inside a transaction on PostgreSQL. */
import { assert } from '../../base/assert.ts'
import type { Tx } from '../database.ts'

export type PgScalar = null | number | bigint | string | boolean | Uint8Array
export type PgValue = PgScalar | readonly PgScalar[]

/**
 * Statements are literals of the program, with placeholders `$1`, `$2` …; each is prepared once per connection. Values are
 * always bound, never pasted; a cast says the type of an array (`unnest($1::bigint[], $2::text[])`). A text cannot hold
 * U+0000 here: it arrives as U+FFFD.
 *
 * Statements begun without waiting for each other are sent at once and done in order: `await Promise.all([…])` costs one
 * round trip. After one has failed the rest fail too, and so does the transaction.
 *
 * `get` and `all` give int8 and whole numerics as numbers and fail above 2^53; `getExact` and `allExact` give them as
 * bigints. Smaller integers are numbers in both. bytea comes as a Uint8Array; json, dates and the rest as their text.
 */
export interface PostgresTx extends Tx {
  readonly dialect: 'postgres'
  /** Of the server's history, one more after each fail-over: only within one are numbers of transactions in order. */
  readonly timeline: number
  /** The number of rows changed. */
  run(sql: string, ...values: PgValue[]): Promise<number>
  get<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row | undefined>
  all<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row[]>
  getExact<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row | undefined>
  allExact<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row[]>
}

/** Opens a transaction that came through rooms which do not know its dialect. */
export function postgresTx(tx: Tx): PostgresTx {
  assert(tx.dialect === 'postgres', `a transaction of ${tx.dialect} where one of postgres is needed`)
  return tx as PostgresTx
}
