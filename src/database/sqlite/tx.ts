/** What can be done inside a transaction on SQLite: synchronously, by statements that are prepared once. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
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
  /** How many transactions were rolled back so far: caches filled by them are wrong. */
  readonly rollbacks: number
  /** The number of rows changed. */
  run(sql: string, ...values: SqlValue[]): number
  get<Row extends object>(sql: string, ...values: SqlValue[]): Row | undefined
  all<Row extends object>(sql: string, ...values: SqlValue[]): Row[]
  getExact<Row extends object>(sql: string, ...values: SqlValue[]): Row | undefined
  /** As `getExact`, the columns in their order: for hot statements with many, where naming them costs more than reading. */
  getColumns<Columns extends readonly SqlValue[]>(sql: string, ...values: SqlValue[]): Columns | undefined
  allExact<Row extends object>(sql: string, ...values: SqlValue[]): Row[]
  /** As `allExact`, rows as `getColumns` has them. */
  allColumns<Columns extends readonly SqlValue[]>(sql: string, ...values: SqlValue[]): Columns[]
  /** Row by row, for results that need not fit in memory; end it before the next statement that writes the same table. */
  each<Row extends object>(sql: string, ...values: SqlValue[]): IterableIterator<Row>
  eachExact<Row extends object>(sql: string, ...values: SqlValue[]): IterableIterator<Row>
}

/** Opens a `Tx` that was passed through modules which do not know its dialect. */
export function sqliteTx(tx: Tx): SqliteTx {
  assert(tx.dialect === 'sqlite', `a transaction of ${tx.dialect} where one of sqlite is needed`)
  return tx as SqliteTx
}

/** Preparing costs ten times a small statement, so they are kept. More than a few hundred means that values are pasted into SQL. */
const MAX_STATEMENTS = 1000

/** Not counted by `total_changes()`. */
const OF_SCHEMA = /^\s*(?:CREATE|DROP|ALTER|PRAGMA)\b/i

export interface Statements extends SqliteTx {
  /** Rows and schema objects changed on this connection, rolled back or not. */
  readonly changes: number
}

export function statementsOf(database: DatabaseSync, writable: boolean, takenBack: () => number = () => 0): Statements {
  const rowChanges = database.prepare('SELECT total_changes() AS count')
  let schemaChanges = 0
  const plain = new Map<string, StatementSync>()
  const exact = new Map<string, StatementSync>()
  const columns = new Map<string, StatementSync>()

  const prepare = (sql: string, readBigInts: boolean): StatementSync => {
    const statement = database.prepare(sql)
    if (readBigInts) statement.setReadBigInts(true)
    return statement
  }
  const prepared = (sql: string, readBigInts: boolean, kept = readBigInts ? exact : plain): StatementSync => {
    const known = kept.get(sql)
    if (known !== undefined) return known
    assert(kept.size < MAX_STATEMENTS, 'statements are made from values: bind them')
    const statement = prepare(sql, readBigInts)
    if (kept === columns) statement.setReturnArrays(true)
    kept.set(sql, statement)
    return statement
  }

  /** Statements that are being iterated: running one again would end the iteration. */
  const walked = new Set<StatementSync>()
  function* each<Row>(sql: string, readBigInts: boolean, values: SqlValue[]): Generator<Row, undefined> {
    const known = prepared(sql, readBigInts)
    const statement = walked.has(known) ? prepare(sql, readBigInts) : known
    walked.add(statement)
    try {
      yield* statement.iterate(...values) as IterableIterator<Row>
    } finally {
      walked.delete(statement)
    }
  }

  return {
    dialect: 'sqlite',
    get rollbacks() {
      return takenBack()
    },
    get changes() {
      return Number(rowChanges.get()?.count) + schemaChanges
    },
    run(sql: string, ...values: SqlValue[]) {
      assert(writable, 'a write inside a read')
      if (OF_SCHEMA.test(sql)) schemaChanges++
      return Number(prepared(sql, false).run(...values).changes)
    },
    get: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, false).get(...values) as Row | undefined,
    all: <Row extends object>(sql: string, ...values: SqlValue[]) => prepared(sql, false).all(...values) as Row[],
    getExact: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, true).get(...values) as Row | undefined,
    getColumns: <Columns extends readonly SqlValue[]>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, true, columns).get(...values) as unknown as Columns | undefined,
    allExact: <Row extends object>(sql: string, ...values: SqlValue[]) => prepared(sql, true).all(...values) as Row[],
    allColumns: <Columns extends readonly SqlValue[]>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, true, columns).all(...values) as unknown as Columns[],
    each: <Row extends object>(sql: string, ...values: SqlValue[]) => each<Row>(sql, false, values),
    eachExact: <Row extends object>(sql: string, ...values: SqlValue[]) => each<Row>(sql, true, values),
  }
}
