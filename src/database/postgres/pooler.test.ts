/** Through a real PgBouncer. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { realClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { Tx } from '../database.ts'
import { tryRole } from './election.ts'
import { notify, openNotifications } from './notifications.ts'
import { openPostgres, openPostgresToRead } from './open.ts'
import { postgresTx } from './tx.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : noPooler()
const server = postgres as Exclude<typeof postgres, { skipped: string }>
// The server was started, whether there is a pooler or not.
after(() => ('skipped' in postgres ? undefined : postgres.end()))

function noPooler(): string | false {
  try {
    execFileSync('pgbouncer', ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'PgBouncer could not be had (Debian package pgbouncer)'
  }
}

/** It refuses to run as root. */
function whoRuns(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres']))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

const steps = [{ number: 1, name: 'table', sql: 'CREATE TABLE kept (name text PRIMARY KEY)' }]
const put = (tx: Tx, name: string) => postgresTx(tx).run('INSERT INTO kept VALUES ($1)', name)

describe('through a pooler', { skip }, () => {
  let folder: string
  let pooler: ChildProcess
  const direct = new Map<string, string>()
  const pooled = new Map<string, string>()

  before(async () => {
    const runner = whoRuns()
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'orbweaver-pgbouncer-'))
    const port = await freePort()
    const modes = ['session', 'transaction', 'statement']
    for (const mode of modes) direct.set(mode, await server.newDatabase())
    const lines = modes.map((mode) => {
      const url = new URL(direct.get(mode)!)
      pooled.set(mode, `postgres://postgres@127.0.0.1:${port}/${mode}`)
      return `${mode} = host=${url.hostname} port=${url.port} user=postgres dbname=${url.pathname.slice(1)} pool_mode=${mode}`
    })
    const settings = `[databases]
${lines.join('\n')}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
default_pool_size = 30
`
    const path = join(folder, 'pgbouncer.ini')
    writeFileSync(path, settings)
    for (const each of [folder, path]) if (runner.uid !== undefined) chownSync(each, runner.uid, runner.gid!)
    pooler = spawn('pgbouncer', [path], { ...runner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    await new Promise<void>((resolve, reject) => {
      let log = ''
      pooler.stderr?.on('data', (bytes) => {
        log += String(bytes)
        if (log.includes('process up')) resolve()
      })
      pooler.once('exit', () => reject(new Error(log)))
    })
  })
  after(async () => {
    const ended = new Promise((resolve) => pooler.once('exit', resolve))
    pooler.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })

  it('that keeps a connection per session everything works: transactions, notifications, roles', async () => {
    const address = pooled.get('session')!
    const [one, other] = await Promise.all([openPostgres(address, { steps }), openPostgres(address, { steps })])
    await Promise.all(Array.from({ length: 40 }, (_, n) => [one, other][n % 2].transact((tx) => put(tx, `row ${n}`))))
    const rows = await one.read((tx) => postgresTx(tx).all('SELECT name FROM kept'))
    assert.equal(rows.length, 40)

    const held = await tryRole(one, 'keeper')
    assert.ok(held !== undefined)
    assert.equal(await tryRole(other, 'keeper'), undefined)
    await held.release()

    const notifications = openNotifications(one, { clock: realClock, random: seededRandom(1) })
    const heard = new Promise<void>((resolve) =>
      notifications.listen('work', (payload) => payload === 'now' && resolve()),
    )
    const speaking = setInterval(() => void other.transact((tx) => notify(tx, 'work', 'now')), 20)
    await heard
    clearInterval(speaking)
    await notifications.close()
    await Promise.all([one.close(), other.close()])
    // A second life finds connections that were used before.
    const again = await openPostgres(address, { steps })
    await again.transact((tx) => put(tx, 'once more'))
    await again.close()
  })

  it('whose connections to the server are lost, transactions go on', async () => {
    const db = await openPostgres(pooled.get('session')!, { steps })
    const outside = await openPostgres(direct.get('session')!, { steps })
    let runs = 0
    await db.transact(async (tx) => {
      await put(tx, `lost ${++runs}`)
      if (runs === 1)
        await outside.transact((other) =>
          postgresTx(other).get(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                                 WHERE datname = current_database() AND pid <> pg_backend_pid()`),
        )
      await put(tx, 'and more')
    })
    assert.equal(runs, 2)
    await Promise.all([db.close(), outside.close()])
  })

  for (const mode of ['transaction', 'statement'])
    it(`that shares connections (pool_mode = ${mode}) is refused with one clear line, and nothing was done`, async () => {
      for (const open of [openPostgres, openPostgresToRead])
        await assert.rejects(open(pooled.get(mode)!, { steps }), {
          code: 'unfit-database',
          message: /a pooler at .* shares connections between transactions: .*pool_mode = session/,
        })
      const busy = await openPostgres(direct.get(mode)!, { steps: [] })
      const { tables } = (await busy.read((tx) =>
        postgresTx(tx).get<{ tables: number }>(`SELECT count(*) AS tables FROM pg_tables WHERE tablename = 'kept'`),
      ))!
      assert.equal(tables, 0)
      await busy.close()
    })
})
