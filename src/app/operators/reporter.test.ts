/** What is mailed, and how often, on both databases: whoever is killed in between, and whatever the mail server does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases } from '../../../testkit/postgres/database.test-tools.ts'
import { type VirtualClock, virtualClock } from '../../../testkit/virtual-clock.ts'
import {
  type NamedProblem,
  noteProblems,
  ProblemLooks,
  readProblemRows,
} from '../../cluster/maintenance/problem-watch.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database } from '../../database/database.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import type { Mail } from '../../report/mail.ts'
import { Reporter } from './reporter.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const onBoth = await bothDatabases()

/** With a mail server that never answers. */
function hangingDesk() {
  const clock = virtualClock(Date.UTC(2026, 10, 16, 12))
  const events: Event[] = []
  const closed = Promise.withResolvers<void>()
  const reporter = new Reporter({
    ...{ database: openSqlite(':memory:'), clock, name: 'news', hour: 7, isOurs: async () => true, problems: () => [] },
    journal: { record: (event) => events.push(event) },
    mailer: {
      to: 'ops@example.org',
      send: () => closed.promise.then(() => assert.fail('no more time')),
      close: () => closed.resolve(),
    },
  })
  return { clock, events, reporter }
}

/** A mail server that may fail, and reporters that use it. */
class Desk {
  readonly clock: VirtualClock
  readonly mails: Mail[] = []
  readonly events: Event[] = []
  isDown = false
  local: NamedProblem[] = []
  readonly #database: Database

  constructor(database: Database, at: number) {
    this.#database = database
    this.clock = virtualClock(at)
  }

  /** As a process that was just started. */
  reporter(isOurs = true): Reporter {
    return new Reporter({
      database: this.#database,
      clock: this.clock,
      journal: { record: (event) => this.events.push(event) },
      mailer: {
        to: 'ops@example.org',
        send: async (mail) => {
          if (this.isDown) throw new Error('no answer')
          this.mails.push(mail)
        },
        close() {},
      },
      name: 'news',
      hour: 7,
      isOurs: async () => isOurs,
      problems: () => this.local,
    })
  }

  async pass(ms: number): Promise<void> {
    await this.clock.run(this.clock.sleep(ms))
  }

  see(...names: string[]): Promise<void> {
    const found = names.map((name) => ({ kind: 'disk' as const, name, what: `${name} is wrong: mend it` }))
    return this.#database.transact((tx) => noteProblems(tx, found, this.clock.now()))
  }

  subjects(): string[] {
    return this.mails.splice(0).map(({ subject }) => subject.replace('[orbweaver news] ', ''))
  }
}

onBoth('a problem is mailed at once and once, and once more when it is over', async (database) => {
  const desk = new Desk(database, Date.UTC(2026, 10, 16, 12))
  const [first, second] = [desk.reporter(), desk.reporter(false)]
  await first.turn()
  assert.deepEqual(desk.subjects(), [])
  await desk.see('disk', 'inbox')
  await second.turn()
  assert.deepEqual(desk.subjects(), [], 'another server is elected')
  await first.turn()
  assert.deepEqual(desk.subjects(), ['disk is wrong (and 1 more)'])
  for (let i = 0; i < 20; i++) {
    await desk.pass(10 * MINUTE)
    await desk.see('disk')
    // Killed and started again each time.
    await desk.reporter().turn()
  }
  assert.deepEqual(desk.subjects(), ['over: inbox is wrong'], 'no mail again while it lasts')
  await desk.pass(2 * MINUTE)
  await desk.reporter().turn()
  await desk.reporter().turn()
  assert.deepEqual(desk.subjects(), ['over: disk is wrong'])
})

onBoth('one that comes and goes is mailed once an hour at most, and the last mail is true', async (database) => {
  const desk = new Desk(database, Date.UTC(2026, 10, 16, 12))
  const reporter = desk.reporter()
  const said: string[] = []
  for (let minute = 0; minute < 180; minute++) {
    if (minute % 6 < 2) await desk.see('late')
    await reporter.turn()
    said.push(...desk.subjects())
    await desk.pass(MINUTE)
  }
  assert.deepEqual(said, Array.from({ length: 3 }, () => ['late is wrong', 'over: late is wrong']).flat())
  // When nobody has to be told any more, the watch forgets it.
  await desk.pass(2 * HOUR)
  const watch = new ProblemLooks({
    ...{ database, clock: desk.clock, journal: { record() {} }, server: undefined, isServed: false },
    isOurs: async () => true,
    counters: () => new Map(),
    local: () => ({ disks: [], lateMs: 0, clockOffsetMs: 0, outage: undefined, restarts: undefined }),
  })
  await watch.look()
  assert.deepEqual(await database.read(readProblemRows), [])
})

onBoth('what cannot be sent waits, and is tried less and less often', async (database) => {
  const desk = new Desk(database, Date.UTC(2026, 10, 16, 12))
  const reporter = desk.reporter()
  desk.isDown = true
  for (let minute = 0; minute < 120; minute++) {
    await desk.see('disk')
    await reporter.turn()
    await desk.pass(MINUTE)
  }
  const failed = desk.events.filter((event) => event.kind === 'mail' && event.result === 'failed').length
  assert.ok(failed >= 8 && failed <= 14, `${failed} tries in two hours`)
  desk.isDown = false
  await desk.see('disk')
  await desk.reporter().turn()
  assert.deepEqual(desk.subjects(), ['disk is wrong'], 'by the next process, too')
})

onBoth('a database that can be read but takes no writes brings no second mail', async (database) => {
  let isReadOnly = false
  const desk = new Desk(
    {
      ...{ dialect: database.dialect, read: (work) => database.read(work), close: () => database.close() },
      transact(work) {
        if (isReadOnly) throw new Error('cannot write: no space left on device')
        return database.transact(work)
      },
    },
    Date.UTC(2026, 10, 16, 6, 59),
  )
  const reporter = desk.reporter()
  await reporter.turn()
  await desk.see('disk')
  isReadOnly = true
  for (let i = 0; i < 30; i++) {
    await reporter.turn()
    await desk.pass(2000)
  }
  isReadOnly = false
  await desk.see('disk')
  await reporter.turn()
  isReadOnly = true
  for (let i = 0; i < 30; i++) {
    await reporter.turn()
    await desk.pass(10_000)
  }
  isReadOnly = false
  await desk.pass(MINUTE)
  await reporter.turn()
  assert.deepEqual(desk.subjects(), [
    'disk is wrong',
    'the day until 2026-11-16 07:00 UTC, 1 problem',
    'over: disk is wrong',
  ])
})

onBoth('the daily mail comes at its hour, once, also from who was started later', async (database) => {
  const desk = new Desk(database, Date.UTC(2026, 10, 16, 5, 50))
  for (let hour = 0; hour < 51; hour++) {
    await desk.reporter().turn()
    await desk.reporter(false).turn()
    await desk.pass(HOUR)
  }
  assert.deepEqual(desk.subjects(), [
    'the day until 2026-11-16 07:50 UTC',
    'the day until 2026-11-17 07:50 UTC',
    'the day until 2026-11-18 07:50 UTC',
  ])
  const late = new Desk(database, Date.UTC(2026, 10, 22, 23))
  await late.reporter().turn()
  assert.deepEqual(late.subjects(), ['the day until 2026-11-22 23:00 UTC'], 'nobody ran at seven')
})

onBoth('the end of a crawl', async (database) => {
  const desk = new Desk(database, Date.UTC(2026, 10, 16, 12))
  await desk.reporter(false).end('the crawl is complete')
  assert.deepEqual(desk.subjects(), [])
  const reporter = desk.reporter()
  await reporter.end('the crawl is complete')
  assert.deepEqual(desk.subjects(), ['the crawl is complete'])
  desk.isDown = true
  await desk.reporter().end('it failed: disk full')
  await reporter.close()
})

test('a mail server that never answers keeps the end for half a minute in all', async () => {
  const { clock, reporter, events } = hangingDesk()
  const began = clock.elapsed()
  const ended = reporter.end('the crawl is complete').then(() => reporter.close())
  await clock.run(ended)
  assert.equal(clock.elapsed() - began, 30_000)
  assert.deepEqual(
    events.map((event) => event.kind === 'mail' && event.result),
    ['failed'],
  )
})

test('a crawl that begins after the hour sends its first day the next day', async () => {
  const database = openSqlite(':memory:')
  const desk = new Desk(database, Date.UTC(2026, 10, 16, 15))
  await desk.reporter().turn()
  await desk.pass(15 * HOUR)
  await desk.reporter().turn()
  assert.deepEqual(desk.subjects(), [])
  await desk.pass(2 * HOUR)
  await desk.reporter().turn()
  assert.deepEqual(desk.subjects(), ['the day until 2026-11-17 08:00 UTC'])
  await database.close()
})

test('that the database is gone is mailed without it', async () => {
  const gone = async () => {
    throw new Error('gone')
  }
  const desk = new Desk({ dialect: 'postgres', read: gone, transact: gone, close: gone }, Date.UTC(2026, 10, 16, 12))
  const reporter = desk.reporter()
  desk.local = [{ kind: 'database', name: 'database:a', what: 'the database cannot be reached: start it' }]
  for (let i = 0; i < 100; i++) {
    await reporter.turn()
    await desk.pass(MINUTE)
  }
  desk.local = []
  await reporter.turn()
  await reporter.turn()
  assert.deepEqual(desk.subjects(), ['the database cannot be reached', 'over: the database cannot be reached'])
})
