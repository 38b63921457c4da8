/** The short form of `npm run chaos`: CHAOS_SEED repeats a run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresForTests } from '../../src/database/postgres/test-database.ts'
import { chaosCrawl } from './cluster-chaos.ts'
import { wanted } from './fate.ts'
import { migrationChaos } from './migration-chaos.ts'
import { chaosWeb } from './web.ts'

const SEED = Number(process.env['CHAOS_SEED'] ?? 5)
const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
if (!('skipped' in postgres)) await postgres.end()

test('a cluster under faults: the same set, counted once, every wait kept, nothing asked for twice without need', {
  skip,
  timeout: 10 * 60_000,
}, async (t) => {
  const web = { ...chaosWeb(SEED, 300), sites: 30 }
  const tell = (line: string) => t.diagnostic(line)
  const options = {
    seed: SEED,
    kinds: 'all',
    faults: 16,
    web,
    servers: 2,
    workers: 3,
    lacking: wanted(1),
    tell,
  } as const
  const seen = await chaosCrawl(options)
  t.diagnostic([...seen].map(([name, count]) => `${name} ${count}`).join(', '))
  assert.ok(seen.size >= 5, 'faults of several kinds')
})

test('servers killed inside a migration: the next one finds the database in order', { skip }, async () => {
  const deaths = await migrationChaos(4, SEED)
  assert.equal(
    [...deaths.values()].reduce((sum, n) => sum + n, 0),
    4,
  )
})
