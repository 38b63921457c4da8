/** Where Citus does a statement: how many of its shards are asked. */
import assert from 'node:assert/strict'
import type { Database } from '../../src/database/database.ts'
import { type PostgresTx, postgresTx } from '../../src/database/postgres/tx.ts'

/**
 * 'one': a statement of one shard, sent there as it is. 'coordinator': of the coordinator's own tables, or a row source that
 * is no table, whose rows all go to the shard of `$1`.
 */
export type Places = 'one' | 'many' | 'coordinator'

let prepared = 0

export async function placesOf(database: Database, sql: string): Promise<Places> {
  const plan = await database.transact((tx) => explain(postgresTx(tx), sql, `places_${++prepared}`))
  const counts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count))
  if (counts.length > 0) return counts.every((count) => count === 1) ? 'one' : 'many'
  if (!plan.includes('INSERT ... SELECT')) {
    assert.doesNotMatch(plan, /Citus/)
    return 'coordinator'
  }
  assert.match(plan, /pull to coordinator/)
  return /\)\s+SELECT \$1\b/.test(sql) ? 'coordinator' : 'many'
}

/** With values, for Citus goes by them. */
async function explain(tx: PostgresTx, sql: string, name: string): Promise<string> {
  await tx.run(`PREPARE ${name} AS ${sql}`)
  const types = await tx.all<{ type: string }>(
    'SELECT unnest(parameter_types)::text AS type FROM pg_prepared_statements WHERE name = $1',
    name,
  )
  const call = types.length === 0 ? name : `${name}(${types.map(({ type }, at) => someValue(type, at + 3)).join(', ')})`
  const lines = await tx.all<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE ${call}`)
  await tx.run(`DEALLOCATE ${name}`)
  return lines.map((line) => line['QUERY PLAN']).join('\n')
}

/** Others for each parameter: two buckets that happen to be one would be one shard. */
function someValue(type: string, value: number): string {
  if (type.endsWith('[]')) return `ARRAY[${someValue(type.slice(0, -2), value)}]::${type}`
  if (type === 'bytea') return `'\\x00'::bytea`
  return type === 'boolean' ? 'true' : `'${value}'::${type}`
}
