/** How PostgreSQL did the statements of a check-out, each with the values that it had. */
import { postgresTx } from '../../src/database/postgres/tx.ts'
import type { PgValue } from '../../src/database/postgres/values.ts'
import { checkOut } from './measure.ts'
import type { OpenedFrontier } from './opened.ts'
import type { Statement } from './watched.ts'

/** A check-out of one site; of a text that was sent for several buckets, the first. */
export async function checkOutPlans(opened: OpenedFrontier): Promise<string> {
  const { watch, subject } = opened
  if (watch === undefined) return ''
  const { statements } = await watch(() => checkOut(subject, 1))
  const distinct = new Map(statements.toReversed().map((statement) => [statement.sql, statement]))
  const texts = []
  for (const statement of [...distinct.values()].reverse()) {
    const times = statements.filter(({ sql }) => sql === statement.sql).length
    texts.push(`${statement.sql.trim()}\n  -- sent ${times} times\n${await explained(opened, statement)}`)
  }
  return texts.join('\n\n')
}

const TAKEN_BACK = new Error('what is explained is done, and taken back')

let explanations = 0

/** As a prepared statement, which is what it is: planned for whatever values. */
async function explained({ database }: OpenedFrontier, { sql, values }: Statement): Promise<string> {
  const lines: string[] = []
  const name = `explained_${++explanations}`
  try {
    await database.transact(async (given) => {
      const tx = postgresTx(given)
      await tx.run(`PREPARE ${name} AS ${sql}`)
      const { types } = (await tx.get<{ types: string }>(
        `SELECT array_to_string(parameter_types, ',') AS types FROM pg_prepared_statements WHERE name = '${name}'`,
      ))!
      const call = values.length === 0 ? '' : `(${types.split(',').map((type, at) => literal(values[at], type))})`
      const rows = await tx.all<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) EXECUTE ${name}${call}`,
      )
      lines.push(...rows.map((row) => `  ${row['QUERY PLAN']}`))
      throw TAKEN_BACK
    })
  } catch (error) {
    if (error !== TAKEN_BACK) throw error
  }
  return lines.join('\n')
}

/** EXECUTE takes no parameters from outside. */
function literal(value: PgValue, type: string): string {
  if (value === null) return 'NULL'
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`
  if (typeof value !== 'object') return `'${String(value).replaceAll("'", "''")}'::${type}`
  const element = type.replace(/\[\]$/, '')
  return `ARRAY[${value.map((one) => literal(one, element)).join(', ')}]::${type}`
}
