/** How PostgreSQL did the statements of a check-out, each with the values that it had. */
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { checkOut } from './measure.ts'
import type { OpenedFrontier } from './opened.ts'
import type { Statement } from './watched.ts'

/** A check-out of one site; of a text that was sent for several buckets, the first. */
export async function checkOutPlans(opened: OpenedFrontier): Promise<string> {
  const { watch, house } = opened
  if (watch === undefined) return ''
  const { statements } = await watch(() => checkOut(house, 1))
  const distinct = new Map(statements.toReversed().map((statement) => [statement.sql, statement]))
  const texts = []
  for (const statement of [...distinct.values()].reverse()) {
    const times = statements.filter(({ sql }) => sql === statement.sql).length
    texts.push(`${statement.sql.trim()}\n  -- sent ${times} times\n${await explained(opened, statement)}`)
  }
  return texts.join('\n\n')
}

const TAKEN_BACK = new Error('what is explained is done, and taken back')

async function explained({ database }: OpenedFrontier, { sql, values }: Statement): Promise<string> {
  const lines: string[] = []
  try {
    await database.transact(async (tx) => {
      const rows = await postgresTx(tx).all<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ${sql}`,
        ...values,
      )
      lines.push(...rows.map((row) => `  ${row['QUERY PLAN']}`))
      throw TAKEN_BACK
    })
  } catch (error) {
    if (error !== TAKEN_BACK) throw error
  }
  return lines.join('\n')
}
