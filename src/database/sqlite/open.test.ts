import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { turn } from '../../base/clock.ts'
import { Problem, type ProblemCode } from '../../base/errors.ts'
import type { Migration } from '../database.ts'
import { migrations } from './baseline.ts'
import { logSync } from './log-sync.ts'
import { APPLICATION_ID, bringUpToDate } from './migrate.ts'
import { openSqlite, openToRead } from './open.ts'
import { sqliteTx, statementsOf } from './tx.ts'

const folder = mkdtempSync(join(tmpdir(), 'database-'))
after(() => rmSync(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, `${++files}.db`)
const problem = (code: ProblemCode) => (error: unknown) => error instanceof Problem && error.code === code
const put = (name: string) => `INSERT INTO frontier_meta (name, value) VALUES ('${name}', '1')`
const COUNT = `SELECT count(*) AS n FROM frontier_meta`

describe('opening', () => {
  it('makes a database that is ours, and finds it again', async () => {
    const path = newPath()
    const first = openSqlite(path)
    await first.transact((tx) => sqliteTx(tx).run(put('a')))
    await first.close()
    const file = new DatabaseSync(path, { readOnly: true })
    assert.equal(file.prepare('PRAGMA application_id').get()?.application_id, APPLICATION_ID)
    assert.equal(file.prepare('PRAGMA user_version').get()?.user_version, migrations.length)
    assert.equal(file.prepare('PRAGMA journal_mode').get()?.journal_mode, 'wal')
    file.close()
    const again = openSqlite(path)
    assert.deepEqual({ ...(await again.read((tx) => sqliteTx(tx).get(COUNT))) }, { n: 1 })
    await again.close()
  })

  it('commits through to the disk: nobody is told before the log is synced', async () => {
    const events: string[] = []
    const db = openSqlite(newPath(), migrations, (path) => {
      const log = logSync(path)
      return {
        async synced() {
          // The bytes are there to be synced, and meanwhile the thread goes on.
          assert.ok(readFileSync(`${path}-wal`).includes('text of mine'))
          await Promise.all([log.synced(), turn().then(() => events.push('others at work'))])
          events.push('synced')
        },
        close: log.close,
      }
    })
    await db.transact((tx) => sqliteTx(tx).run(put('text of mine')))
    events.push('told')
    await db.transact((tx) => sqliteTx(tx).get(COUNT))
    events.push('nothing to sync')
    await db.close()
    assert.deepEqual(events, ['others at work', 'synced', 'told', 'nothing to sync'])
  })

  it('gives the next transaction its turn while one is synced; who has seen what is not durable waits for it', async () => {
    const ends: (() => void)[] = []
    const db = openSqlite(newPath(), migrations, () => ({
      synced: () => new Promise((resolve) => ends.push(resolve)),
      close() {},
    }))
    const told: string[] = []
    const first = db.transact((tx) => sqliteTx(tx).run(put('a'))).then(() => told.push('written'))
    await turn()
    let seen = 0
    const looks = [
      db.read((tx) => {
        seen = sqliteTx(tx).get<{ n: number }>(COUNT)?.n ?? 0
      }),
      db.transact(() => {}),
    ].map((look) => look.then(() => told.push('seen')))
    await turn()
    assert.deepEqual([seen, told], [1, []])
    for (const end of ends) end()
    await Promise.all([first, ...looks])
    assert.equal(told.splice(0).length, 3)
    const schema = db.transact((tx) => sqliteTx(tx).run('CREATE TABLE extra (x)')).then(() => told.push('made'))
    const before = ends.length
    await turn()
    assert.equal(ends.length, before + 1, 'a table is a change too')
    const closed = db.close().then(() => told.push('closed'))
    await turn()
    ends[before]()
    await Promise.all([schema, closed])
    assert.deepEqual(told, ['made', 'closed'])
  })

  it('follows links: the log lies beside what they lead to', async () => {
    const path = newPath()
    await openSqlite(path).close()
    const link = newPath()
    symlinkSync(path, link)
    const db = openSqlite(link)
    await db.transact((tx) => sqliteTx(tx).run(put('a')))
    await db.close()
  })

  it('ends with the first sync that fails: the next might lie', async () => {
    let fails = false
    let syncs = 0
    const db = openSqlite(newPath(), migrations, () => ({
      async synced() {
        syncs++
        if (fails) throw Object.assign(new Error('input/output error'), { code: 'EIO' })
      },
      close() {},
    }))
    await db.transact((tx) => sqliteTx(tx).run(put('a')))
    fails = true
    await assert.rejects(
      db.transact((tx) => sqliteTx(tx).run(put('b'))),
      problem('database-unreachable'),
    )
    fails = false
    await assert.rejects(
      db.transact((tx) => sqliteTx(tx).run(put('c'))),
      problem('database-unreachable'),
    )
    assert.equal(syncs, 2)
    await db.close()
  })

  it('refuses a foreign, a newer and a damaged database and leaves each byte as it was', () => {
    const foreign = newPath()
    const other = new DatabaseSync(foreign)
    other.exec('CREATE TABLE theirs (x)')
    other.close()
    const newer = newPath()
    const future = new DatabaseSync(newer)
    bringUpToDate(future, migrations)
    future.exec(`PRAGMA user_version = ${migrations.length + 1}`)
    future.close()
    const unreleased = newPath()
    const past = new DatabaseSync(unreleased)
    past.exec('CREATE TABLE house (x); PRAGMA application_id = 0x4f726277; PRAGMA user_version = 13')
    past.close()
    const damaged = newPath()
    writeFileSync(damaged, 'this is no database at all '.repeat(100))
    const torn = newPath()
    copyFileSync(newer, torn)
    const bytes = readFileSync(torn)
    bytes.fill(0x55, 100, 4096)
    writeFileSync(torn, bytes)
    for (const [path, code] of [
      [foreign, 'foreign-database'],
      [unreleased, 'foreign-database'],
      [newer, 'newer-database'],
      [damaged, 'damaged-database'],
      [torn, 'damaged-database'],
    ] as const) {
      const before = readFileSync(path)
      assert.throws(() => openSqlite(path), problem(code), path)
      assert.throws(() => openToRead(path), problem(code), path)
      assert.deepEqual(readFileSync(path), before)
    }
  })

  it('says that there is no collection, and that a folder cannot be opened', () => {
    assert.throws(() => openToRead(newPath()), problem('no-collection'))
    assert.throws(() => openSqlite(join(folder, 'no', 'such', 'folder.db')), problem('unreadable'))
  })

  it('brings an older database up to date, step by step', async () => {
    const path = newPath()
    // Our own steps too: from the first version to the last.
    const first = openSqlite(path, migrations.slice(0, 1))
    await first.transact((tx) => sqliteTx(tx).run(put('a')))
    await first.close()
    const next = migrations.length + 1
    const later: Migration[] = [
      { number: next, name: 'column', sql: 'ALTER TABLE frontier_meta ADD COLUMN note TEXT' },
      { number: next + 1, name: 'value', sql: `UPDATE frontier_meta SET note = 'noted'` },
    ]
    const steps = [...migrations, ...later]
    assert.throws(() => openToRead(path, steps), problem('unreadable'))
    const sql = 'ALTER TABLE frontier_meta ADD COLUMN more TEXT; SELECT nonsense'
    const failing = { number: next + 2, name: 'fails', sql }
    assert.throws(() => openSqlite(path, [...steps, failing]), /nonsense/)
    const reader = openToRead(path, steps)
    const rows = await reader.read((tx) => sqliteTx(tx).all('SELECT * FROM frontier_meta'))
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      [{ name: 'a', value: '1', note: 'noted' }],
    )
    await reader.close()
  })

  it('reads while another process writes, and sees what it committed (V23)', async () => {
    const path = newPath()
    const writer = openSqlite(path)
    const reader = openToRead(path)
    const seen = async () => (await reader.read((tx) => sqliteTx(tx).get<{ n: number }>(COUNT)))?.n
    assert.equal(await seen(), 0)
    let go: () => void = () => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const writing = writer.transact(async (tx) => {
      sqliteTx(tx).run(put('a'))
      await held
    })
    assert.equal(await seen(), 0)
    go()
    await writing
    assert.equal(await seen(), 1)
    await assert.rejects(
      reader.transact(() => {}),
      /opened to read/,
    )
    await writer.close()
    assert.equal(await seen(), 1)
    await reader.close()
  })

  it('loses nothing committed when its process is killed', async () => {
    const path = newPath()
    const script = `
      import { openSqlite } from ${JSON.stringify(new URL('./open.ts', import.meta.url).href)}
      import { sqliteTx } from ${JSON.stringify(new URL('./tx.ts', import.meta.url).href)}
      const db = openSqlite(${JSON.stringify(path)})
      await db.transact((tx) => sqliteTx(tx).run(${JSON.stringify(put('committed'))}))
      await db.transact((tx) => { sqliteTx(tx).run(${JSON.stringify(put('open'))}); process.kill(process.pid, 'SIGKILL') })`
    assert.throws(() => execFileSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' }))
    const db = openSqlite(path)
    const rows = await db.read((tx) => sqliteTx(tx).all<{ name: string }>('SELECT name FROM frontier_meta'))
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['committed'],
    )
    await db.close()
  })
})

describe('transactions', () => {
  it('are refused once it is closed; closing waits for the sync under way, and may be repeated', async () => {
    const sync = Promise.withResolvers<void>()
    const events: string[] = []
    const db = openSqlite(newPath(), migrations, () => ({
      synced: () => sync.promise.then(() => void events.push('synced')),
      close: () => void events.push('log closed'),
    }))
    const written = db.transact((tx) => sqliteTx(tx).run(put('a'))).then(() => events.push('told'))
    await turn()
    const closed = Promise.all([db.close(), db.close()])
    await assert.rejects(
      db.transact((tx) => sqliteTx(tx).run(put('b'))),
      problem('database-unreachable'),
    )
    await assert.rejects(
      db.read((tx) => sqliteTx(tx).get(COUNT)),
      problem('database-unreachable'),
    )
    assert.deepEqual(events, [])
    sync.resolve()
    await Promise.all([written, closed])
    assert.deepEqual(events.toSorted(), ['log closed', 'synced', 'told'])
    assert.equal(events[0], 'synced')
  })

  it('never interleave, and a failed one leaves nothing', async () => {
    const db = openSqlite(':memory:')
    const steps: string[] = []
    const slow = db.transact(async (tx) => {
      steps.push('slow begins')
      sqliteTx(tx).run(put('slow'))
      for (let i = 0; i < 5; i++) await Promise.resolve()
      steps.push('slow ends')
    })
    const failing = db.transact(async (tx) => {
      steps.push('failing')
      sqliteTx(tx).run(put('failing'))
      throw new Error('no')
    })
    const reading = db.read((tx) => {
      steps.push('reading')
      return sqliteTx(tx).get<{ n: number }>(COUNT)?.n
    })
    await assert.rejects(failing, /no/)
    await slow
    assert.equal(await reading, 1)
    assert.deepEqual(steps, ['slow begins', 'slow ends', 'failing', 'reading'])
    await assert.rejects(
      db.read((tx) => sqliteTx(tx).run(put('x'))),
      /a write inside a read/,
    )
    await db.close()
    await assert.rejects(
      db.read(() => 1),
      problem('database-unreachable'),
    )
  })

  it('read keys exactly and everything else as numbers', async () => {
    const db = openSqlite(':memory:')
    await db.transact((tx) => {
      const sql = 'SELECT ? AS key'
      assert.equal(sqliteTx(tx).getExact<{ key: bigint }>(sql, -(2n ** 63n))?.key, -(2n ** 63n))
      assert.equal(sqliteTx(tx).get<{ key: number }>('SELECT 7 AS key')?.key, 7)
      assert.throws(() => sqliteTx(tx).get(sql, 2n ** 60n), RangeError)
      assert.deepEqual(
        [...sqliteTx(tx).each<{ value: number }>('SELECT value FROM json_each(?)', '[1,2]')].map(({ value }) => value),
        [1, 2],
      )
    })
    await db.close()
  })

  it('say that the disk is full, and go on when there is room again', async () => {
    const path = newPath()
    const db = openSqlite(path)
    const limit = (pages: number) => db.read((tx) => sqliteTx(tx).get(`PRAGMA max_page_count = ${pages}`))
    await limit(1)
    const big = (tx: Parameters<typeof sqliteTx>[0]) =>
      sqliteTx(tx).run(`INSERT INTO frontier_meta (name, value) VALUES ('big', hex(randomblob(100000)))`)
    await assert.rejects(db.transact(big), problem('disk-full'))
    await limit(1_000_000)
    await db.transact(big)
    await db.close()
  })
})

/** The text of every object, sorted: what `schema.sql` pins. */
function describeSchema(database: DatabaseSync): string {
  const objects = database
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
       ORDER BY tbl_name, CASE type WHEN 'table' THEN 0 WHEN 'index' THEN 1 ELSE 2 END, name`,
    )
    .all() as { sql: string }[]
  return objects.map(({ sql }) => sql + ';\n').join('\n')
}

describe('the schema', () => {
  it('is what schema.sql says (run with UPDATE_SCHEMA=1 to write it anew)', () => {
    const pinned = new URL('schema.sql', import.meta.url)
    const file = new DatabaseSync(':memory:')
    bringUpToDate(file, migrations)
    const actual = describeSchema(file)
    if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(pinned, actual)
    assert.equal(actual, readFileSync(pinned, 'utf8'))
  })

  it('has indexes for the two queries of refreshing: pages that are due, and the heads of the classes', () => {
    const file = new DatabaseSync(':memory:')
    bringUpToDate(file, migrations)
    const plan = (sql: string) =>
      file
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
    const due = 'SELECT key FROM known_page WHERE site = 1 AND refresh_at <= 2 ORDER BY refresh_at LIMIT 10'
    const head = 'SELECT key FROM known_page WHERE site = 1 AND class = 2 ORDER BY looked_at LIMIT 1'
    assert.deepEqual(plan(due), ['SEARCH known_page USING COVERING INDEX known_page_due (site=? AND refresh_at<?)'])
    assert.deepEqual(plan(head), ['SEARCH known_page USING COVERING INDEX known_page_class (site=? AND class=?)'])
    file.close()
  })
})

describe('statements', () => {
  it('are prepared once, however often their LIMIT is bound', () => {
    const database = new DatabaseSync(':memory:')
    database.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    const tx = statementsOf(database, true)
    const read = (limit: number) => tx.all('SELECT a, b FROM t ORDER BY a LIMIT ?', limit)
    let prepared = 0
    database.setAuthorizer(() => {
      prepared++
      return constants.SQLITE_OK
    })
    assert.equal(read(1).length, 1)
    assert.ok(prepared > 0)
    prepared = 0
    assert.deepEqual(read(2), [
      { a: 1, b: 'x' },
      { a: 2, b: 'y' },
    ])
    assert.equal(prepared, 0)
    database.close()
  })
})
