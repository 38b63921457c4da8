/** What can be done inside a transaction on PostgreSQL. */
import { assert } from '../../base/assert.ts'
import { kindOf, noStatements, type StatementKind, type Tx } from '../database.ts'
import type { QueryResult } from './batch.ts'
import type { Connection } from './connection.ts'
import { arrayTypesOf, bound, type ElementType, type PgValue } from './values.ts'

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
  /** Grows with each fail-over. Transaction numbers are ordered only within one timeline. */
  readonly timeline: number
  /** The number of rows changed. */
  run(sql: string, ...values: PgValue[]): Promise<number>
  get<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row | undefined>
  all<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row[]>
  getExact<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row | undefined>
  allExact<Row extends object>(sql: string, ...values: PgValue[]): Promise<Row[]>
}

/** Opens a `Tx` that was passed through modules which do not know its dialect. */
export function postgresTx(tx: Tx): PostgresTx {
  assert(tx.dialect === 'postgres', `a transaction of ${tx.dialect} where one of postgres is needed`)
  return tx as PostgresTx
}

/** For `unnest`: one array per name. */
export function columnsOf<Row, Name extends keyof Row>(rows: readonly Row[], ...names: readonly Name[]): Row[Name][][] {
  return names.map((name) => rows.map((row) => row[name]))
}

/** A program has a few hundred statements; more means that values are pasted into SQL somewhere. */
const MAX_STATEMENTS = 2000

interface Statement {
  /** The name it is prepared under. */
  readonly name: string
  readonly arrays: ReadonlyMap<number, ElementType>
  readonly kind: StatementKind
}

/** Of this process, to whichever database. */
export const statementCounts = noStatements()

const statements = new Map<string, Statement>()

function statementOf(sql: string): Statement {
  const known = statements.get(sql)
  if (known !== undefined) return known
  assert(statements.size < MAX_STATEMENTS, 'statements are made from values: bind them')
  const statement = { name: `s${statements.size}`, arrays: arrayTypesOf(sql), kind: kindOf(sql) }
  statements.set(sql, statement)
  return statement
}

export interface Statements {
  readonly tx: PostgresTx
  /** The first error of a statement: later ones only say that the transaction is aborted. */
  failure(): { readonly error: unknown } | undefined
  /** `tx` takes no statement any more. */
  end(): void
}

export function statementsOf(connection: Connection, writable: boolean): Statements {
  let failure: { error: unknown } | undefined
  let ended = false

  const ask = async <T>(
    sql: string,
    values: readonly PgValue[],
    exact: boolean,
    of: (answer: QueryResult) => T,
  ): Promise<T> => {
    assert(!ended, 'a statement after the end of its transaction')
    try {
      const { name, arrays, kind } = statementOf(sql)
      statementCounts[kind]++
      const bounds = values.map((value, index) => bound(value, arrays.get(index + 1)))
      return of(await connection.query(sql, bounds, { name, exact }))
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  /** With several statements under way, only the first failure is awaited: the others must not crash the process. */
  const begun = <T>(promise: Promise<T>): Promise<T> => {
    promise.catch(() => {})
    return promise
  }
  const all = <Row>(sql: string, values: readonly PgValue[], exact: boolean) =>
    begun(ask(sql, values, exact, ({ rows }) => rows as Row[]))
  const get = <Row>(sql: string, values: readonly PgValue[], exact: boolean) =>
    begun(ask(sql, values, exact, ({ rows }) => rows[0] as Row | undefined))

  return {
    tx: {
      dialect: 'postgres',
      get timeline() {
        return connection.session.timeline
      },
      run(sql, ...values) {
        assert(writable, 'a write inside a read')
        return begun(ask(sql, values, false, ({ count }) => count))
      },
      get: <Row extends object>(sql: string, ...values: PgValue[]) => get<Row>(sql, values, false),
      all: <Row extends object>(sql: string, ...values: PgValue[]) => all<Row>(sql, values, false),
      getExact: <Row extends object>(sql: string, ...values: PgValue[]) => get<Row>(sql, values, true),
      allExact: <Row extends object>(sql: string, ...values: PgValue[]) => all<Row>(sql, values, true),
    },
    failure: () => failure,
    end() {
      ended = true
    },
  }
}
