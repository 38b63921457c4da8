import assert from 'node:assert/strict'
import { after, describe, it, test } from 'node:test'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { loadSettings } from '../config/load.ts'
import type { Coordinator } from './coordinator.ts'
import type { CrawlView } from './crawl-view.ts'
import { keepServing, maintenanceRole } from './keep-serving.ts'

const NOWHERE = { env: {}, readFile: () => undefined }

interface Look {
  leased?: number
  waiting?: number
  inbox?: number
  documents?: number
  bytes?: number
  known?: number
}

/** A server whose crawl looks like this in one second after the other; the last for ever. */
function serving(flags: string[], looks: (Look | Error)[], dialect = 'postgres') {
  const clock = virtualClock(0)
  const stop = new AbortController()
  const seen = { stopped: false, finished: false }
  let look: Look = {}
  const coordinator = {
    parts: {
      clock,
      journal: { record() {} },
      settings: loadSettings(flags, 'serve', NOWHERE).settings,
      database: { dialect },
    },
    intake: { pending: () => look.inbox ?? 0, isSettled: async () => true },
    frontier: {
      stop() {
        seen.stopped = true
      },
    },
    async tick() {
      const next = looks.length > 1 ? looks.shift()! : looks[0]
      if (next instanceof Error) throw next
      look = next
    },
    async finish() {
      seen.finished = true
    },
  } as unknown as Coordinator
  const view = {
    refresh: async () => {},
    get totals() {
      const sites = { waiting: look.waiting ?? 0, free: 0, leased: look.leased ?? 0, returning: 0 }
      return { sites, urls: { known: look.known ?? 1 } }
    },
    get counters() {
      return new Map([
        ['documents', look.documents ?? 0],
        ['bytes', look.bytes ?? 0],
      ])
    },
  } as unknown as CrawlView
  const role = { isOurs: async () => true, release: async () => {} }
  const run = async () => {
    const end = await clock.run(keepServing(coordinator, view, role, stop.signal))
    assert.ok(seen.finished)
    return { ...end, afterMs: clock.elapsed(), stopped: seen.stopped }
  }
  return { run, stop, clock }
}

test('with --until-done it ends when the crawl is complete, after workers had time to learn it', async () => {
  const looks = [{ waiting: 1 }, { leased: 1 }, { inbox: 1 }, { documents: 7 }]
  const end = await serving(['--until-done'], looks).run()
  assert.deepEqual(end, { why: 'complete', documents: 7, afterMs: 7000, stopped: false })
})

test('a crawl without seeds is not complete, and without --until-done it waits for more', async () => {
  for (const [flags, look] of [
    [['--until-done'], { known: 0 }],
    [[], { documents: 7 }],
  ] as const) {
    const { run, stop, clock } = serving([...flags], [look])
    clock.after(60_500, () => stop.abort())
    assert.equal((await run()).why, 'interrupted')
  }
})

test('the time limit works without the database, the size limit at once, the page limit when all visits have ended', async () => {
  const late = await serving(['--max-time', '90s'], [new Error('away')]).run()
  assert.deepEqual([late.why, late.afterMs, late.stopped], ['time', 90_000, true])
  const large = await serving(['--max-size', '1MB'], [{ bytes: 10 }, { bytes: 2e6, leased: 3 }]).run()
  assert.deepEqual([large.why, large.afterMs, large.stopped], ['size', 2000, true])
  const many = await serving(
    ['--max-pages', '5'],
    [
      { documents: 5, leased: 1 },
      { documents: 6, waiting: 9 },
    ],
  ).run()
  assert.deepEqual([many.why, many.documents], ['pages', 6])
})

test('an error of the SQLite file ends the server; an unreachable shared database is waited for', async () => {
  await assert.rejects(serving([], [new Error('broken')], 'sqlite').run(), /broken/)
  const end = await serving(['--until-done'], [new Error('away'), { documents: 1 }]).run()
  assert.equal(end.why, 'complete')
})

/** Of several servers over one database one does the periodic work; another does when that one is gone. */

const postgres = await postgresForTests()
after(async () => {
  if (!('skipped' in postgres)) await postgres.end()
})

/** Ends the backends that hold an advisory lock on a whole 64-bit number: those of offices. Waits for it. */
const END_HOLDERS = `SELECT pg_terminate_backend(pid, 10000) FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

describe('the maintenance role', { skip: 'skipped' in postgres && postgres.skipped }, () => {
  if ('skipped' in postgres) return

  it('one server has the role, and another takes it when the first releases it', async () => {
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
    // The other server learns of the closed connection later; the role itself is free at once.
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

it('a server on SQLite always has the maintenance role', async () => {
  const database = openSqlite(':memory:')
  const role = maintenanceRole(database, virtualClock(0))
  assert.equal(await role.isOurs(), true)
  await role.release()
  assert.equal(await role.isOurs(), true)
  await database.close()
})
