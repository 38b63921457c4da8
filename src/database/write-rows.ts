/**
 * Writes rows from one description of their table: on SQLite row by row, on PostgreSQL all of a bucket in one statement. So
 * what is in a row, and what happens to a row that is there already, stands once for both.
 */
import type { Tx } from './database.ts'
import { columnsOf, postgresTx } from './postgres/tx.ts'
import type { PgValue } from './postgres/values.ts'
import { type SqlValue, sqliteTx } from './sqlite/tx.ts'

/** A column's name and its type on PostgreSQL. */
type Column = readonly [name: string, type: 'bigint' | 'text' | 'bytea' | 'double precision']

export interface RowWriter<Row> {
  readonly sqlite: string
  readonly postgres: string
  readonly fields: readonly (keyof Row)[]
}

/**
 * `key`: the columns that name a row, on PostgreSQL together with the bucket. `update`: what becomes of a row that is there
 * already; undefined: it stays as it is.
 */
export function rowWriter<Row extends object>(
  table: string,
  columns: Readonly<Record<keyof Row, Column>>,
  key?: string,
  update?: string,
): RowWriter<Row> {
  const all = Object.values<Column>(columns)
  const names = all.map(([name]) => name).join(', ')
  const onConflict = (target: string) =>
    key === undefined ? '' : ` ON CONFLICT (${target}) DO ${update === undefined ? 'NOTHING' : `UPDATE SET ${update}`}`
  return {
    sqlite: `INSERT INTO ${table} (${names}) VALUES (${all.map(() => '?').join(', ')})${onConflict(key ?? '')}`,
    postgres: `INSERT INTO ${table} (bucket, ${names})
      SELECT $1, * FROM unnest(${all.map(([, type], i) => `$${i + 2}::${type}[]`).join(', ')})${onConflict(`bucket, ${key}`)}`,
    fields: Object.keys(columns) as (keyof Row)[],
  }
}

/** SQLite has one bucket, whose number is not written. */
export async function writeRows<Row extends object>(
  tx: Tx,
  { sqlite, postgres, fields }: RowWriter<Row>,
  bucket: number,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return
  if (tx.dialect === 'postgres')
    await postgresTx(tx).run(postgres, bucket, ...(columnsOf(rows, ...fields) as PgValue[]))
  else for (const row of rows) sqliteTx(tx).run(sqlite, ...fields.map((field) => row[field] as SqlValue))
}
