/** The dashboard's processes over a real collection: limits, sharing, what becomes of a page that fails. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { postgresForTests } from '../../../testkit/postgres/database.test-tools.ts'
import { realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { Readers } from '../../base/journal.ts'
import type { PageAsked } from '../../cluster/server/web-door.ts'
import type { Event } from '../../contracts/events.ts'
import { openPostgres } from '../../database/postgres/open.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { SNAPSHOT } from '../cli/fake-services.test-data.ts'
import { loadSettings } from '../config/load.ts'
import { type DashboardLimits, openDashboard, slowFigures } from './dashboard.ts'

const ASKED: PageAsked = {
  path: '/',
  query: '',
  role: 'operator',
  base: '',
  csrf: 'c',
  isSignedIn: false,
  message: undefined,
}

/** Nobody knows how busy the machine of a test is. */
const startMs = 300_000

async function opened(t: TestContext, limits: DashboardLimits, { hasCollection = true, database = '' } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-dashboard-'))
  if (hasCollection) await openSqlite(join(folder, 'collection.db')).close()
  const shared = database === '' ? [] : ['--database', database]
  const { settings } = loadSettings(['-c', folder, ...shared], 'crawl', { env: {}, readFile: () => undefined })
  const journal = new Readers<Event>()
  const events: Event[] = []
  journal.read((event) => events.push(event))
  const dashboard = openDashboard({
    ...{ settings, version: '1', runs: 'crawl', view: { snapshot: () => SNAPSHOT }, journal, clock: realClock, limits },
    control: {
      crawl: {},
      choiceOf: () => undefined,
      async perform(who, { action }) {
        if (action === 'stop') throw new Problem('not-found', 'there is nothing to stop')
        if (action === 'resume') throw new TypeError('a bug')
        return { isChanged: true, now: `${who}: ${action}` }
      },
    },
    isEnding: () => false,
  })
  t.after(async () => {
    await dashboard.close()
    rmSync(folder, { recursive: true })
  })
  return { pages: dashboard.pages, events, folder, close: () => dashboard.close() }
}

test('on a machine so busy that its process starts late, the page says so until it has started', async (t) => {
  const { pages } = await opened(t, { pageMs: 20_000, freshMs: 0, startMs: 0 })
  const early = await pages.render(ASKED)
  assert.equal(early.status, 503)
  assert.match(String(early.body), /still starting/)
  let status = 503
  for (let tries = 0; status !== 200 && tries < 600; tries += 1) {
    await setTimeout(100)
    status = (await pages.render(ASKED)).status
  }
  assert.equal(status, 200)
})

test('a page that takes too long is answered 503: its statement holds up neither the next page nor the end of the program', async (t) => {
  const limits = { pageMs: 1000, freshMs: 0, startMs }
  const { pages, folder, close } = await opened(t, limits)
  const database = new DatabaseSync(join(folder, 'collection.db'), { timeout: 10_000 })
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all('minute')
  database.exec(`ALTER TABLE minute RENAME TO minutes;
    CREATE VIEW minute AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT ${columns.map(({ name }) => `max(i) AS "${name}"`).join(', ')} FROM n`)
  const slow = await pages.render(ASKED)
  assert.equal(slow.status, 503)
  assert.match(String(slow.body), /took over a second/)
  assert.equal(slow.headers?.['retry-after'], '2')
  limits.pageMs = 20_000
  assert.equal((await pages.render({ ...ASKED, path: '/nothing' })).status, 404, 'another reader')
  limits.pageMs = 3_600_000
  const unanswered = pages.render(ASKED)
  await setTimeout(500)
  const began = performance.now()
  await close()
  assert.ok(performance.now() - began < 5000, 'it ended in time')
  assert.equal((await unanswered).status, 503)
  // Killed readers leave no lock.
  database.exec('DROP VIEW minute; ALTER TABLE minutes RENAME TO minute')
  assert.equal(database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy, 0)
  database.close()
})

test('PostgreSQL ends a statement of a page after a second; the next page is answered', async (t) => {
  const postgres = await postgresForTests()
  if ('skipped' in postgres) return t.skip(postgres.skipped)
  t.after(() => postgres.end())
  const database = await postgres.newDatabase(true)
  const { pages } = await opened(t, { pageMs: 1000, freshMs: 0, startMs }, { database })
  assert.equal((await pages.render(ASKED)).status, 200)
  const other = await openPostgres(database)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: locked, resolve: hasLock } = Promise.withResolvers<void>()
  const holding = other.transact(async (tx) => {
    await queries(tx).run('LOCK TABLE minute IN ACCESS EXCLUSIVE MODE')
    hasLock()
    await released
  })
  await locked
  const began = performance.now()
  const { status, body } = await pages.render(ASKED)
  assert.equal(status, 503)
  assert.match(String(body), /took over a second/)
  assert.ok(performance.now() - began < 4000, 'given up in time')
  release()
  await holding
  await other.close()
  assert.equal((await pages.render(ASKED)).status, 200)
})

test('those who ask for the same within a second share one page; another role does not', async (t) => {
  const { pages } = await opened(t, { pageMs: 20_000, freshMs: 60_000, startMs })
  const same = await Promise.all(Array.from({ length: 50 }, () => pages.render(ASKED)))
  assert.equal(new Set(same).size, 1)
  const viewer = await pages.render({ ...ASKED, role: 'viewer', csrf: '' })
  assert.doesNotMatch(String(viewer.body), /<form/)
  assert.match(String(same[0].body), /<form/)
})

test('more pages than can be made are refused, not queued without end', async (t) => {
  const { pages } = await opened(t, { pageMs: 20_000, freshMs: 0, startMs })
  const many = Array.from({ length: 150 }, (_, n) => pages.render({ ...ASKED, query: `n=${n}` }))
  const statuses = (await Promise.all(many)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 503).length, 50)
  assert.equal(statuses.filter((status) => status === 200).length, 100)
})

test('of many slow figures that are asked for, only the last ones are computed', async () => {
  const computed: string[] = []
  const { promise: first, resolve: finishFirst } = Promise.withResolvers<void>()
  const { promise: last, resolve: isLast } = Promise.withResolvers<void>()
  const figures = slowFigures(
    {
      async ask(asked) {
        assert.ok('argument' in asked)
        computed.push(asked.argument)
        await first
        if (asked.argument === '999') isLast()
        return asked.argument
      },
      end: () => {},
      close: async () => {},
    },
    realClock,
  )
  for (let n = 0; n < 1000; n++) figures.of('ranked-sites', String(n))
  finishFirst()
  await last
  await figures.close()
  assert.ok(computed.length <= 101, `${computed.length} were computed`)
})

test('closed while a figure is computed, it leaves no timer that holds up the end of the program', async () => {
  const { promise: computed, resolve: finish } = Promise.withResolvers<void>()
  let timers = 0
  const clock = {
    ...realClock,
    after() {
      timers++
      return () => {}
    },
  }
  const thread = {
    async ask() {
      await computed
      throw new Error('its thread was ended')
    },
    end: async () => {},
    close: async () => finish(),
  }
  const figures = slowFigures(thread, clock)
  figures.of('ranked-sites', '')
  await figures.close()
  await setImmediate()
  assert.deepEqual(figures.of('ranked-sites', ''), { state: 'failed', why: 'its thread was ended' })
  assert.equal(timers, 0)
})

test('a collection that cannot be opened is said on the page, and tried again', async (t) => {
  const { pages, events, folder } = await opened(t, { pageMs: 20_000, freshMs: 0, startMs }, { hasCollection: false })
  const failed = await pages.render(ASKED)
  assert.equal(failed.status, 503)
  assert.match(String(failed.body), /there is no collection here/)
  await pages.render(ASKED)
  assert.equal(events.filter(({ kind }) => kind === 'trouble').length, 1, 'reported once')
  await openSqlite(join(folder, 'collection.db')).close()
  assert.equal((await pages.render(ASKED)).status, 200)
})

test('an action answers in words, whatever happens', async (t) => {
  const { pages, events } = await opened(t, { pageMs: 20_000, freshMs: 0, startMs })
  const perform = (action: string) => pages.perform('me', new URLSearchParams({ action }))
  assert.deepEqual(await perform('pause'), { text: 'me: pause', isWrong: false })
  assert.deepEqual(await perform('stop'), { text: 'there is nothing to stop', isWrong: true })
  assert.deepEqual(await perform('nonsense'), { text: 'there is no such action', isWrong: true })
  assert.equal(events.length, 0)
  assert.equal((await perform('resume')).isWrong, true)
  assert.ok(events.some((event) => event.kind === 'trouble' && /an action failed: a bug/.test(event.what)))
})
