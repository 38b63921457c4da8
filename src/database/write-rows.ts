/**
 * Writes rows: on SQLite row by row, on PostgreSQL all of a bucket in one statement. So what is in a row, and what happens to a
 * row that is there already, stands once for both.
 */
import { assert } from '../base/assert.ts'
import type { Tx } from './database.ts'
import { columnsOf, type PostgresTx, postgresTx } from './postgres/tx.ts'
import type { PgValue } from './postgres/values.ts'
import { type ColumnTypes, columnTypes } from './schema/columns.ts'
import { type SqliteTx, type SqlValue, sqliteTx } from './sqlite/tx.ts'

export interface RowWriter<Row> {
  readonly sqlite: string
  readonly postgres: string
  readonly fields: readonly (keyof Row)[]
}

/** `mediaType` is in `media_type`. */
const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
export const fieldOf = (column: string) => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
/** The one name that PostgreSQL reserves. */
const quoted = (column: string) => (column === 'offset' ? '"offset"' : column)

/** One array per column, from the second placeholder on: the first is the bucket. */
export function unnested(types: ColumnTypes, columns: readonly string[]): string {
  const arrays = columns.map((column, at) => {
    const type = types.get(column)
    assert(type !== undefined, `there is no column ${column}`)
    return `$${at + 2}::${type}[]`
  })
  return `unnest(${arrays.join(', ')})`
}

/** What becomes of a row that is there already: it gets these columns of the new one. */
export function replaced(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ')
}

/**
 * `key`: the columns that name a row, on PostgreSQL together with the bucket. `update`: what becomes of a row that is there
 * already; undefined: it stays as it is.
 */
export function rowWriter<Row extends object>(
  table: string,
  fields: readonly (keyof Row & string)[],
  key?: string,
  update?: string,
): RowWriter<Row> {
  const columns = fields.map(columnOf)
  const names = columns.map(quoted).join(', ')
  const onConflict = (target: string) =>
    key === undefined ? '' : ` ON CONFLICT (${target}) DO ${update === undefined ? 'NOTHING' : `UPDATE SET ${update}`}`
  return {
    sqlite: `INSERT INTO ${table} (${names}) VALUES (${fields.map(() => '?').join(', ')})${onConflict(key ?? '')}`,
    postgres: `INSERT INTO ${table} (bucket, ${names})
      SELECT $1, * FROM ${unnested(columnTypes(table), columns)}${onConflict(`bucket, ${key}`)}`,
    fields,
  }
}

/** Writes all columns of rows that are there, on PostgreSQL. */
export function updating(table: string, types: ColumnTypes, ...key: string[]): string {
  const names = [...types.keys()]
  const rest = names.filter((name) => !key.includes(name))
  return `
  UPDATE ${table} SET ${rest.map((name) => `${name} = n.${name}`).join(', ')}
  FROM ${unnested(types, names)} AS n (${names.join(', ')})
  WHERE ${table}.bucket = $1 AND ${key.map((name) => `${table}.${name} = n.${name}`).join(' AND ')}`
}

/** Of rows that have all columns, under the columns' names. A row that is there already is replaced. */
export function wholeRowWriter<Row extends object>(table: string, ...key: (keyof Row & string)[]): RowWriter<Row> {
  const columns = [...columnTypes(table).keys()] as (keyof Row & string)[]
  return rowWriter(table, columns, key.join(', '), replaced(columns.filter((column) => !key.includes(column))))
}

/** The number of rows that were written. */
export function writeRow<Row extends object>(tx: SqliteTx, { sqlite, fields }: RowWriter<Row>, row: Row): number {
  return tx.run(sqlite, ...fields.map((field) => row[field] as SqlValue))
}

export function writeBucket<Row extends object>(
  tx: PostgresTx,
  { postgres, fields }: RowWriter<Row>,
  bucket: number,
  rows: readonly Row[],
): Promise<number> {
  return tx.run(postgres, bucket, ...(columnsOf(rows, ...fields) as PgValue[]))
}

/** SQLite has one bucket, whose number is not written. */
export async function writeRows<Row extends object>(
  tx: Tx,
  writer: RowWriter<Row>,
  bucket: number,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  if (tx.dialect === 'postgres') await writeBucket(postgresTx(tx), writer, bucket, rows)
  else for (const row of rows) writeRow(sqliteTx(tx), writer, row)
}
