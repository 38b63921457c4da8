/** The columns of a table as the schema has them, so that no statement over rows lists their types again. */
import { assert } from '../../base/assert.ts'
import { CATALOGUE } from './catalogue.ts'
import { FRONTIER } from './frontier.ts'

/** SQLite's types, and PostgreSQL's for them. */
export const TYPES = { INTEGER: 'bigint', TEXT: 'text', REAL: 'double precision', BLOB: 'bytea' } as const
type SqliteType = keyof typeof TYPES
export type ColumnTypes = ReadonlyMap<string, (typeof TYPES)[SqliteType]>

/** 64 bits, which only a bigint holds. */
export const KEYS: ReadonlySet<string> = new Set(['site', 'key', 'via_site', 'via_key', 'domain', 'referrer'])

/** A row that was read exactly, changed in place: its keys are bigints, all other integers are numbers. */
export function keyed<Row extends object>(row: Row): Row {
  const cells = row as Record<string, unknown>
  for (const name in cells) if (typeof cells[name] === 'bigint' && !KEYS.has(name)) cells[name] = Number(cells[name])
  return row
}

/** PostgreSQL's types by name, without bucket and shard. */
export function columnTypes(table: string): ColumnTypes {
  const [, body] =
    new RegExp(`^CREATE TABLE ${table} \\(.*\\n([^]*?)\\n\\) STRICT`, 'm').exec(FRONTIER + CATALOGUE) ?? []
  assert(body !== undefined, `there is no table ${table}`)
  const columns = body.matchAll(/^ {2}(?!bucket|shard)"?(\w+)"? (INTEGER|TEXT|REAL|BLOB)\b/gm)
  return new Map([...columns].map(([, name, type]) => [name, TYPES[type as SqliteType]]))
}

/** All columns of a table on PostgreSQL, under its alias, to be read exactly: keys are bigints, all other numbers are numbers. */
export function selected(types: ColumnTypes, alias: string): string {
  return [...types]
    .map(([name, type]) =>
      type === 'bigint' && !KEYS.has(name) ? `${alias}.${name}::float8 AS ${name}` : `${alias}.${name}`,
    )
    .join(', ')
}
