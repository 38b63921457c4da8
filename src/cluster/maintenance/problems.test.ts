/** What is wrong, from facts; and the table, on both databases: since when, over when nobody sees it, kept for the mails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bothDatabases } from '../../../testkit/postgres/database.test-tools.ts'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import type { Instant } from '../../base/clock.ts'
import type { Database } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import type { SqlValue } from '../../database/sqlite/tx.ts'
import { type LocalLook, noteProblems, ProblemLooks, readProblemRows, readProblems } from './problem-watch.ts'
import {
  type ClusterFacts,
  type CrawlFacts,
  type LocalFacts,
  PROBLEM_KINDS,
  type ProblemKind,
  problemsOf,
} from './problems.ts'

const SITES = { waiting: 0, free: 0, leased: 0, returning: 0, crawled: 0, barred: 0, held: 0 }
const WELL: CrawlFacts = {
  sites: { ...SITES, waiting: 5, free: 3, leased: 20 },
  waiting: 1000,
  isPaused: false,
  unreserved: 1,
  address: { address: '192.0.2.1', visits: 1, sites: 4 },
  nextDueMs: 500,
  inbox: 3,
  corruptParts: 0,
  heldDomains: 0,
  recent: { overMs: 600_000, requests: 10_000, failures: new Map([['dns', 20]]), inboxThen: 0 },
  cluster: undefined,
}
const ALONE: LocalFacts = {
  disks: [{ folder: '/data', free: 500e9, total: 1e12, perSecond: 1000 }],
  lateMs: 3,
  clockOffsetMs: 10,
  outage: undefined,
  restarts: undefined,
}
const WORKER: ClusterFacts['workers'][number] = {
  name: 'ada',
  state: 'working',
  silentMs: 2000,
  visits: 12,
  lateMs: 1,
  clockOffsetMs: 5,
}
const CLUSTER = { workers: [WORKER], servers: [{ url: 'http://a:1', silentMs: 1000 }], differing: [] }

const crawlWith = (crawl: Partial<CrawlFacts>) => problemsOf({ crawl: { ...WELL, ...crawl }, local: ALONE })
const aloneWith = (local: Partial<LocalFacts>) => problemsOf({ crawl: WELL, local: { ...ALONE, ...local } })

test('nothing is wrong with a crawl that goes well, waits politely, is over or was paused', () => {
  assert.deepEqual(crawlWith({}), [])
  assert.deepEqual(crawlWith({ cluster: CLUSTER }), [])
  assert.deepEqual(crawlWith({ sites: { ...SITES, waiting: 5 }, unreserved: 0, nextDueMs: 1500 }), [])
  const begun = { ...WELL.recent, overMs: 10_000 }
  assert.deepEqual(crawlWith({ cluster: { ...CLUSTER, workers: [] }, recent: begun }), [], 'workers are on their way')
  const still = { ...WELL.recent, requests: 0 }
  assert.deepEqual(crawlWith({ waiting: 0, recent: still, sites: SITES }), [])
  assert.deepEqual(crawlWith({ isPaused: true, recent: still }), [])
})

test('each problem is found, names what it is about, and says what to do', () => {
  const recent = WELL.recent
  const cases: [ProblemKind, RegExp, ReturnType<typeof problemsOf>][] = [
    [
      'stalled',
      /no request for 10m though URLs wait \(1,000\); see orbweaver status/,
      crawlWith({ recent: { ...recent, requests: 0 } }),
    ],
    ['no-worker', /start one with orbweaver worker/, crawlWith({ cluster: { ...CLUSTER, workers: [] } })],
    [
      'address-shared',
      /^no site is free: 312 sites share the address 192\.0\.2\.9, .* seeds at other addresses/,
      crawlWith({
        unreserved: 0,
        sites: { ...SITES, leased: 40 },
        address: { address: '192.0.2.9', visits: 40, sites: 312 },
      }),
    ],
    [
      'waiting-for-retry',
      /for another 25m: .* orbweaver explain/,
      crawlWith({ sites: { ...SITES, waiting: 9 }, unreserved: 0, address: undefined, nextDueMs: 1_500_000 }),
    ],
    [
      'errors',
      /^8,500 failures beside 100 requests in the last 10m, 94 % of them dns: check the network/,
      crawlWith({
        recent: {
          ...recent,
          requests: 100,
          failures: new Map([
            ['timeout', 500],
            ['dns', 8000],
          ]),
        },
      }),
    ],
    ['inbox', /2,000 report parts wait .* no site is handed out.*fewer workers/, crawlWith({ inbox: 2000 })],
    ['inbox', /grows: 600 .* 200 parts did 10m ago/, crawlWith({ inbox: 600, recent: { ...recent, inboxThen: 200 } })],
    ['corrupt-parts', /^1 report part cannot be read.*orbweaver clean/, crawlWith({ corruptParts: 1 })],
    ['held', /5,000 sites in 2 domains.*--trust/, crawlWith({ sites: { ...WELL.sites, held: 5000 }, heldDomains: 2 })],
    [
      'worker-silent',
      /^the workers ada, bob are silent for over 2m, with 24 sites: .*start the worker again, or free .* only if its process has ended/,
      crawlWith({
        cluster: {
          ...CLUSTER,
          workers: [WORKER, { ...WORKER, silentMs: 120_000 }, { ...WORKER, name: 'bob', silentMs: 600_000 }],
        },
      }),
    ],
    [
      'worker-slow',
      /the worker ada is late by 4s: .*--visits/,
      crawlWith({ cluster: { ...CLUSTER, workers: [{ ...WORKER, lateMs: 4000 }] } }),
    ],
    [
      'worker-clock',
      /ada is off by 40s .*NTP/,
      crawlWith({ cluster: { ...CLUSTER, workers: [{ ...WORKER, clockOffsetMs: -40_000 }] } }),
    ],
    [
      'server-silent',
      /the server http:\/\/b:1 is silent for over 3m/,
      crawlWith({ cluster: { ...CLUSTER, servers: [{ url: 'http://b:1', silentMs: 180_000 }] } }),
    ],
    [
      'settings-differ',
      /differ in pause, scope.*same settings/,
      crawlWith({ cluster: { ...CLUSTER, differing: ['pause', 'scope'] } }),
    ],
    [
      'disk',
      /\/data has 1\.0 GB of 1\.0 TB left: make room/,
      aloneWith({ disks: [{ folder: '/data', free: 1e9, total: 1e12, perSecond: 0 }] }),
    ],
    [
      'disk',
      /enough for about 13h53m/,
      aloneWith({ disks: [{ folder: '/data', free: 500e9, total: 1e12, perSecond: 1e7 }] }),
    ],
    ['late', /late by 1\.5s or more for a minute/, aloneWith({ lateMs: 1500 })],
    ['clock', /off by 3s against the database/, aloneWith({ clockOffsetMs: -3000 })],
    [
      'database',
      /cannot be reached for 1m \(refused\): workers keep/,
      aloneWith({ outage: { what: 'refused', forMs: 60_000 } }),
    ],
    [
      'restarted',
      /restarted 2 times .* last 5m ago because it was silent/,
      aloneWith({ restarts: { count: 2, why: 'it was silent for 5m', agoMs: 300_000 } }),
    ],
  ]
  for (const [kind, says, found] of cases) {
    assert.deepEqual(
      found.map((one) => one.kind),
      [kind],
    )
    assert.match(found[0].what, says)
  }
  assert.deepEqual(new Set(cases.map(([kind]) => kind)), new Set(PROBLEM_KINDS), 'every kind has a case')
})

const onBoth = await bothDatabases()

const MINUTE = 60_000
const DISK = { folder: '/data', free: 500e9, total: 1e12 }
const WELL_HERE: LocalLook = { disks: [DISK], lateMs: 0, clockOffsetMs: 0, outage: undefined, restarts: undefined }
const run = (database: Database, sql: string, ...values: SqlValue[]) =>
  database.transact((tx) => queries(tx).run(sql, ...values))

onBoth('a watch notes what it sees and forgets what nobody sees any more', async (database) => {
  const clock = virtualClock(Date.UTC(2026, 10, 16))
  await run(database, "INSERT INTO control (subject, choice, version) VALUES ('', '{}', 1)")
  let local = WELL_HERE
  const counters = new Map([['requests', 10]])
  const troubles: unknown[] = []
  const journal = { record: (event: unknown) => troubles.push(event) }
  const watch = (id: string, isOurs: boolean) =>
    new ProblemLooks({
      ...{ database, clock, journal, isServed: true, isOurs: async () => isOurs },
      server: { id, url: `http://${id}` },
      counters: () => counters,
      local: () => local,
    })
  const [first, second] = [watch('one', true), watch('two', false)]
  const now = () => database.read((tx) => readProblems(tx, clock.now()))
  await first.look()
  await second.look()
  assert.deepEqual(await now(), [])

  local = { ...WELL_HERE, disks: [{ ...DISK, free: 1e6 }] }
  const began = clock.now()
  await first.look()
  await second.look()
  assert.deepEqual(
    (await now()).map(({ name, since, mailedAt }) => [name, since, mailedAt]),
    [
      ['disk:one:/data', began, null],
      ['disk:two:/data', began, null],
    ],
  )
  assert.match((await now())[0].what, /^http:\/\/one: the disk of \/data has 1\.0 MB/)
  await clock.run(clock.sleep(MINUTE))
  await first.look()
  await clock.run(clock.sleep(1))
  assert.deepEqual(
    (await now()).map(({ name, since }) => [name, since]),
    [['disk:one:/data', began]],
    'the other died',
  )
  local = WELL_HERE
  await clock.run(clock.sleep(2 * MINUTE))
  await first.look()
  assert.deepEqual(await database.read(readProblemRows), [], 'over, and nobody has to be told')

  // Seen by the elected server only, over all that share the database.
  await run(
    database,
    `INSERT INTO worker (id, name, secret_hash, version, state, registered_at, seen_at, visits) VALUES ('w', 'ada', ?, '1', 'working', 0, ?, 7)`,
    new Uint8Array(32),
    clock.now() - 5 * MINUTE,
  )
  await second.look()
  assert.deepEqual(await now(), [])
  await first.look()
  assert.deepEqual(
    (await now()).map(({ name }) => name),
    ['worker-silent'],
  )
  assert.deepEqual(troubles, [])
})

onBoth('a problem that comes back begins anew, but not before the mail that it is over', async (database) => {
  const note = (at: Instant) =>
    database.transact((tx) => noteProblems(tx, [{ kind: 'disk', name: 'disk', what: 'x' }], at))
  const since = async () => (await database.read(readProblemRows)).map((row) => row.since)
  await note(1_000_000)
  await note(1_050_000)
  assert.deepEqual(await since(), [1_000_000])
  await note(2_000_000)
  assert.deepEqual(await since(), [2_000_000], 'it was over in between')
  await run(database, 'UPDATE problem SET mailed_at = 2000005')
  await note(3_000_000)
  assert.deepEqual(await since(), [2_000_000], 'the mail about it stands')
  await run(database, 'UPDATE problem SET since = mailed_at + 1')
  await note(4_000_000)
  assert.deepEqual(await since(), [4_000_000])
})

test('what is wrong with the crawl stays while the database is asked, and goes when it cannot be', async () => {
  const database = openSqlite(':memory:')
  const clock = virtualClock(Date.UTC(2026, 10, 16))
  await run(database, "INSERT INTO control (subject, choice, version) VALUES ('', '{}', 1)")
  await run(
    database,
    `INSERT INTO worker (id, name, secret_hash, version, state, registered_at, seen_at, visits) VALUES ('w', 'ada', ?, '1', 'working', 0, ?, 7)`,
    new Uint8Array(32),
    clock.now() - 5 * MINUTE,
  )
  let ours = async () => true
  const looks = new ProblemLooks({
    ...{ database, clock, isServed: true, server: undefined, journal: { record: () => {} } },
    isOurs: () => ours(),
    counters: () => new Map([['requests', 10]]),
    local: () => ({ ...WELL_HERE, disks: [{ ...DISK, free: 1e6 }] }),
  })
  const kinds = () => looks.found.map(({ kind }) => kind).sort()
  for (let nth = 1; nth <= 3; nth++) {
    const looking = looks.look()
    assert.deepEqual(kinds(), nth === 1 ? ['disk'] : ['disk', 'worker-silent'])
    await looking
    assert.deepEqual(kinds(), ['disk', 'worker-silent'])
  }
  ours = async () => {
    throw new Error('no route')
  }
  await looks.look()
  assert.deepEqual(kinds(), ['disk'])
  ours = async () => true
  await looks.look()
  ours = async () => false
  await looks.look()
  assert.deepEqual(kinds(), ['disk'], 'another server looks after the crawl now')
  await database.close()
})

test('a watch without a database still says that it is unreachable, and reports its own failure once', async () => {
  const clock = virtualClock(0)
  const troubles: string[] = []
  const fails = async () => {
    throw new Error('no route')
  }
  const looks = new ProblemLooks({
    database: { dialect: 'postgres', read: fails, transact: fails, close: async () => {} },
    clock,
    journal: { record: (event) => troubles.push(event.kind) },
    server: { id: 'one', url: 'http://one' },
    isServed: true,
    isOurs: async () => true,
    counters: () => new Map(),
    local: () => ({ ...WELL_HERE, outage: { what: 'no route', forMs: 61_000 } }),
  })
  await looks.look()
  await looks.look()
  assert.deepEqual(
    looks.found.map(({ name }) => name),
    ['database:one'],
  )
  assert.deepEqual(troubles, ['trouble'])
})

test('the pace of a disk, and lateness, count over minutes', async () => {
  const database = openSqlite(':memory:')
  const clock = virtualClock(0)
  let local = { ...WELL_HERE, lateMs: 5000 }
  const looks = new ProblemLooks({
    ...{ database, clock, isServed: false, server: undefined, journal: { record: () => {} } },
    isOurs: async () => false,
    counters: () => new Map(),
    local: () => local,
  })
  const kinds = () => looks.found.map(({ kind }) => kind)
  for (let i = 0; i < 40; i++) {
    await looks.look()
    if (i === 3) assert.deepEqual(kinds(), [], 'one late moment is none')
    await clock.run(clock.sleep(10_000))
    local = { ...local, disks: [{ ...DISK, free: local.disks[0].free - 1e9 }] }
  }
  assert.deepEqual(kinds(), ['disk', 'late'], '100 MB a second fill it within two hours')
  local = { ...local, lateMs: 10 }
  await looks.look()
  assert.deepEqual(kinds(), ['disk'])
  await database.close()
})
