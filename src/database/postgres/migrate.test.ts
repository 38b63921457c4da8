import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { realClock } from '../../base/clock.ts'
import { postgresAddress } from './address.ts'
import type { Connection } from './connection.ts'
import { primaryConnector } from './find-primary.ts'
import { steps } from './migrate.test-process.ts'
import { MIGRATING } from './migrate.ts'
import { openPostgres } from './open.ts'
import { postgresTx } from './tx.ts'

const postgres = await postgresForTests()
const skip = 'skipped' in postgres ? postgres.skipped : false
const server = postgres as Exclude<typeof postgres, { skipped: string }>
after(() => (skip === false ? server.end() : undefined))

const program = fileURLToPath(new URL('migrate.test-process.ts', import.meta.url))
const settings = {
  clock: realClock,
  access: 'write',
  connectMs: 10_000,
  statementMs: 60_000,
  idleInTransactionMs: 0,
} as const

/** Whoever waits for the lock of this number, as `pg_locks` shows it. */
async function somebodyWaits(outside: Connection, lock: number): Promise<void> {
  const sql = `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${lock}
               AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
  while ((await outside.query(sql)).rows.length === 0) await realClock.sleep(5)
}

describe('a server killed while it migrates', { skip }, () => {
  const places = [
    ...steps.map(({ number }) => ({ where: `inside step ${number}`, lock: number, done: number - 1 })),
    { where: 'before the first step', lock: MIGRATING, done: 0 },
  ]
  for (const { where, lock, done } of places)
    it(`${where} leaves what was done before, and the next one goes on from there`, async () => {
      const address = await server.newDatabase()
      const outside = await primaryConnector(postgresAddress(address), settings)()
      await outside.query(`SELECT pg_advisory_lock(${lock})`)
      const child = spawn(process.execPath, [program, address], { stdio: 'inherit' })
      await somebodyWaits(outside, lock)
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
      child.kill('SIGKILL')
      assert.equal(await ended, 'SIGKILL')

      const ours = `to_regclass('orbweaver_schema') IS NOT NULL`
      const [{ made }] = (await outside.query(`SELECT ${ours} AS made`)).rows as { made: boolean }[]
      const { rows } = made ? await outside.query('SELECT number FROM orbweaver_schema') : { rows: [] }
      assert.equal(rows.length, done)

      // Two that start at once, while what is left of the dead one still holds its locks.
      const next = [openPostgres(address, { steps }), openPostgres(address, { steps })]
      await outside.query(`SELECT pg_advisory_unlock(${lock})`)
      for (const database of await Promise.all(next)) {
        const numbers = await database.read((tx) => postgresTx(tx).all('SELECT number FROM done ORDER BY number'))
        assert.deepEqual(numbers, [{ number: 1 }, { number: 2 }, { number: 3 }])
        await database.close()
      }
      await outside.end()
    })
})
