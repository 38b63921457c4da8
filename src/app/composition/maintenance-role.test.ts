/** Of several servers over one database one does the periodic work; another does when that one is gone. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { virtualClock } from '../../base/virtual-clock.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { maintenanceRole } from './serve.ts'

const postgres = await postgresForTests()
after(async () => {
  if (!('skipped' in postgres)) await postgres.end()
})

/** Ends the backends that hold an advisory lock on a whole 64-bit number: those of offices. Waits for it. */
const END_HOLDERS = `SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

describe('the office of the keeper', { skip: 'skipped' in postgres && postgres.skipped }, () => {
  if ('skipped' in postgres) return

  it('belongs to one, and to another when that one gives it up', async () => {
    const clock = virtualClock(0)
    const database = await postgres.make()
    const [first, second] = [maintenanceRole(database, clock), maintenanceRole(database, clock)]
    assert.equal(await first.isOurs(), true)
    assert.equal(await second.isOurs(), false)
    assert.equal(await first.isOurs(), true)
    await first.release()
    // Nobody asks the database every second for what nearly never changes.
    assert.equal(await second.isOurs(), false)
    await clock.run(clock.sleep(5_000))
    assert.equal(await second.isOurs(), true)
    assert.equal(await first.isOurs(), false)
    await second.release()
  })

  it('is lost with its connection, and known to be', async () => {
    const clock = virtualClock(0)
    const database = await postgres.make()
    const [first, second] = [maintenanceRole(database, clock), maintenanceRole(database, clock)]
    assert.equal(await first.isOurs(), true)
    assert.equal(await second.isOurs(), false)
    await database.read((tx) => queries(tx).all(END_HOLDERS))
    await clock.run(clock.sleep(5_000))
    // The other end of a connection hears of its end when it hears: the office itself is free at once.
    assert.equal(await second.isOurs(), true)
    while (await first.isOurs()) await new Promise((heard) => void database.read(async () => {}).then(heard))
    assert.equal(await second.isOurs(), true)
    await second.release()
  })

  it('is of each database its own', async () => {
    const clock = virtualClock(0)
    const offices = [maintenanceRole(await postgres.make(), clock), maintenanceRole(await postgres.make(), clock)]
    for (const role of offices) assert.equal(await role.isOurs(), true)
    for (const role of offices) await role.release()
  })
})

it('a server over a file is alone, and always has the office', async () => {
  const database = openSqlite(':memory:')
  const role = maintenanceRole(database, virtualClock(0))
  assert.equal(await role.isOurs(), true)
  await role.release()
  assert.equal(await role.isOurs(), true)
  await database.close()
})
