/** Prepared statements, kept by their text: preparing costs ten times what running a small one does. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { assert } from '../../base/assert.ts'
import type { SqliteTx, SqlValue } from './tx.ts'

/** A program has some hundred statements; more means that values are pasted into texts somewhere. */
const MOST_STATEMENTS = 1000

export function statementsOf(database: DatabaseSync, writable: boolean, takenBack: () => number = () => 0): SqliteTx {
  const plain = new Map<string, StatementSync>()
  const exact = new Map<string, StatementSync>()

  const prepared = (sql: string, readBigInts: boolean): StatementSync => {
    const kept = readBigInts ? exact : plain
    const known = kept.get(sql)
    if (known !== undefined) return known
    assert(kept.size < MOST_STATEMENTS, 'statements are made from values: bind them')
    const statement = database.prepare(sql)
    if (readBigInts) statement.setReadBigInts(true)
    kept.set(sql, statement)
    return statement
  }

  return {
    dialect: 'sqlite',
    get takenBack() {
      return takenBack()
    },
    run(sql: string, ...values: SqlValue[]) {
      assert(writable, 'a write inside a read')
      return Number(prepared(sql, false).run(...values).changes)
    },
    get: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, false).get(...values) as Row | undefined,
    all: <Row extends object>(sql: string, ...values: SqlValue[]) => prepared(sql, false).all(...values) as Row[],
    getExact: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, true).get(...values) as Row | undefined,
    allExact: <Row extends object>(sql: string, ...values: SqlValue[]) => prepared(sql, true).all(...values) as Row[],
    each: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, false).iterate(...values) as IterableIterator<Row>,
    eachExact: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      prepared(sql, true).iterate(...values) as IterableIterator<Row>,
  }
}
