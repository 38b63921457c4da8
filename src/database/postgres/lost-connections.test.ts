/** What becomes of transactions whose connection is lost, whose server goes away, or who meet each other. */
import assert from 'node:assert/strict'
import { createServer, connect as dial, type Server, type Socket } from 'node:net'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { type StartedServer, startServer } from '../../../testkit/postgres/server.test-tools.ts'
import type { Clock } from '../../base/clock.ts'
import { realClock } from '../../base/clock.ts'
import { Problem, type ProblemCode } from '../../base/errors.ts'
import type { Database, Tx } from '../database.ts'
import { openPostgres, openPostgresToRead } from './open.ts'
import { postgresTx } from './tx.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
const proxies: Server[] = []
after(async () => {
  for (const proxy of proxies) proxy.close()
  if (skip === false) await server.end()
})

const steps = [{ number: 1, name: 'table', sql: 'CREATE TABLE kept (name text PRIMARY KEY, value bigint NOT NULL)' }]
const problem = (code: ProblemCode, words: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === code && words.test(error.message)
const put = (tx: Tx, name: string) => postgresTx(tx).run('INSERT INTO kept VALUES ($1, 1)', name)
const names = async (database: Database) =>
  (await database.read((tx) => postgresTx(tx).all<{ name: string }>('SELECT name FROM kept ORDER BY name'))).map(
    ({ name }) => name,
  )

/** Time that goes on only while somebody sleeps: waits cost nothing, and how long they were is known. */
function hurriedClock(): Clock & { slept: number } {
  const clock = {
    ...realClock,
    slept: 0,
    elapsed: () => clock.slept,
    async sleep(ms: number) {
      clock.slept += ms
      await realClock.sleep(Math.min(ms, 5))
    },
  }
  return clock
}

/**
 * Between us and the server. `pass` says whether bytes of ours go on, or how many before the connection is cut; it may also
 * cut it itself, once they arrived or before.
 */
async function proxyTo(address: string, pass: (bytes: Buffer, cut: (reached: boolean) => void) => boolean | number) {
  const url = new URL(address)
  const port = Number(url.port)
  const open = new Set<Socket>()
  const proxy = createServer((ours) => {
    const theirs = dial(port, url.hostname)
    let isDeaf = false
    const end = () => {
      ours.destroy()
      theirs.destroy()
    }
    for (const socket of [ours, theirs]) {
      open.add(socket)
      socket.on('error', end).on('close', end)
    }
    theirs.on('data', (bytes) => {
      // The server has done what it was told; its answer never comes.
      if (isDeaf) end()
      else ours.write(bytes)
    })
    ours.on('data', (bytes) => {
      const cut = (reached: boolean) => {
        if (!reached) end()
        else isDeaf = true
      }
      const passed = pass(bytes, cut)
      if (typeof passed === 'number') theirs.write(bytes.subarray(0, passed), end)
      else if (passed) theirs.write(bytes)
    })
  })
  proxies.push(proxy)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  url.port = String((proxy.address() as { port: number }).port)
  return { address: url.href, cutAll: () => open.forEach((socket) => void socket.destroy()), proxy }
}

describe('a transaction', { skip }, () => {
  it('whose backend is killed is run again', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps })
    let runs = 0
    const value = await db.transact(async (tx) => {
      runs++
      await put(tx, `run ${runs}`)
      if (runs === 1)
        await db.transact((other) =>
          postgresTx(other).get(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                                 WHERE datname = current_database() AND pid <> pg_backend_pid()`),
        )
      await put(tx, 'and more')
      return runs
    })
    assert.equal(value, 2)
    assert.deepEqual(await names(db), ['and more', 'run 2'])
    await db.close()
  })

  it('that reads is run again too, from its beginning', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps })
    let runs = 0
    const kill = 'SELECT pg_terminate_backend(pg_backend_pid())'
    assert.equal(await db.read(async (tx) => (++runs < 3 ? postgresTx(tx).get(kill) : runs)), 3)
    await db.close()
  })

  it('of a command that prints what it reads is not: lines must not come twice', async () => {
    const address = await server.newDatabase()
    await (await openPostgres(address, { steps })).close()
    const db = await openPostgresToRead(address, { steps })
    let runs = 0
    const printing = db.read((tx) => {
      runs++
      return postgresTx(tx).get('SELECT pg_terminate_backend(pg_backend_pid())')
    })
    await assert.rejects(printing, problem('database-unreachable', /terminating connection/))
    assert.equal(runs, 1)
    assert.deepEqual(await names(db), [])
    await db.close()
  })

  for (const reached of [true, false])
    it(`whose COMMIT ${reached ? 'was done but not answered counts as done' : 'never arrived is run again'}`, async () => {
      const direct = await server.newDatabase()
      let cuts = 0
      const { address } = await proxyTo(direct, (bytes, cut) => {
        if (!bytes.includes('COMMIT\0') || cuts > 0) return true
        cuts++
        cut(reached)
        return reached
      })
      await (await openPostgres(direct, { steps })).close()
      const db = await openPostgres(address, { steps, connections: 1 })
      let runs = 0
      await db.transact((tx) => put(tx, `run ${++runs}`))
      assert.equal(cuts, 1)
      assert.deepEqual(await names(db), [reached ? 'run 1' : 'run 2'])
      await db.close()
    })

  it('whose connection is cut within what is sent together is run again as a whole', async () => {
    const direct = await server.newDatabase()
    await (await openPostgres(direct, { steps })).close()
    // So many bytes of it arrive: some of the first message, some of the first statements, and more than one group of them.
    for (const arriving of [1, 200, 3_000, 12_345, 30_000]) {
      let left = Number.POSITIVE_INFINITY
      let cuts = 0
      const { address } = await proxyTo(direct, (bytes) => {
        if (cuts === 0 && bytes.includes('BEGIN ISOLATION LEVEL READ COMMITTED')) left = arriving
        const passed = left
        left -= bytes.length
        if (left >= 0) return true
        left = Number.POSITIVE_INFINITY
        cuts++
        return passed
      })
      const db = await openPostgres(address, { steps, connections: 1 })
      let runs = 0
      await db.transact((tx) => {
        runs++
        return Promise.all(
          Array.from({ length: 200 }, (_, n) => put(tx, `${arriving}, run ${runs}, ${n} ${'x'.repeat(150)}`)),
        )
      })
      assert.deepEqual([cuts, runs], [1, 2])
      const kept = (await names(db)).filter((name) => name.startsWith(`${arriving},`))
      assert.deepEqual([kept.length, kept.every((name) => name.startsWith(`${arriving}, run 2,`))], [200, true])
      await db.close()
    }
  })

  it('whose COMMIT is in doubt for good says so', async () => {
    const direct = await server.newDatabase()
    let isCut = false
    const { address } = await proxyTo(direct, (bytes, cut) => {
      if (!isCut && !bytes.includes('COMMIT\0')) return true
      isCut = true
      cut(false)
      return false
    })
    await (await openPostgres(direct, { steps })).close()
    const clock = hurriedClock()
    const db = await openPostgres(address, { steps, clock, patienceMs: 20_000 })
    await assert.rejects(
      db.transact((tx) => put(tx, 'a')),
      problem('database-unreachable', /lost during a COMMIT/),
    )
    assert.ok(clock.slept >= 20_000 && clock.slept < 40_000, `${clock.slept} ms`)
    await db.close()
  })

  it('waits for a server that is away, and fails when it stays away', async () => {
    const { address, cutAll, proxy } = await proxyTo(await server.newDatabase(), () => true)
    const clock = hurriedClock()
    const db = await openPostgres(address, { steps, clock, patienceMs: 20_000 })
    const { port } = proxy.address() as { port: number }
    await new Promise<void>((resolve) => {
      proxy.close(() => resolve())
      cutAll()
    })
    const waiting = db.transact((tx) => put(tx, 'late'))
    while (clock.slept < 1000) await realClock.sleep(1)
    proxy.listen(port, '127.0.0.1')
    await waiting
    assert.deepEqual(await names(db), ['late'])
    await new Promise<void>((resolve) => {
      proxy.close(() => resolve())
      cutAll()
    })
    await assert.rejects(
      db.transact((tx) => put(tx, 'never')),
      problem('database-unreachable', /cannot be reached: nothing listens there/),
    )
    await db.close()
  })

  it('that meets another in a deadlock is run again, however many meet', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps })
    await db.transact((tx) => Promise.all(['a', 'b', 'c'].map((name) => put(tx, name))))
    const bump = (tx: Tx, name: string) => postgresTx(tx).run('UPDATE kept SET value = value + 1 WHERE name = $1', name)
    const orders = ['abc', 'bca', 'cab', 'cba', 'acb', 'bac']
    await Promise.all(
      orders.map((order) =>
        db.transact(async (tx) => {
          for (const name of order) await bump(tx, name)
        }),
      ),
    )
    const all = await db.read((tx) => postgresTx(tx).all('SELECT value FROM kept'))
    assert.deepEqual(all, [{ value: 7 }, { value: 7 }, { value: 7 }])
    await db.close()
  })

  it('that conflicts for ever, or is too slow each time, ends after a bounded number of tries', async () => {
    const clock = hurriedClock()
    const db = await openPostgres(await server.newDatabase(), { steps, clock, statementMs: 20 })
    let runs = 0
    const conflict = db.transact((tx) => {
      runs++
      return postgresTx(tx).run(`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`)
    })
    await assert.rejects(conflict, { code: '40001' })
    assert.equal(runs, 12)
    runs = 0
    const slow = db.transact((tx) => {
      runs++
      return postgresTx(tx).get('SELECT pg_sleep(10)')
    })
    await assert.rejects(slow, problem('database-unreachable', /took too long/))
    assert.equal(runs, 3)
    await db.close()
  })

  it('whose tables are changed between two of its kind prepares its statements anew, and is done once', async () => {
    const address = await server.newDatabase()
    const db = await openPostgres(address, { steps, connections: 1 })
    const outside = await openPostgres(address, { steps })
    const all = () =>
      db.transact(async (tx) => {
        const [, rows] = await Promise.all([put(tx, `row ${++runs}`), postgresTx(tx).all('SELECT * FROM kept')])
        return Object.keys(rows[0]).join()
      })
    let runs = 0
    assert.equal(await all(), 'name,value')
    for (const [change, columns] of [
      ['ADD note text', 'name,value,note'],
      ['RENAME note TO remark', 'name,value,remark'],
      ['DROP remark', 'name,value'],
    ]) {
      await outside.transact((tx) => postgresTx(tx).run(`ALTER TABLE kept ${change}`))
      assert.equal(await all(), columns)
    }
    // One of two tries each was rolled back.
    assert.deepEqual(await names(db), ['row 1', 'row 3', 'row 5', 'row 7'])
    await Promise.all([db.close(), outside.close()])
  })

  it('that lets the server wait for it for too long is ended there, and run again', async () => {
    const address = await server.newDatabase()
    const db = await openPostgres(address, { steps, idleInTransactionMs: 20 })
    const outside = await openPostgres(address, { steps })
    const isThere = (pid: number) =>
      outside.read((tx) => postgresTx(tx).get('SELECT FROM pg_stat_activity WHERE pid = $1', pid))
    let runs = 0
    await db.transact(async (tx) => {
      await put(tx, `run ${++runs}`)
      if (runs > 1) return
      const { pid } = (await postgresTx(tx).get<{ pid: number }>('SELECT pg_backend_pid() AS pid'))!
      while ((await isThere(pid)) !== undefined);
    })
    // On a busy machine the second run, too, may let the server wait for 20 ms.
    assert.ok(runs > 1)
    assert.deepEqual(await names(outside), [`run ${runs}`])
    await Promise.all([db.close(), outside.close()])
  })

  it('says that the disk of the database is full, once', async () => {
    const db = await openPostgres(await server.newDatabase(), { steps })
    let runs = 0
    const full = db.transact((tx) => {
      runs++
      return postgresTx(tx).run(`DO $$ BEGIN RAISE SQLSTATE '53100'; END $$`)
    })
    await assert.rejects(full, problem('disk-full', /free some/))
    assert.equal(runs, 1)
    await db.close()
  })
})

describe('a group of hosts', { skip }, () => {
  it('is searched for the one that takes writes', async () => {
    const standby = new URL(await server.newDatabase())
    const name = standby.pathname.slice(1)
    const address = standby.href.replace(standby.host, `127.0.0.1:1,${standby.host}`)
    const db = await openPostgres(address, { steps })
    await db.transact((tx) => put(tx, 'found'))
    assert.deepEqual(await names(db), ['found'])

    // The primary becomes a standby under our feet, and another takes its place a little later.
    const outside = await openPostgres(await server.newDatabase(), { steps: [] })
    const turn = (onlyReads: string) =>
      outside.transact((tx) =>
        Promise.all([
          postgresTx(tx).run(`ALTER DATABASE ${name} SET default_transaction_read_only = ${onlyReads}`),
          postgresTx(tx).all(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`),
        ]),
      )
    await turn('on')
    await assert.rejects(
      openPostgres(address, { steps, startPatienceMs: 0 }),
      problem('database-unreachable', /takes no writes/),
    )
    const reader = db.transact((tx) => put(tx, 'later'))
    await turn('off')
    await reader
    assert.deepEqual(await names(db), ['found', 'later'])
    await outside.close()
    await db.close()
  })
})

describe('a server that crashes', { skip }, () => {
  it('and comes back has what was committed, and transactions go on where they were', async () => {
    const own = (await startServer()) as StartedServer
    const db = await openPostgres(own.url, { steps })
    await db.transact((tx) => put(tx, 'before'))
    let runs = 0
    let restart: Promise<unknown> | undefined
    await db.transact(async (tx) => {
      await put(tx, `run ${++runs}`)
      if (runs > 1) return
      await own.crash()
      restart = own.restart()
    })
    // What is left of the dead server may still commit the first run: once it is, whichever it was.
    assert.deepEqual(await names(db), ['before', `run ${runs}`])
    await db.close()
    await restart
    await own.stop()
  })
})
