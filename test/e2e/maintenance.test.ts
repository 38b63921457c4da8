/** Two servers over one database: one of them does the maintenance; when it is killed, the other takes over within seconds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hash64, signed64 } from '../../src/base/digest.ts'
import { bucketOf } from '../../src/database/bucket.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres/open.ts'
import { queries } from '../../src/database/queries.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { folders, startServer } from './cluster.ts'
import { temporaryFolder } from './harness.ts'

const LONGEST_MS = 30_000
/** Asked every five seconds; a second for the round of work, and the machine is busy. */
const TAKEN_OVER_MS = 15_000

const ROLE = String(signed64(hash64('orbweaver role maintenance')))
const HOLDERS = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
  AND ((classid::bigint << 32) | objid::bigint) = ?
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

const holders = async (database: PostgresDatabase) =>
  (await database.read((tx) => queries(tx).all<{ pid: number }>(HOLDERS, ROLE))).map(({ pid }) => pid)

async function until(what: string, longest: number, isSo: () => Promise<boolean>): Promise<number> {
  const from = performance.now()
  while (!(await isSo())) {
    assert.ok(performance.now() - from < longest, what)
    await sleep(100)
  }
  return performance.now() - from
}

/** A site leased to a worker that is gone: maintenance frees it. */
async function loseSite(database: PostgresDatabase, name: string): Promise<() => Promise<boolean>> {
  const key = signed64(hash64(name))
  const sql = `INSERT INTO site (key, bucket, name, state, since, rank, fence, worker, lease_until)
    VALUES (?, ?, ?, 'leased', 0, 0, 1, 'gone', 1)`
  await database.transact((tx) => queries(tx).run(sql, key, bucketOf('postgres', key), name))
  const read = 'SELECT losses, lease_until FROM site WHERE bucket = ? AND key = ?'
  return async () => {
    const row = await database.read((tx) =>
      queries(tx).get<{ losses: number; lease_until: number | null }>(read, bucketOf('postgres', key), key),
    )
    if (row?.lease_until != null) return false
    assert.equal(row?.losses, 1, 'freed once')
    return true
  }
}

test('one of two servers does the maintenance; when it is killed, the other takes over', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  try {
    using folder = temporaryFolder()
    const address = await postgres.newDatabase()
    const [one, other] = folders(folder, 'server', 2)
    const flags = ['--database', address]
    const keeper = await startServer(one, flags)
    const database = await openPostgres(address)
    try {
      await until('nobody keeps the coordinator', LONGEST_MS, async () => (await holders(database)).length === 1)
      const heir = await startServer(other, flags)
      await until('nobody frees the site', LONGEST_MS, await loseSite(database, 'first.test'))
      const [before, ...more] = await holders(database)
      assert.deepEqual(more, [])
      keeper.child.kill('SIGKILL')
      await keeper.done
      const freed = await loseSite(database, 'second.test')
      await until('nobody took over', TAKEN_OVER_MS, freed)
      const after = await holders(database)
      assert.equal(after.length, 1)
      assert.notEqual(after[0], before)
      heir.child.kill('SIGTERM')
      assert.equal((await heir.done).code, 11)
      assert.deepEqual(await holders(database), [])
    } finally {
      await database.close()
      keeper.child.kill('SIGKILL')
    }
  } finally {
    await postgres.end()
  }
})
