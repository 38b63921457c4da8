import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { turn } from '../../base/clock.ts'
import { canLook, checkpointsOf, NO_CHECKPOINTS } from './checkpoints.ts'
import { openSqlite } from './open.ts'
import { serialized } from './transactions.ts'
import { sqliteTx } from './tx.ts'

const WRITE = `INSERT INTO t (text) VALUES (?)`

async function inFolder(work: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'checkpoints-'))
  try {
    await work(join(folder, 'a.db'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function opened(path: string, long: number, longest: number) {
  const file = new DatabaseSync(path)
  file.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)')
  return { file, db: serialized(file, path, true, checkpointsOf(file, path, long, longest)) }
}

const frames = (file: DatabaseSync) =>
  file.prepare('PRAGMA wal_checkpoint(NOOP)').get() as { log: number; checkpointed: number }

test('the thread carries a long log over, and the log begins anew', async () => {
  await inFolder(async (path) => {
    const { file, db } = opened(path, 50, 1e6)
    let longest = 0
    let renewed = 0
    for (let before = 0; renewed < 3; ) {
      await db.transact((tx) => sqliteTx(tx).run(WRITE, 'x'.repeat(3000)))
      const { log } = frames(file)
      if (log < before) renewed++
      before = log
      longest = Math.max(longest, log)
      // Messages of the thread come in between two transactions.
      await turn()
    }
    const rows = await db.read((tx) => sqliteTx(tx).get<{ n: number }>('SELECT count(*) AS n FROM t')!.n)
    await db.close()
    assert.ok(!existsSync(path + '-wal'), 'the last one to close clears the log away')
    const again = new DatabaseSync(path)
    assert.deepEqual({ ...again.prepare('SELECT count(*) AS n FROM t').get() }, { n: rows })
    assert.deepEqual({ ...again.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' })
    again.close()
  })
})

test('without news of the thread the log is carried over in place at its bound', async () => {
  await inFolder(async (path) => {
    const { file, db } = opened(path, 50, 100)
    let longest = 0
    // No turn of the event loop: the thread is never heard of.
    for (let at = 0; at < 1000; at++) {
      await db.transact((tx) => sqliteTx(tx).run(WRITE, 'x'.repeat(3000)))
      longest = Math.max(longest, frames(file).log)
    }
    await db.close()
    assert.ok(longest < 1000, `${longest} pages`)
  })
})

test('a reader keeps what it sees, and the log is carried over when it has gone', async () => {
  await inFolder(async (path) => {
    const { db } = opened(path, 50, 200)
    await db.transact((tx) => sqliteTx(tx).run(WRITE, 'first'))
    const reader = new DatabaseSync(path, { readOnly: true })
    reader.exec('BEGIN')
    const count = reader.prepare('SELECT count(*) AS n FROM t')
    assert.equal(count.get()?.n, 1)
    for (let at = 0; at < 500; at++) await db.transact((tx) => sqliteTx(tx).run(WRITE, 'x'.repeat(3000)))
    assert.equal(count.get()?.n, 1)
    reader.exec('COMMIT')
    assert.equal(count.get()?.n, 501)
    reader.close()
    await db.close()
    assert.ok(statSync(path).size > 500 * 3000)
  })
})

test('a database in memory has no log', async () => {
  assert.equal(checkpointsOf(new DatabaseSync(':memory:'), ':memory:'), NO_CHECKPOINTS)
  await openSqlite(':memory:').close()
})

test('a SQLite that cannot look at the log keeps its own checkpoints', () => {
  assert.deepEqual(['3.49.1', '3.50.4', '3.51.0', '3.53.4', '4.0.0'].map(canLook), [false, false, true, true, true])
})
