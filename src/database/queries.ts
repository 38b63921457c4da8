/**
 * One SQL text for both databases, for reads and rare writes. Hot writes have bulk statements of their own per dialect.
 * Placeholders are SQLite's (`?`, `?1`); the rest must be SQL that both understand: no `sum(a = b)` but `count(*) FILTER`,
 * no `iif` but CASE, no alias in HAVING, `IS NOT DISTINCT FROM`, and every integer that is read as a number fits in 53 bits.
 */
import { assert } from '../base/assert.ts'
import type { Dialect, Tx } from './database.ts'
import { type PostgresTx, postgresTx } from './postgres/tx.ts'
import { type SqliteTx, type SqlValue, sqliteTx } from './sqlite/tx.ts'

/** As `SqliteTx`, with promises. Small integers of PostgreSQL (`smallint`, CASE … THEN 1) are numbers in exact answers too. */
export interface Queries {
  readonly dialect: Dialect
  /** The number of rows changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>
  get<Row extends object>(sql: string, ...values: SqlValue[]): Promise<Row | undefined>
  all<Row extends object>(sql: string, ...values: SqlValue[]): Promise<Row[]>
  getExact<Row extends object>(sql: string, ...values: SqlValue[]): Promise<Row | undefined>
  allExact<Row extends object>(sql: string, ...values: SqlValue[]): Promise<Row[]>
  /** Row by row, for results that need not fit in memory; end it before the next statement that writes the same table. */
  each<Row extends object>(sql: string, ...values: SqlValue[]): AsyncGenerator<Row, void, undefined>
  eachExact<Row extends object>(sql: string, ...values: SqlValue[]): AsyncGenerator<Row, void, undefined>
}

const opened = new WeakMap<Tx, Queries>()

export function queries(tx: Tx): Queries {
  let found = opened.get(tx)
  if (found === undefined) {
    found = tx.dialect === 'sqlite' ? onSqlite(sqliteTx(tx)) : onPostgres(postgresTx(tx))
    opened.set(tx, found)
  }
  return found
}

/** Of a statement that gives it as `n`. */
export async function countOf(tx: Tx, sql: string, ...values: SqlValue[]): Promise<number> {
  return (await queries(tx).get<{ n: number }>(sql, ...values))!.n
}

function onSqlite(db: SqliteTx): Queries {
  return {
    dialect: 'sqlite',
    run: async (sql, ...values) => db.run(sql, ...values),
    get: async <Row extends object>(sql: string, ...values: SqlValue[]) => db.get<Row>(sql, ...values),
    all: async <Row extends object>(sql: string, ...values: SqlValue[]) => db.all<Row>(sql, ...values),
    getExact: async <Row extends object>(sql: string, ...values: SqlValue[]) => db.getExact<Row>(sql, ...values),
    allExact: async <Row extends object>(sql: string, ...values: SqlValue[]) => db.allExact<Row>(sql, ...values),
    async *each<Row extends object>(sql: string, ...values: SqlValue[]) {
      yield* db.each<Row>(sql, ...values)
    },
    async *eachExact<Row extends object>(sql: string, ...values: SqlValue[]) {
      yield* db.eachExact<Row>(sql, ...values)
    },
  }
}

/** Rows of a cursor that are fetched at once: some hold a megabyte of links. */
const ROWS_AT_ONCE = 100
/** Cursors open at once: loops are nested at most three deep. */
const MAX_CURSORS = 8

function onPostgres(db: PostgresTx): Queries {
  const free = Array.from({ length: MAX_CURSORS }, (_, i) => `rows_${MAX_CURSORS - i}`)

  /** The first rows come with the opening of the cursor, which is closed when the loop ends or is left. */
  async function* cursor<Row>(
    fetch: (sql: string) => Promise<Row[]>,
    sql: string,
    values: readonly SqlValue[],
  ): AsyncGenerator<Row, void, undefined> {
    const name = free.pop()
    assert(name !== undefined, 'too many cursors are open at once')
    const more = `FETCH ${ROWS_AT_ONCE} FROM ${name}`
    let [, rows] = await Promise.all([
      db.all(`DECLARE ${name} NO SCROLL CURSOR FOR ${numbered(sql)}`, ...values),
      fetch(more),
    ])
    let finished = false
    try {
      for (; rows.length > 0; rows = rows.length < ROWS_AT_ONCE ? [] : await fetch(more)) yield* rows
      finished = true
    } finally {
      const closed = db.all(`CLOSE ${name}`)
      // After a failure the transaction and the cursor are gone: an error of CLOSE would hide the cause.
      await (finished ? closed : closed.catch(() => {}))
      free.push(name)
    }
  }

  return {
    dialect: 'postgres',
    run: (sql, ...values) => db.run(numbered(sql), ...values),
    get: <Row extends object>(sql: string, ...values: SqlValue[]) => db.get<Row>(numbered(sql), ...values),
    all: <Row extends object>(sql: string, ...values: SqlValue[]) => db.all<Row>(numbered(sql), ...values),
    getExact: <Row extends object>(sql: string, ...values: SqlValue[]) => db.getExact<Row>(numbered(sql), ...values),
    allExact: <Row extends object>(sql: string, ...values: SqlValue[]) => db.allExact<Row>(numbered(sql), ...values),
    each: <Row extends object>(sql: string, ...values: SqlValue[]) => cursor((more) => db.all<Row>(more), sql, values),
    eachExact: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      cursor((more) => db.allExact<Row>(more), sql, values),
  }
}

/** By text. Texts are literals of the program, so there are a few hundred. */
const known = new Map<string, string>()

/** Turns SQLite's placeholders (`?`, `?1`) into PostgreSQL's (`$1`), except in literals, quoted names and comments. */
export function numbered(sql: string): string {
  let text = known.get(sql)
  if (text === undefined) known.set(sql, (text = rewritten(sql)))
  return text
}

const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)|['"$]|\/\*/g

function rewritten(sql: string): string {
  let last = 0
  return sql.replace(TOKEN, (token, number: string | undefined) => {
    if (number !== undefined) {
      // A bare one follows the largest so far, as in SQLite.
      const place = number === '' ? last + 1 : Number(number)
      last = Math.max(last, place)
      return `$${place}`
    }
    assert(token.length > 1 && token !== '/*', `${token} that no text for both databases has: ${sql}`)
    // PostgreSQL's comments nest, SQLite's do not.
    assert(!token.startsWith('/*') || !token.includes('/*', 2), `a comment in a comment: ${sql}`)
    return token
  })
}
