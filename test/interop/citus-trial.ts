/**
 * `ORBWEAVER_CITUS=postgres://… npm run citus-trial`: the tables spread over the nodes of a Citus cluster, which `npm test`
 * cannot install. The variable names a database of the coordinator in which the extension was created, the coordinator's
 * own host set and the workers added, for a user who may make databases on all nodes; `docs/tasks/cluster.md` says how it
 * was tried, and with what. Databases are made beside that one, and dropped at the end.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { postgresTx } from '../../src/database/postgres/tx.ts'
import { postgresForTests, SERVER_VARIABLE } from '../../testkit/postgres/database.test-tools.ts'
import { statementsIn } from '../../testkit/postgres/plans.test-tools.ts'
import { walk } from '../../testkit/web/walker.ts'
import { folders, lastWords, readShared, startServer, startWorker } from '../e2e/cluster.ts'
import { assertSameSet, seedFile, serveWeb, temporaryFolder } from '../e2e/harness.ts'
import { placesOf } from './citus-places.ts'

const address = process.env.ORBWEAVER_CITUS
if (address === undefined) throw new Error('no Citus cluster to try: see the head of this file')
process.env[SERVER_VARIABLE] = address

const SRC = join(import.meta.dirname, '../../src')

/** Exported statements that do not go to one shard, by file and name, with the reason. */
const OTHERWISE: Record<string, string> = {
  'look-around.ts READ_TOTALS': 'the sum of some rows for each bucket',
  'look-around.ts READ_LONG_TOTALS': 'once a second: the rows that READ_TOTALS adds up',
  'unendorsed-rows.ts READ_NEWEST': 'strangers of a domain lie in all buckets; only of domains with a wildcard',
  'unendorsed-rows.ts READ_OLDEST_HELD': 'as READ_NEWEST',
  'unendorsed-rows.ts READ_PENDING_DOMAINS': 'once a second: an index of its own, of the few that are pending',
  'aliases.ts READ_PENDING': 'as READ_PENDING_DOMAINS',
  'aliases.ts READ_IDLE_PENDING': 'as READ_PENDING_DOMAINS',
  'aliases.ts READ_NAMES_OF': 'only of originals that were given up',
  'leases.ts READ_ENDED_LEASES': 'once a second, the first of each bucket',
  'look-around.ts READ_DUE': 'once a second, the first of each bucket',
  'look-around.ts READ_IDLE': 'as READ_DUE',
  'aliases.ts LOG_CHANGES': 'rows of a table that stays at the coordinator',
  'write-captures.ts ADD_PAYLOADS': 'digests lie by their own hash',
}
/** Citus does these but cannot say how. */
const UNEXPLAINED: Record<string, string> = {
  'look-around.ts FOLD_TOTALS': 'rows of one bucket, through the coordinator; once a second',
  'address-rows.ts HOLD_ADDRESS': 'one row; the question beside it is of the same shard',
}

const postgres = await postgresForTests()
if ('skipped' in postgres) throw new Error(postgres.skipped)

describe('on Citus', () => {
  after(() => postgres.end())

  it('every table with a bucket or a shard is spread by it, and all lie together', async () => {
    const database = await postgres.make()
    const wrong = await database.read((tx) =>
      postgresTx(tx).all(`
        SELECT c.relname AS name, a.attname AS column FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
          LEFT JOIN citus_tables t ON t.table_name = c.oid AND t.distribution_column = a.attname::text
            AND t.colocation_id = (SELECT colocation_id FROM citus_tables WHERE table_name = 'site'::regclass)
        WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND t.table_name IS NULL
          AND (a.attname = 'shard' OR (a.attname = 'bucket' AND NOT EXISTS (
            SELECT FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'shard')))
          -- Of a node's own index file, not of the crawl.
          AND c.relname <> 'cdxj_upto'`),
    )
    assert.deepEqual(wrong, [])
  })

  describe('a hot statement asks one shard', async () => {
    const catalogue = ['', 'pages', 'captures', 'counters', 'links'].map((folder) => `collection/${folder}`)
    const rooms = ['frontier/postgres', 'intake', 'intake/postgres', ...catalogue]
    const all = new Map(
      (await Promise.all(rooms.map((room) => statementsIn(join(SRC, room))))).flatMap((one) => [...one]),
    )
    const database = await postgres.make()
    for (const [name, sql] of all)
      it(name, { skip: UNEXPLAINED[name] ?? false }, async () => {
        const places = await placesOf(database, sql)
        if (name in OTHERWISE) assert.equal(places, 'many')
        else assert.ok(places === 'one' || places === 'coordinator', places)
      })
    it('the exceptions are there', () => {
      for (const name of [...Object.keys(OTHERWISE), ...Object.keys(UNEXPLAINED)]) assert.ok(all.has(name), name)
    })
  })

  it('two servers and three workers collect the right set', async () => {
    using folder = temporaryFolder()
    await using served = await serveWeb({ seed: 5, sites: 30, pages: 600, latencyMs: 2, pageBytes: 5000 }, folder)
    const seeds = served.web.homes()
    const database = ['--database', await postgres.newDatabase(true)]
    const pauses = ['--pause-for', '*.test=100ms', '--address-pause', '100ms', '--patience', '0.01']
    const flags = ['--seeds', seedFile(folder, seeds), '--until-done', ...pauses, ...served.resolve, ...database]
    const servers = await Promise.all(folders(folder, 'server', 2).map((at) => startServer(at, flags)))
    const urls = servers.map(({ url }) => url)
    const workers = folders(folder, 'worker', 3).map((at) => startWorker(at, urls, ['--until-done', '--workers', '1']))
    const ran = await Promise.all([...servers, ...workers].map(({ done }) => done))
    assert.deepEqual(
      ran.map(({ code }) => code),
      [0, 0, 0, 0, 0],
      lastWords(ran),
    )
    const right = walk(served.web, { seeds, scope: { kind: 'host' }, links: 'combined' })
    const { documents, counters } = await readShared(database)
    assertSameSet(documents, new Set(right.documents), 'documents')
    assert.equal(counters.get('documents'), right.documents.size)
  })
})

// The suites by which SQLite and PostgreSQL are the same: they take the server that the variable names.
for (const suite of [
  'intake/postgres/intake.test.ts',
  'intake/postgres/losses.test.ts',
  'intake/postgres/with-frontier.test.ts',
  'intake/rechecks.test.ts',
  'collection/both-databases.test.ts',
  'collection/captures/stored-copies.test.ts',
  'collection/postgres/write-captures.test.ts',
  'frontier/postgres/fold-totals.test.ts',
  'frontier/postgres/two-servers.test.ts',
  'frontier/postgres/contracts.test.ts',
])
  await import(join(SRC, suite))
