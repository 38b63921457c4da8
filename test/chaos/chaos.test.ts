/** The short form of `npm run chaos`: CHAOS_SEED repeats a run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresForTests } from '../../src/database/postgres/test-database.ts'
import { chaosCrawl } from './cluster-chaos.ts'
import { migrationChaos } from './migration-chaos.ts'
import { chaosWeb } from './web.ts'

const SEED = Number(process.env['CHAOS_SEED'] ?? 5)
const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
if (!('skipped' in postgres)) await postgres.end()

for (const [kinds, faults] of [
  ['all', 16],
  ['named', 10],
] as const)
  test(`a cluster under ${kinds === 'all' ? 'faults of all kinds' : 'deaths at named moments'}: the same set, counted once, every pause kept`, {
    skip,
    timeout: 10 * 60_000,
  }, async (t) => {
    const web = { ...chaosWeb(SEED, 700), sites: 30 }
    const seen = await chaosCrawl({
      ...{ seed: SEED, kinds, faults, web, servers: 2, workers: 3, tell: (line) => t.diagnostic(line) },
    })
    t.diagnostic([...seen].map(([name, count]) => `${name} ${count}`).join(', '))
    assert.ok(seen.size >= 2, 'faults of several kinds')
  })

test('servers killed inside a migration: the next one finds the database in order', { skip }, async () => {
  assert.equal(await migrationChaos(4, SEED), 4)
})
