/** What can be done inside a transaction on SQLite: synchronously, by statements that are prepared once. */

import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { assert } from '../../base/assert.ts'
import { kindOf, noStatements, type StatementCounts, type StatementKind, type Tx } from '../database.ts'

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
  allExact<Row extends object>(sql: string, ...values: SqlValue[]): Row[]
  /** As `allExact`, the columns in their order: for hot statements where naming them costs more than reading. */
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

/**
 * SQLite plans with the value of a bound LIMIT, so it would prepare the statement anew for each execution, which cost more than
 * half of all statements of a crawl together. It does not look into an expression.
 */
const plannedOnce = (sql: string) => sql.replaceAll(/\bLIMIT \?/g, 'LIMIT +?')

interface Prepared {
  statement: StatementSync
  /** Of its columns. */
  names: readonly string[]
  kind: StatementKind
}

type Cells = readonly SqlValue[]

/** Node's own rows are dictionaries, whose names it looks up for each row: they take half as long again, and every use of them more. */
function rowOf<Row>(names: readonly string[], cells: Cells): Row {
  const row: Record<string, SqlValue> = {}
  for (let at = 0; at < names.length; at++) row[names[at]] = cells[at]
  return row as Row
}

export interface Statements extends SqliteTx {
  /** Grows with every statement that changed rows or the schema, rolled back or not. */
  readonly changes: number
}

export function statementsOf(
  database: DatabaseSync,
  writable: boolean,
  takenBack: () => number = () => 0,
  counts: StatementCounts = noStatements(),
): Statements {
  // Counted here: asking SQLite for `total_changes()` after each transaction cost 2 % of a look at a page.
  let changes = 0
  const plain = new Map<string, Prepared>()
  const exact = new Map<string, Prepared>()

  const prepare = (sql: string, readBigInts: boolean): Prepared => {
    const statement = database.prepare(plannedOnce(sql))
    if (readBigInts) statement.setReadBigInts(true)
    statement.setReturnArrays(true)
    return { statement, names: statement.columns().map(({ name }) => name), kind: kindOf(sql) }
  }
  const prepared = (sql: string, readBigInts: boolean): Prepared => {
    const kept = readBigInts ? exact : plain
    let known = kept.get(sql)
    if (known === undefined) {
      assert(kept.size < MAX_STATEMENTS, 'statements are made from values: bind them')
      known = prepare(sql, readBigInts)
      kept.set(sql, known)
    }
    counts[known.kind]++
    return known
  }
  /** For statements that return rows: one that writes may have changed some. */
  const returning = (sql: string, readBigInts: boolean): Prepared => {
    const known = prepared(sql, readBigInts)
    if (known.kind !== 'select') changes++
    return known
  }
  const one = <Row>({ statement, names }: Prepared, values: SqlValue[]): Row | undefined => {
    const cells = statement.get(...values) as Cells | undefined
    return cells && rowOf<Row>(names, cells)
  }
  const many = <Row>({ statement, names }: Prepared, values: SqlValue[]): Row[] =>
    (statement.all(...values) as unknown as Cells[]).map((cells) => rowOf<Row>(names, cells))

  /** Statements that are being iterated: running one again would end the iteration. */
  const walked = new Set<StatementSync>()
  function* each<Row>(sql: string, readBigInts: boolean, values: SqlValue[]): Generator<Row, undefined> {
    const known = returning(sql, readBigInts)
    const { statement, names } = walked.has(known.statement) ? prepare(sql, readBigInts) : known
    walked.add(statement)
    try {
      for (const cells of statement.iterate(...values) as unknown as IterableIterator<Cells>)
        yield rowOf<Row>(names, cells)
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
      return changes
    },
    run(sql: string, ...values: SqlValue[]) {
      assert(writable, 'a write inside a read')
      const { statement, kind } = prepared(sql, false)
      const rows = Number(statement.run(...values).changes)
      changes += kind === 'other' ? 1 : rows
      return rows
    },
    get: <Row extends object>(sql: string, ...values: SqlValue[]) => one<Row>(returning(sql, false), values),
    all: <Row extends object>(sql: string, ...values: SqlValue[]) => many<Row>(returning(sql, false), values),
    getExact: <Row extends object>(sql: string, ...values: SqlValue[]) => one<Row>(returning(sql, true), values),
    allExact: <Row extends object>(sql: string, ...values: SqlValue[]) => many<Row>(returning(sql, true), values),
    allColumns: <Columns extends readonly SqlValue[]>(sql: string, ...values: SqlValue[]) =>
      returning(sql, true).statement.all(...values) as unknown as Columns[],
    each: <Row extends object>(sql: string, ...values: SqlValue[]) => each<Row>(sql, false, values),
    eachExact: <Row extends object>(sql: string, ...values: SqlValue[]) => each<Row>(sql, true, values),
  }
}
