import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { Problem, type ProblemCode } from '../../base/errors.ts'
import type { Migration, Tx } from '../database.ts'
import { openPostgres, openPostgresToRead } from './open.ts'
import { postgresTx } from './tx.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

const problem =
  (code: ProblemCode, words = /./) =>
  (error: unknown) =>
    error instanceof Problem && error.code === code && words.test(error.message)

const tables: Migration = {
  number: 1,
  name: 'tables',
  sql: `CREATE TABLE kept (name text PRIMARY KEY, value bigint NOT NULL);
        CREATE TABLE other (name text PRIMARY KEY)`,
}
const more: Migration = { number: 2, name: 'more', sql: 'ALTER TABLE kept ADD COLUMN note text' }
const put = (tx: Tx, name: string, value = 1n) => postgresTx(tx).run('INSERT INTO kept VALUES ($1, $2)', name, value)
const names = async (tx: Tx) =>
  (await postgresTx(tx).all<{ name: string }>('SELECT name FROM kept ORDER BY name COLLATE "C"')).map(
    ({ name }) => name,
  )

describe('opening', { skip }, () => {
  it('makes a database that is ours, and finds it again', async () => {
    const address = await server.newDatabase()
    await assert.rejects(openPostgresToRead(address), problem('no-collection'))
    const first = await openPostgres(address, { steps: [tables] })
    await first.transact((tx) => put(tx, 'a'))
    await first.close()
    const again = await openPostgresToRead(address, { steps: [tables] })
    assert.deepEqual(await again.read(names), ['a'])
    await again.close()
    await assert.rejects(again.read(names), problem('database-unreachable', /was closed/))
  })

  it('brings an older schema up to date, and refuses a newer one with a clear line', async () => {
    const address = await server.newDatabase()
    await (await openPostgres(address, { steps: [tables] })).close()
    await assert.rejects(
      openPostgresToRead(address, { steps: [tables, more] }),
      problem('unreadable', /older orbweaver/),
    )
    const newer = await openPostgres(address, { steps: [tables, more] })
    await newer.transact((tx) => postgresTx(tx).run(`INSERT INTO kept VALUES ('a', 1, 'note')`))
    await newer.close()
    for (const open of [openPostgres, openPostgresToRead])
      await assert.rejects(
        open(address, { steps: [tables] }),
        problem('newer-database', /written by a newer orbweaver \(schema 2, ours is 1\)/),
      )
  })

  it('leaves the tables of another program alone', async () => {
    const address = await server.newDatabase()
    const theirs = await openPostgres(address, { steps: [] })
    await theirs.transact((tx) =>
      Promise.all(
        ['DROP TABLE IF EXISTS orbweaver_schema', 'CREATE TABLE theirs (x int)'].map((sql) => postgresTx(tx).run(sql)),
      ),
    )
    await theirs.close()
    for (const open of [openPostgres, openPostgresToRead])
      await assert.rejects(open(address, { steps: [tables] }), problem('foreign-database'))
  })

  it('migrates once when many servers start at the same time', async () => {
    const address = await server.newDatabase()
    const steps = [tables, more, { number: 3, name: 'row', sql: `INSERT INTO other VALUES ('once')` }]
    const all = await Promise.all(Array.from({ length: 8 }, () => openPostgres(address, { steps })))
    const count = await all[0].read((tx) => postgresTx(tx).get('SELECT count(*) AS n FROM orbweaver_schema'))
    assert.deepEqual(count, { n: 3 })
    await Promise.all(all.map((database) => database.close()))
  })

  it('says what is wrong, and never the password', async () => {
    const at = new URL(server.url)
    const wrong = async (change: (url: URL) => void, code: ProblemCode, words: RegExp) => {
      const url = new URL(at)
      url.username = 'somebody'
      url.password = 'hush'
      change(url)
      await assert.rejects(openPostgres(url.href, { startPatienceMs: 0 }), (error: unknown) => {
        assert.ok(problem(code, words)(error), String(error))
        assert.doesNotMatch(JSON.stringify(error, Object.getOwnPropertyNames(error)), /hush/)
        return true
      })
    }
    await wrong((url) => (url.port = '1'), 'database-unreachable', /nothing listens there/)
    await wrong((url) => (url.hostname = 'nowhere.invalid'), 'database-unreachable', /host/)
    await wrong(() => {}, 'unfit-database', /user and password/)
    await wrong(
      (url) => {
        url.username = 'postgres'
        url.pathname = '/nosuch'
      },
      'unfit-database',
      /no such database/,
    )
    await wrong((url) => (url.pathname = ''), 'bad-config', /names no database/)
  })

  it('says that rights are missing', async () => {
    const address = new URL(await server.newDatabase())
    const owner = await openPostgres(address.href, { steps: [] })
    await owner.transact((tx) =>
      Promise.all(
        [
          `DO $$ BEGIN CREATE ROLE guest LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
          'DROP TABLE IF EXISTS orbweaver_schema',
        ].map((sql) => postgresTx(tx).run(sql)),
      ),
    )
    address.username = 'guest'
    await assert.rejects(openPostgres(address.href, { steps: [tables] }), problem('unfit-database', /schema public/))
    await owner.close()
  })
})

describe('transactions', { skip }, () => {
  it('are all or nothing, and see what was committed', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps: [tables] })
    await assert.rejects(
      db.transact(async (tx) => {
        await put(tx, 'lost')
        throw new Error('no')
      }),
      /no/,
    )
    await assert.rejects(
      db.transact(async (tx) => {
        // Its failure is not looked at: the transaction fails by it all the same.
        void put(tx, 'a')
        void put(tx, 'a')
      }),
      { code: '23505' },
    )
    await db.transact((tx) => put(tx, 'b'))
    assert.deepEqual(await db.read(names), ['b'])
    await db.close()
  })

  it('send what does not wait at once, and answer in order', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps: [tables] })
    const got = await db.transact((tx) => {
      const { run, get } = postgresTx(tx)
      return Promise.all([
        run(`INSERT INTO kept VALUES ('a', 1)`),
        get('SELECT value FROM kept'),
        run('UPDATE kept SET value = value + 1'),
        get('SELECT value FROM kept'),
      ])
    })
    assert.deepEqual(got, [1, { value: 1 }, 1, { value: 2 }])
    await db.close()
  })

  it('that read see one state and cannot write', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps: [tables] })
    const seen = await db.read(async (tx) => {
      const before = await names(tx)
      await db.transact((other) => put(other, 'meanwhile'))
      return [before, await names(tx)]
    })
    assert.deepEqual(seen, [[], []])
    await assert.rejects(
      db.read((tx) => put(tx, 'x')),
      /a write inside a read/,
    )
    await assert.rejects(
      db.read((tx) => postgresTx(tx).get(`INSERT INTO kept VALUES ('x', 1) RETURNING name`)),
      { code: '25006' },
    )
    await db.close()
  })

  it('end: a statement afterwards is a bug', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps: [tables] })
    let kept: Tx | undefined
    await db.transact((tx) => {
      kept = tx
    })
    await assert.rejects(names(kept as Tx), /bug: a statement after the end of its transaction/)
    await db.close()
  })

  it('wait for a connection in order of asking when there are more of them than connections', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps: [tables], connections: 2 })
    await Promise.all(Array.from({ length: 20 }, (_, i) => db.transact((tx) => put(tx, String(i)))))
    assert.equal((await db.read(names)).length, 20)
    await db.close()
  })
})
