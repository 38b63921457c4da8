/** The columns of a table as the schema has them, so that no statement over rows lists their types again. */
import { assert } from '../../base/assert.ts'
import { CATALOGUE } from './catalogue.ts'
import { FRONTIER } from './frontier.ts'

/** SQLite's types, and PostgreSQL's for them. */
export const TYPES = { INTEGER: 'bigint', TEXT: 'text', REAL: 'double precision', BLOB: 'bytea' } as const
type SqliteType = keyof typeof TYPES
export type ColumnTypes = ReadonlyMap<string, (typeof TYPES)[SqliteType]>

/** PostgreSQL's types by name, without bucket and shard. */
export function columnTypes(table: string): ColumnTypes {
  const [, body] =
    new RegExp(`^CREATE TABLE ${table} \\(.*\\n([^]*?)\\n\\) STRICT`, 'm').exec(FRONTIER + CATALOGUE) ?? []
  assert(body !== undefined, `there is no table ${table}`)
  const columns = body.matchAll(/^ {2}(?!bucket|shard)"?(\w+)"? (INTEGER|TEXT|REAL|BLOB)\b/gm)
  return new Map([...columns].map(([, name, type]) => [name, TYPES[type as SqliteType]]))
}
