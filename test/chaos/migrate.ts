/** A server that only brings its database up to date, and dies meanwhile: `node migrate.ts ADDRESS '{"step":3,"at":"noted"}'`. */
import { migrations } from '../../src/database/postgres/migrations/index.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { listenAtStatements } from './listen-at-statements.ts'

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
  const sql = migrations[step - 1]?.sql
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
  const database = await openPostgres(address)
  await database.close()
}

if (import.meta.main) await migrate(process.argv[2], JSON.parse(process.argv[3]) as MigrationDeath)
