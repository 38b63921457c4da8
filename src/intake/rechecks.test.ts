/** Captures fetched again through another worker, on both databases: what is compared, and what must not change. */

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { NOON, samplePage, sampleReport } from '../../testkit/contracts/intake/sample-report.contract.ts'
import { memoryDisk } from '../../testkit/memory-disk.ts'
import { postgresForTests } from '../../testkit/postgres/database.test-tools.ts'
import { hash64 } from '../base/digest.ts'
import { DigestFilter } from '../collection/captures/digest-filter.ts'
import { captureCount } from '../collection/captures/read-captures.ts'
import { readCounter } from '../collection/counters/counters.ts'
import { pagesSince } from '../collection/pages/read-pages.ts'
import type { PageReport } from '../contracts/report.ts'
import { seal } from '../contracts/sealed-part.ts'
import type { Visit } from '../contracts/visit.ts'
import type { Database, Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { openSqlite } from '../database/sqlite/open.ts'
import type { KnownWorkers } from '../frontier/contract.ts'
import { openFrontier } from '../frontier/open-frontier.ts'
import { klwf } from '../frontier/order.ts'
import { frontierQueries } from '../frontier/queries.ts'
import { usualUrls } from '../web/url/web-url.ts'
import { openIntake } from './open-intake.ts'
import { jumpingClock } from './postgres/jumping-clock.test-data.ts'
import { likeness, Rechecks, readRechecks } from './rechecks.ts'

const HOME = 'http://a.test/'
const URLS = [HOME, `${HOME}1`, `${HOME}2`]
const PAUSE = 1000

const postgres = await postgresForTests()
after(async () => {
  if (!('skipped' in postgres)) await postgres.end()
})

function workersOf(processes: readonly string[]): KnownWorkers {
  const posts = processes.map((process) => ({ process, region: 'here' }))
  return { present: () => posts, postOf: (worker) => posts.find(({ process }) => process === worker.split('.')[0]) }
}

async function openCoordinator(database: Database, share: number, processes?: readonly string[]) {
  const clock = jumpingClock(NOON)
  const { ledger, frontier, recover } = openFrontier(database, {
    clock,
    order: klwf,
    urls: usualUrls,
    slice: { pages: 50, time: 60_000 },
    leaseMs: 60_000,
    addressPauseMs: 100,
    defaultPause: () => PAUSE,
    ...(processes && { affinity: { workers: workersOf(processes), windowMs: 1000 } }),
  })
  const parts = { database, ledger, clock, journal: { record() {} }, disk: memoryDisk(), logPath: '/c/crawl.log' }
  const rechecks = new Rechecks({ share, salt: 'of the test', clock, schedule: ledger.schedule })
  const intake = await openIntake({ ...parts, filter: DigestFilter.ofBits(1024), rechecks })
  await recover(() => intake.drain())
  await database.transact((tx) =>
    ledger.seed(
      tx,
      URLS.map((url) => ({ url, key: hash64(url), site: 'a.test' })),
    ),
  )
  const read = <T>(ask: (tx: Tx) => Promise<T>) => database.read(ask)
  return {
    intake,
    ledger,
    read,
    clock,
    frontier,
    /** The visit by this worker, as soon as there is one. */
    async visit(worker: string): Promise<Visit> {
      for (;;) {
        const { visits, next } = await frontier.checkOut(worker, 1)
        if (visits.length > 0) return visits[0]
        assert.notEqual(next, 'over')
        await clock.sleep(Math.max(1, next as number))
      }
    },
    async report(visit: Visit, pages: PageReport[]): Promise<void> {
      const courtesy = { pause: PAUSE, notBefore: clock.now() + PAUSE, lastAnswerAt: clock.now() }
      const more = { visit: visit.id, fence: visit.fence, courtesy, ended: 'done' as const }
      await intake.accept([sampleReport('a.test', 1, pages, more)].map(seal))
      await intake.idle()
    },
    async comparisons() {
      const sql = 'SELECT url, first_worker AS a, second_worker AS b, comparison FROM recheck ORDER BY url'
      const rows = await read((tx) => queries(tx).all<{ url: string; comparison: string; a: string; b: string }>(sql))
      return rows.map((row) => ({ ...row }))
    },
    async pages() {
      const pages = await read((tx) => pagesSince(tx, 0, 100))
      return pages.map(({ url, outcome, digest, looks }) => [url, outcome, digest, looks])
    },
    marks: () => read((tx) => Promise.all(URLS.map(async (url) => (await frontierQueries.url(tx, url))?.mark))),
    documents: () => read((tx) => readCounter(tx, 'documents')),
  }
}

type Fixture = Awaited<ReturnType<typeof openCoordinator>>

function onBoth(
  name: string,
  share: number,
  body: (fixture: Fixture) => Promise<void>,
  processes?: readonly string[],
): void {
  const run = async (database: Database) => {
    const fixture = await openCoordinator(database, share, processes)
    await body(fixture)
    await fixture.intake.close()
    await database.close()
  }
  test(`${name}, on SQLite`, () => run(openSqlite(':memory:')))
  test(`${name}, on PostgreSQL`, { skip: 'skipped' in postgres && postgres.skipped }, async () => {
    if (!('skipped' in postgres)) await run(await postgres.make())
  })
}

const agendaOf = ({ agenda }: Visit) => agenda.map(({ url }) => url).sort()
const kept = (url: string, content = url) => samplePage(url, {}, content)
const KEPT = ['kept', 'kept', 'kept']

onBoth('equal, similar or different: another worker says so, and nothing else changes', 1, async (fixture) => {
  const first = await fixture.visit('aaaa.0')
  assert.deepEqual(agendaOf(first), URLS)
  await fixture.report(
    first,
    URLS.map((url) => kept(url)),
  )
  const pages = await fixture.pages()
  const open = await fixture.read((tx) => readRechecks(tx, 9))
  assert.deepEqual([open?.open, open?.checked, open?.byWorker], [3, 0, []])

  const second = await fixture.visit('bbbb.3')
  assert.ok(fixture.clock.now() >= NOON + 60_000)
  assert.deepEqual(agendaOf(second), URLS)
  const other = kept(URLS[1], 'the same words in other bytes')
  const likely = { ...other, memory: { ...other.memory!, textDigest: kept(URLS[1]).memory!.textDigest } }
  await fixture.report(second, [kept(HOME), likely, kept(URLS[2], 'something else')])
  const between = { a: 'aaaa', b: 'bbbb' }
  assert.deepEqual(await fixture.comparisons(), [
    { url: URLS[0], ...between, comparison: 'equal' },
    { url: URLS[1], ...between, comparison: 'similar' },
    { url: URLS[2], ...between, comparison: 'different' },
  ])
  assert.deepEqual(await fixture.pages(), pages)
  assert.equal(await fixture.documents(), 3)
  assert.equal(await fixture.read(captureCount), 6)
  assert.deepEqual(await fixture.marks(), KEPT)
  const sums = { checked: 3, equal: 1, similar: 1, different: 1 }
  const told = await fixture.read((tx) => readRechecks(tx, 9))
  assert.deepEqual(
    { ...told, byWorker: told?.byWorker.map((one) => ({ ...one })) },
    {
      ...sums,
      unused: 0,
      open: 0,
      byWorker: [{ worker: 'aaaa', name: null, ...sums }],
    },
  )
  const { sites } = await fixture.read((tx) => frontierQueries.totals(tx))
  assert.equal(sites.crawled, 1, 'it is over: what was asked again is not drawn again')
})

onBoth('a page that is gone by then stays as it was collected; one that fails is tried again', 1, async (fixture) => {
  await fixture.report(
    await fixture.visit('aaaa.0'),
    URLS.map((url) => kept(url)),
  )
  const pages = await fixture.pages()
  const failed = { capture: undefined, memory: undefined }
  const gone = samplePage(HOME, { status: 404, outcome: { kind: 'gone', why: 'status-404' }, ...failed })
  const notBefore = fixture.clock.now() + 90_000
  const later = samplePage(URLS[1], { status: -2, outcome: { kind: 'later', why: 'connect', notBefore }, ...failed })
  await fixture.report(await fixture.visit('bbbb.0'), [gone, later, kept(URLS[2])])
  const found = (await fixture.comparisons()).map(({ comparison }) => comparison)
  assert.deepEqual(found, ['different', null, 'equal'])
  assert.deepEqual(await fixture.pages(), pages)
  const again = await fixture.visit('cccc.0')
  assert.deepEqual(agendaOf(again), [URLS[1]])
  await fixture.report(again, [kept(URLS[1])])
  assert.deepEqual((await fixture.comparisons())[1], { url: URLS[1], a: 'aaaa', b: 'cccc', comparison: 'equal' })
  assert.deepEqual(await fixture.marks(), KEPT)
  assert.deepEqual(await fixture.pages(), pages)
  assert.equal(await fixture.documents(), 3)
})

onBoth('the same worker proves nothing, whichever of its threads comes', 1, async (fixture) => {
  await fixture.report(
    await fixture.visit('aaaa.0'),
    URLS.map((url) => kept(url)),
  )
  await fixture.report(
    await fixture.visit('aaaa.1'),
    URLS.map((url) => kept(url)),
  )
  const sums = await fixture.read((tx) => readRechecks(tx, 9))
  assert.deepEqual([sums?.checked, sums?.unused, sums?.open, sums?.byWorker], [0, 3, 0, []])
  assert.equal(await fixture.documents(), 3)
})

const all = URLS.map((url) => kept(url))
const comparisonsOf = async (fixture: Fixture) =>
  (await fixture.comparisons()).map(({ b, comparison }) => [b, comparison])

onBoth(
  'the site goes to another worker, whoever asks first, and whomever it leans to',
  1,
  async (fixture) => {
    await fixture.report(await fixture.visit('aaaa.0'), all)
    await fixture.clock.sleep(65_000)
    for (let asked = 0; asked < 3; asked++) {
      const { visits, next } = await fixture.frontier.checkOut('aaaa.1', 5)
      assert.deepEqual(visits, [])
      assert.ok(next !== 'over' && next > 0, 'it is not there for who asks again at once')
    }
    await fixture.report(await fixture.visit('bbbb.0'), all)
    assert.deepEqual(await comparisonsOf(fixture), Array(3).fill(['bbbb', 'equal']))
  },
  ['aaaa', 'bbbb'],
)

onBoth(
  'but it does not wait for ever for another',
  1,
  async (fixture) => {
    await fixture.report(await fixture.visit('aaaa.0'), all)
    await fixture.clock.sleep(600_000)
    assert.deepEqual((await fixture.frontier.checkOut('aaaa.1', 5)).visits, [])
    await fixture.clock.sleep(65_000)
    await fixture.report(await fixture.visit('aaaa.1'), all)
    assert.deepEqual(await comparisonsOf(fixture), Array(3).fill(['aaaa', 'unused']))
  },
  ['aaaa', 'bbbb'],
)

onBoth(
  'another finds it soon, also when the one that may not have it has looked just before, each time',
  1,
  async (fixture) => {
    await fixture.report(await fixture.visit('aaaa.0'), all)
    await fixture.clock.sleep(65_000)
    const found: number[] = []
    for (let asked = 0; asked < 4; asked++) {
      assert.deepEqual((await fixture.frontier.checkOut('aaaa.1', 5)).visits, [])
      await fixture.clock.sleep(500)
      found.push((await fixture.frontier.checkOut('bbbb.0', 5)).visits.length)
      await fixture.clock.sleep(500)
    }
    assert.ok(found.slice(0, 2).includes(1), `${found}`)
  },
  ['aaaa', 'bbbb'],
)

onBoth(
  'two that have both brought something do not wait for each other',
  1,
  async (fixture) => {
    await fixture.report(await fixture.visit('aaaa.0'), [kept(HOME)])
    await fixture.clock.sleep(20_000)
    const later = [kept(URLS[1]), kept(URLS[2])].map((page) => ({ ...page, at: fixture.clock.now() }))
    await fixture.report(await fixture.visit('bbbb.0'), later)
    await fixture.clock.sleep(100_000)
    assert.deepEqual((await fixture.frontier.checkOut('aaaa.1', 5)).visits, [])
    await fixture.report(await fixture.visit('bbbb.1'), all)
    assert.ok(fixture.clock.now() < NOON + 130_000)
    assert.deepEqual(await comparisonsOf(fixture), [
      ['bbbb', 'equal'],
      ['bbbb', 'unused'],
      ['bbbb', 'unused'],
    ])
  },
  ['aaaa', 'bbbb'],
)

onBoth(
  'where there is no other worker it does not wait at all',
  1,
  async (fixture) => {
    await fixture.report(await fixture.visit('aaaa.0'), all)
    await fixture.clock.sleep(65_000)
    assert.equal((await fixture.frontier.checkOut('aaaa.1', 5)).visits.length, 1)
  },
  ['aaaa'],
)

onBoth('with a share of 0 nobody is asked twice', 0, async (fixture) => {
  await fixture.report(
    await fixture.visit('aaaa.0'),
    URLS.map((url) => kept(url)),
  )
  assert.equal(await fixture.read((tx) => readRechecks(tx, 9)), undefined)
  const { sites } = await fixture.read((tx) => frontierQueries.totals(tx))
  assert.equal(sites.crawled, 1)
})

test('a share is a share', async () => {
  const rechecks = new Rechecks({ share: 0.01, salt: 'any', clock: jumpingClock(NOON), schedule: async () => {} })
  const database = openSqlite(':memory:')
  const pages = Array.from({ length: 20_000 }, (_, n) => kept(`${HOME}${n}`))
  await database.transact(async (tx) => {
    await queries(tx).run(
      `INSERT INTO site (key, bucket, name, state, since, rank, worker) VALUES (?, 0, 'a.test', 'leased', 0, 0, 'w.1')`,
      BigInt.asIntN(64, hash64('a.test')),
    )
    const checked = (await rechecks.check(tx, [sampleReport('a.test', 1, pages)]))!
    await checked.applied(['stale'])
    assert.equal(await readRechecks(tx, 1), undefined, 'of what does not count nothing is drawn')
    await checked.applied(['applied'])
    const { open } = (await readRechecks(tx, 1))!
    assert.ok(open > 140 && open < 260, String(open))
  })
  await database.close()
})

const memory = (digest: string, textDigest: bigint, simhash: bigint) => ({ digest, textDigest, simhash })

test('compares bytes, then words, then most of the words', () => {
  assert.equal(likeness(memory('x', 1n, 1n), memory('x', 2n, ~1n)), 'equal')
  assert.equal(likeness(memory('x', 1n, 0n), memory('y', 1n, 2n ** 64n - 1n)), 'similar')
  assert.equal(likeness(memory('x', 1n, 0n), memory('y', 2n, 0b1111_1111n)), 'similar')
  assert.equal(likeness(memory('x', 1n, 0n), memory('y', 2n, 0b1_1111_1111n)), 'different')
})

test('is symmetric, and the same for signed and unsigned numbers', () => {
  const any = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
  const signed = (one: ReturnType<typeof memory>) =>
    memory(one.digest, BigInt.asIntN(64, one.textDigest), BigInt.asIntN(64, one.simhash))
  fc.assert(
    fc.property(any, any, any, any, (a, b, c, d) => {
      const [one, other] = [memory('x', a, b), memory('y', c, d)]
      assert.equal(likeness(one, other), likeness(other, one))
      assert.equal(likeness(signed(one), other), likeness(one, other))
    }),
  )
})
