/** How PostgreSQL does a statement, for tests which say that none of them reads more than it must. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database } from '../../src/database/database.ts'
import { type PostgresTx, postgresTx } from '../../src/database/postgres/tx.ts'
import { numbered } from '../../src/database/queries.ts'

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Index Cond'?: string
  'Index Name'?: string
  Plans?: Plan[]
}

/** A look into a table. */
export interface Look {
  table: string
  /** undefined: the whole table is read. */
  index: string | undefined
  condition: string
}

/** The statements that the files of a folder export, by file and name: found, not listed, so that none is forgotten. */
export async function statementsIn(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const file of await readdir(folder)) {
    if (!file.endsWith('.ts') || /\.test/.test(file)) continue
    for (const [name, value] of Object.entries<unknown>(await import(join(folder, file)))) {
      // A `rowWriter` has a text for each database.
      const sql = (value as { postgres?: unknown } | null)?.postgres ?? value
      if (typeof sql === 'string' && /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/.test(sql))
        found.set(`${file} ${name}`, sql.includes('$1') ? sql : numbered(sql))
    }
  }
  return found
}

let plans = 0

/** As it is done for whatever values. */
export async function looksOf(database: Database, sql: string): Promise<{ looks: Look[]; plan: string }> {
  const plan = await database.transact(async (tx) => {
    await postgresTx(tx).run('SET LOCAL plan_cache_mode = force_generic_plan')
    return planOf(postgresTx(tx), sql, `plan_${++plans}`)
  })
  return { looks: [...looksInto(plan)], plan: JSON.stringify(plan, null, 1) }
}

async function planOf(tx: PostgresTx, sql: string, name: string): Promise<Plan> {
  const values = Math.max(0, ...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))
  await tx.run(`PREPARE ${name} AS ${sql}`)
  const call = values === 0 ? name : `${name}(${Array(values).fill('NULL').join(', ')})`
  const row = await tx.get<{ 'QUERY PLAN': string }>(`EXPLAIN (FORMAT JSON) EXECUTE ${call}`)
  return JSON.parse(row?.['QUERY PLAN'] ?? '')[0].Plan
}

function* looksInto(plan: Plan): Generator<Look> {
  const table = plan['Relation Name']
  if (table !== undefined && plan['Node Type'] !== 'ModifyTable') {
    const { 'Index Name': index, 'Index Cond': condition = '' } =
      plan['Node Type'] === 'Bitmap Heap Scan' ? plan.Plans![0] : plan
    yield { table, index, condition }
  }
  for (const below of plan.Plans ?? []) yield* looksInto(below)
}
