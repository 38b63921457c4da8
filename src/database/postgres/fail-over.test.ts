/** A primary and a standby that follows it; the primary dies, the standby takes over, and the old one comes back. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type StartedServer, startServer } from '../../../testkit/postgres/server.test-tools.ts'
import { Problem } from '../../base/errors.ts'
import type { Database, Tx } from '../database.ts'
import { openPostgres, openPostgresToRead, type PostgresDatabase } from './open.ts'
import { postgresTx } from './tx.ts'

const steps = [{ number: 1, name: 'table', sql: 'CREATE TABLE kept (name text PRIMARY KEY)' }]
const put = (tx: Tx, name: string) => postgresTx(tx).run('INSERT INTO kept VALUES ($1)', name)
const names = async (database: Database) =>
  (await database.read((tx) => postgresTx(tx).all<{ name: string }>('SELECT name FROM kept ORDER BY name'))).map(
    ({ name }) => name,
  )
const hostOf = (server: StartedServer) => new URL(server.url).host
const groupOf = (...servers: StartedServer[]) =>
  `postgres://postgres@${servers.map(hostOf).join(',')}/postgres?target_session_attrs=read-write`

const first = await startServer({ wal_level: 'replica', max_wal_senders: 4 })
const skip = 'skipped' in first ? first.skipped : false

describe('a fail-over', { skip, timeout: 120_000 }, () => {
  const primary = first as StartedServer
  let standby: StartedServer
  let db: PostgresDatabase
  before(async () => {
    standby = await primary.standby()
    db = await openPostgres(groupOf(standby, primary), { steps, connections: 8 })
    const alone = await openPostgres(primary.url, { steps })
    // From here on nothing is acknowledged that the standby has not got. Not inside a transaction: no way back.
    const session = await alone.session()
    await session.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await session.query('SELECT pg_reload_conf()')
    await session.end()
    await alone.close()
  })
  after(async () => {
    await db.close()
    await Promise.all([primary.stop(), standby.stop()])
  })

  /** Writes one after the other until told to stop. What fails may have been done or not: it is not told as done. */
  function writer(name: string) {
    const done: string[] = []
    const failed: unknown[] = []
    let isOver = false
    const writing = (async () => {
      for (let n = 0; !isOver; n++) {
        const row = `${name} ${n}`
        await db
          .transact((tx) => put(tx, row))
          .then(
            () => done.push(row),
            (error) => failed.push(error),
          )
      }
    })()
    const stop = () => {
      isOver = true
      return writing
    }
    return { done, failed, stop }
  }

  it('costs nothing that was acknowledged, and transactions go on', async () => {
    const writers = ['a', 'b', 'c', 'd', 'e', 'f'].map(writer)
    const until = async (rows: number) => {
      while (writers.some(({ done }) => done.length < rows)) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await until(10)
    await primary.crash()
    standby.promote()
    await until(Math.max(...writers.map(({ done }) => done.length)) + 10)
    await Promise.all(writers.map(({ stop }) => stop()))
    const kept = new Set(await names(db))
    assert.deepEqual(
      writers.flatMap(({ done }) => done).filter((row) => !kept.has(row)),
      [],
    )
    for (const { failed } of writers)
      for (const error of failed) assert.ok(error instanceof Problem && error.code === 'database-unreachable')
  })

  it('leaves an old primary that comes back alone, though it would take writes', async () => {
    const before = await names(db)
    await primary.restart()
    const old = await openPostgres(primary.url, { steps, connections: 1 })
    const session = await old.session()
    await session.query('ALTER SYSTEM RESET synchronous_standby_names')
    await session.query('SELECT pg_reload_conf()')
    await session.end()
    const there = (await names(old)).length
    await old.transact((tx) => put(tx, 'written by somebody else'))

    // Whoever begins now finds two that take writes, in whichever order they are named.
    for (const address of [groupOf(primary, standby), groupOf(standby, primary)]) {
      const fresh = await openPostgres(address, { steps, connections: 1 })
      await fresh.transact((tx) => put(tx, address))
      assert.deepEqual((await names(fresh)).length, (await names(db)).length)
      await fresh.close()
    }
    assert.equal((await names(db)).length, before.length + 2)

    // Also when the new one is away: then there is none.
    const patient = await openPostgres(groupOf(primary, standby), { steps, connections: 1, patienceMs: 300 })
    await standby.crash()
    // What is left of it may do some more.
    let failure: unknown
    let left = 0
    for (; failure === undefined; left++)
      await patient.transact((tx) => put(tx, `left ${left}`)).catch((error: unknown) => (failure = error))
    assert.ok(failure instanceof Problem && failure.code === 'database-unreachable', String(failure))
    assert.match(failure.message, /that another has replaced/)
    assert.equal((await names(old)).length, there + 1)
    await standby.restart()
    await patient.transact((tx) => put(tx, 'and on'))
    assert.equal((await names(db)).length, before.length + 2 + left)
    await Promise.all([patient.close(), old.close()])
  })

  it('is no trouble for those who only read: any of them will do', async () => {
    const reader = await openPostgresToRead(groupOf(standby, primary), { steps })
    assert.ok((await names(reader)).length > 0)
    await reader.close()
  })
})
