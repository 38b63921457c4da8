/** Servers killed while they bring a new database up to date: whoever comes next finds it in order, and goes on. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type Random, seededRandom } from '../../src/base/random.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { type Ran, startNode } from '../e2e/harness.ts'
import { type MigrationDeath, MOMENTS, STEPS } from './migrate.ts'

const script = join(import.meta.dirname, 'migrate.ts')
/** Servers that die over one database, one after the other. */
const MAX_OVER_ONE = 4
const LONGEST_STEP_MS = 60

/** Says how often a server died at which moment of a step: `kills` in all. */
export async function migrationChaos(kills: number, seed: number): Promise<Map<string, number>> {
  const postgres = await postgresForTests()
  assert.ok(!('skipped' in postgres), 'chaos needs PostgreSQL')
  const random = seededRandom(seed)
  const deaths = new Map<string, number>()
  let died = 0
  try {
    while (died < kills) {
      const address: string = await postgres.newDatabase()
      for (let i = random.integer(MAX_OVER_ONE); i >= 0 && died < kills; i--) {
        const death = deathOf(random)
        const { stdout, signal, stderr }: Ran = await startNode([script, address, JSON.stringify(death)]).done
        // The step of its fate was behind it already, or it was quicker than its death: this database is up to date.
        if (signal === null && stderr === '') break
        assert.equal(stdout, 'dies\n', `seed ${seed}: ${stderr}`)
        died++
        deaths.set(death.at, (deaths.get(death.at) ?? 0) + 1)
      }
      await isInOrder(address, seed)
    }
    return deaths
  } finally {
    await postgres.end()
  }
}

function deathOf(random: Random): MigrationDeath {
  return {
    step: 1 + random.integer(STEPS.length),
    at: MOMENTS[random.integer(MOMENTS.length)],
    afterMs: random.integer(LONGEST_STEP_MS),
  }
}

async function isInOrder(address: string, seed: number): Promise<void> {
  const database = await openPostgres(address, { steps: STEPS })
  const rows = await database.read((tx) =>
    postgresTx(tx).all<{ number: number }>('SELECT number FROM orbweaver_schema ORDER BY number'),
  )
  assert.deepEqual(
    rows.map(({ number }) => number),
    STEPS.map(({ number }) => number),
    `seed ${seed}`,
  )
  await database.read((tx) => postgresTx(tx).all('SELECT * FROM pages LIMIT 1'))
  const made = await database.read((tx) => postgresTx(tx).get('SELECT count(note) AS n FROM made'))
  assert.deepEqual(made, { n: 256 }, `seed ${seed}`)
  await database.close()
}
