/** Servers killed while they bring a new database up to date: whoever comes next finds it in order, and goes on. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../../src/base/random.ts'
import { migrations } from '../../src/database/postgres/migrations/index.ts'
import { openPostgres } from '../../src/database/postgres/open.ts'
import { postgresForTests } from '../../src/database/postgres/test-database.ts'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { startNode } from '../e2e/harness.ts'

const script = join(import.meta.dirname, 'migrate.ts')

/** Says how many of them were killed with some of the steps done, or none, but not all. */
export async function migrationChaos(kills: number, seed: number): Promise<number> {
  const postgres = await postgresForTests()
  assert.ok(!('skipped' in postgres), 'chaos needs PostgreSQL')
  const random = seededRandom(seed)
  try {
    let inside = 0
    let longest = 400
    while (inside < kills) {
      const address = await postgres.newDatabase()
      const { child, done } = startNode([script, address])
      await once(child.stdout!, 'data')
      const began = performance.now()
      await Promise.race([sleep(random.integer(longest)), done])
      child.kill('SIGKILL')
      const { signal, stdout } = await done
      if (signal === 'SIGKILL' && !stdout.includes('done')) inside++
      // It was over before: the next ones die sooner.
      else longest = Math.max(50, Math.min(longest, performance.now() - began))
      const database = await openPostgres(address)
      const rows = await database.read((tx) =>
        postgresTx(tx).all<{ number: number }>('SELECT number FROM orbweaver_schema ORDER BY number'),
      )
      assert.deepEqual(
        rows.map(({ number }) => number),
        migrations.map(({ number }) => number),
        `seed ${seed}`,
      )
      await database.read((tx) => postgresTx(tx).all('SELECT * FROM pages LIMIT 1'))
      await database.close()
    }
    return inside
  } finally {
    await postgres.end()
  }
}
