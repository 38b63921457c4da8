/** The statements of one transaction on one connection, prepared by their text. */
import { assert } from '../../base/assert.ts'
import { arrayTypesOf, type ElementType } from './arrays.ts'
import type { Answer, Connection } from './connection.ts'
import type { PgValue, PostgresTx } from './tx.ts'
import { bound } from './values.ts'

/** A program has some hundred statements; more means that values are pasted into texts somewhere. */
const MAX_STATEMENTS = 2000

interface Statement {
  /** Under which each connection prepares it. */
  readonly name: string
  readonly arrays: ReadonlyMap<number, ElementType>
}

const statements = new Map<string, Statement>()

function statementOf(sql: string): Statement {
  const known = statements.get(sql)
  if (known !== undefined) return known
  assert(statements.size < MAX_STATEMENTS, 'statements are made from values: bind them')
  const statement = { name: `s${statements.size}`, arrays: arrayTypesOf(sql) }
  statements.set(sql, statement)
  return statement
}

export interface Statements {
  readonly tx: PostgresTx
  /** The first error of a statement: what came after it says only that the transaction is over. */
  failure(): { readonly error: unknown } | undefined
  /** No statement of `tx` is taken any more. */
  end(): void
}

export function statementsOf(connection: Connection, writable: boolean): Statements {
  let failure: { error: unknown } | undefined
  let ended = false

  const ask = async <T>(
    sql: string,
    values: readonly PgValue[],
    exact: boolean,
    of: (answer: Answer) => T,
  ): Promise<T> => {
    assert(!ended, 'a statement after the end of its transaction')
    try {
      const { name, arrays } = statementOf(sql)
      const bounds = values.map((value, index) => bound(value, arrays.get(index + 1)))
      return of(await connection.ask(sql, bounds, { name, exact }))
    } catch (error) {
      failure ??= { error }
      throw error
    }
  }
  /** Who begins several statements and waits for the first that fails leaves the others alone: that is no crash. */
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
