/** What can be done inside a transaction on SQLite: synchronously, by statements that are prepared once. */
import { assert } from '../../base/assert.ts'
import type { Tx } from '../database.ts'

export type SqlValue = null | number | bigint | string | Uint8Array

/**
 * Statements are literals of the program; each is prepared on first use and kept. Values are always bound, never pasted.
 * `get` and `all` give integers as numbers and fail above 2^53; `getExact` and `allExact` give every integer as a bigint:
 * for statements that read 64-bit keys (`base/digest` signed64 on the way in, unsigned64 on the way out).
 */
export interface SqliteTx extends Tx {
  readonly dialect: 'sqlite'
  /** How many transactions were taken back so far: what was learnt in them, and kept in memory, is not so. */
  readonly takenBack: number
  /** The number of rows changed. */
  run(sql: string, ...values: SqlValue[]): number
  get<Row extends object>(sql: string, ...values: SqlValue[]): Row | undefined
  all<Row extends object>(sql: string, ...values: SqlValue[]): Row[]
  getExact<Row extends object>(sql: string, ...values: SqlValue[]): Row | undefined
  allExact<Row extends object>(sql: string, ...values: SqlValue[]): Row[]
  /** Row by row, for results that need not fit in memory; end it before the next statement that writes the same table. */
  each<Row extends object>(sql: string, ...values: SqlValue[]): IterableIterator<Row>
  eachExact<Row extends object>(sql: string, ...values: SqlValue[]): IterableIterator<Row>
}

/** Opens a transaction that came through rooms which do not know its dialect. */
export function sqliteTx(tx: Tx): SqliteTx {
  assert(tx.dialect === 'sqlite', `a transaction of ${tx.dialect} where one of sqlite is needed`)
  return tx as SqliteTx
}
