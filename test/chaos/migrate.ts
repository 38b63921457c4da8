/** A server that migrates its database and is killed meanwhile: `node migrate.ts ADDRESS '{"step":3,"at":"noted"}'`. */
import type { Migration } from '../../src/database/database.ts'
import { migrations } from '../../src/database/postgres/baseline.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { listenAtStatements } from './listen-at-statements.ts'

/** The baseline, and made-up steps after it: a column that every row gets, an index, a table made from others. */
export const STEPS: readonly Migration[] = [
  ...migrations,
  ...[
    `ALTER TABLE frontier_bucket ADD COLUMN note text; UPDATE frontier_bucket SET note = bucket::text`,
    `CREATE INDEX frontier_bucket_note ON frontier_bucket (note)`,
    `CREATE TABLE made AS SELECT b.bucket, b.note, c.last FROM frontier_bucket b JOIN catalogue_row c USING (bucket)`,
  ].map((sql, index) => ({ number: migrations.length + 1 + index, name: `made up ${index}`, sql })),
]

export const MOMENTS = ['under way', 'done', 'noted', 'committing'] as const

export interface MigrationDeath {
  step: number
  /** While its statements run; after them; with its number in the table; when COMMIT has just been sent. */
  at: (typeof MOMENTS)[number]
  /** So long after that. */
  afterMs: number
}

async function migrate(address: string, { step, at, afterMs }: MigrationDeath): Promise<void> {
  const die = () => {
    process.stdout.write('dies\n')
    process.kill(process.pid, 'SIGKILL')
  }
  const sql = STEPS[step - 1]?.sql
  let isInStep = false
  listenAtStatements((text, when) => {
    if (text === sql && when === 'asked') isInStep = true
    if (!isInStep) return
    const moment =
      text === sql
        ? ({ asked: 'under way', answered: 'done' } as const)[when]
        : text.startsWith('INSERT INTO orbweaver_schema') && when === 'answered'
          ? 'noted'
          : text === 'COMMIT' && when === 'asked'
            ? 'committing'
            : undefined
    if (moment !== at) return
    isInStep = false
    // What was asked in this turn is on its way in the next.
    if (when === 'asked') setTimeout(die, afterMs)
    else die()
  })
  const database = await openPostgres(address, { steps: STEPS })
  await database.close()
}

if (import.meta.main) await migrate(process.argv[2], JSON.parse(process.argv[3]) as MigrationDeath)
