/** What every frontier must do with known pages when refreshing. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Outcome } from '../../../src/contracts/outcome.ts'
import type { PageReport } from '../../../src/contracts/report.ts'
import type { Visit } from '../../../src/contracts/visit.ts'
import { queries } from '../../../src/database/queries.ts'
import type { RefreshOptions } from '../../../src/frontier/contract.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import {
  type Bench,
  KEPT,
  link,
  type MakeDatabase,
  openBench,
  PAUSE,
  page,
  part,
  START,
  seedUrl,
} from './tools.contract.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const SAME: Outcome = { kind: 'kept', how: 'same' }
const CHANGED: Outcome = { kind: 'kept', how: 'changed' }
const MISSING: Outcome = { kind: 'gone', why: 'status-404' }
const REFRESH: RefreshOptions = { policy: 'index', newShare: 0.5, minAge: DAY }
const PAGES = ['http://a.test/1', 'http://a.test/2', 'http://a.test/3']

const known = (bench: Bench, url: string) => bench.db.read((tx) => frontierQueries.knownPage(tx, url))
const site = (bench: Bench, name = 'a.test') => bench.db.read((tx) => frontierQueries.site(tx, name))
const urlsOf = ({ agenda }: Visit) => agenda.map(({ url }) => url)

/** A polite visit that fetches its whole agenda now. */
async function look(bench: Bench, outcomeOf: (url: string) => Outcome = () => SAME, more: Partial<PageReport> = {}) {
  const visit = await bench.one()
  const at = bench.clock.now()
  const pages = visit.agenda.map(({ url, depth }) => page(url, outcomeOf(url), { depth, at, ...more }))
  const results = await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
  assert.deepEqual(results, ['applied'])
  return visit
}

/** A site whose pages were collected while refreshing. */
async function collected(make: MakeDatabase, refresh: Partial<RefreshOptions> = {}, urls = PAGES): Promise<Bench> {
  const bench = await openBench(make, { refresh: { ...REFRESH, ...refresh } })
  await bench.admit(...urls.map((url) => link(url)))
  await look(bench, () => KEPT)
  return bench
}

/** A crawl without refreshing collected the pages an hour ago. */
async function crawled(make: MakeDatabase): Promise<Bench> {
  const bench = await openBench(make)
  await bench.admit(...PAGES.map((url) => link(url)))
  await look(bench, () => KEPT)
  bench.clock.pass(HOUR)
  return bench
}

/** Looks until this one page was looked at; the others are found unchanged. Returns the number of visits. */
async function lookAt(bench: Bench, url: string, outcome: Outcome, step = HOUR): Promise<number> {
  for (let visits = 1; visits < 200; visits++) {
    bench.clock.pass(step)
    const { visits: given } = await bench.frontier.checkOut('w1', 1)
    if (given.length === 0) continue
    const [visit] = given
    const at = bench.clock.now()
    const pages = visit.agenda.map((item) => page(item.url, item.url === url ? outcome : SAME, { at }))
    await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
    if (urlsOf(visit).includes(url)) return visits
  }
  throw new Error(`${url} was not looked at`)
}

/** From here on, writing a row of a URL is an error. */
const NO_URL_WRITTEN = {
  sqlite: [`CREATE TRIGGER t UPDATE ON url BEGIN SELECT RAISE(ABORT, 'a URL was written'); END`],
  postgres: [
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''a URL was written''; END'`,
    'CREATE TRIGGER t BEFORE UPDATE ON url FOR EACH ROW EXECUTE FUNCTION refuse()',
  ],
}

export function refreshContract(make: MakeDatabase): void {
  describe('a page that was collected', () => {
    it('is looked at again, keeps its mark, and is counted apart from what waits', async () => {
      const bench = await collected(make)
      const { urls } = await bench.db.read((tx) => frontierQueries.totals(tx))
      assert.deepEqual(urls, { known: 3, marked: 3, waiting: 0, refreshing: 3 })
      assert.equal((await site(bench))?.state, 'waiting')
      bench.clock.pass(HOUR)
      const visit = await look(bench)
      assert.deepEqual(urlsOf(visit).sort(), PAGES)
      assert.equal(visit.limits.pages, 3)
      assert.equal(visit.known, 'too many')
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, PAGES[0])))?.mark, 'kept')
      const row = await known(bench, PAGES[0])
      assert.deepEqual([row?.lookedAt, row?.changes, row?.unchangedMs], [START + HOUR, 0, HOUR])
    })

    it('is not written anew among the URLs when a look finds it as it was', async () => {
      const bench = await collected(make)
      await bench.db.transact(async (tx) => {
        for (const statement of NO_URL_WRITTEN[tx.dialect]) await queries(tx).run(statement)
      })
      bench.clock.pass(HOUR)
      assert.equal(urlsOf(await look(bench)).length, 3)
      assert.equal((await known(bench, PAGES[0]))?.lookedAt, START + HOUR)
    })

    it('is looked at more often the more often it changes', async () => {
      const bench = await collected(make, {}, [...PAGES, 'http://a.test/4', 'http://a.test/5', 'http://a.test/6'])
      // One look a visit: with a pause of an hour a slice has room for one.
      const looks = new Map<string, number>()
      for (let hour = 0; hour < 300; hour++) {
        bench.clock.pass(HOUR)
        const { visits } = await bench.frontier.checkOut('w1', 1)
        for (const visit of visits) {
          const [{ url }] = visit.agenda
          looks.set(url, (looks.get(url) ?? 0) + 1)
          const outcome = url === PAGES[0] && hour % 4 < 2 ? CHANGED : SAME
          const pages = [page(url, outcome, { at: bench.clock.now() })]
          const courtesy = { pause: HOUR, lastAnswerAt: bench.clock.now(), notBefore: bench.clock.now() + HOUR }
          await bench.applyParts(part(bench, visit, 1, { pages, courtesy, ended: 'slice' }))
        }
      }
      const most = looks.get(PAGES[0]) ?? 0
      for (const url of PAGES.slice(1)) assert.ok(most > 1.5 * (looks.get(url) ?? 0), JSON.stringify([...looks]))
      assert.equal(looks.size, 6, 'every page is looked at')
      const rates = await Promise.all([known(bench, PAGES[0]), known(bench, PAGES[1])])
      assert.ok((rates[0]?.rate ?? 0) > 5 * (rates[1]?.rate ?? 0))
    })

    it('teaches a change only from the class on that counts as one', async () => {
      const counted: unknown[] = []
      for (const countsAsChange of ['markup', undefined, 'medium'] as const) {
        const bench = await collected(make, countsAsChange && { countsAsChange })
        for (const change of ['volatile', 'small', 'binary'] as const) {
          bench.clock.pass(HOUR)
          await look(bench, () => CHANGED, { change: { class: change } })
        }
        const row = await known(bench, PAGES[0])
        counted.push([row?.changes, row?.unchangedMs])
      }
      assert.deepEqual(counted, [
        [3, 0],
        [2, HOUR],
        [1, 2 * HOUR],
      ])
    })

    it('is not looked at before it is worth the price, and then soon', async () => {
      const bench = await collected(make)
      const rate = (await known(bench, PAGES[0]))?.rate ?? 0
      // What a look is worth after about ten hours, long before a change is likely: w·λ·τ²/2.
      await bench.db.transact((tx) => bench.ledger.setPrice(tx, (rate * 36_000 ** 2) / 2))
      bench.clock.pass(HOUR)
      assert.deepEqual(await bench.names(), [])
      assert.equal((await site(bench))?.state, 'waiting')
      bench.clock.pass(8 * HOUR)
      assert.deepEqual(await bench.names(), [])
      bench.clock.pass(2 * HOUR)
      assert.deepEqual(await bench.names(), ['a.test'])
    })

    it('is not looked at before that brings some freshness', async () => {
      const bench = await collected(make, { minGain: 1000 })
      bench.clock.pass(HOUR / 2)
      assert.deepEqual(await bench.names(), [])
      // A page that changes once in 30 days: λ·τ²/2 is a second after 38 minutes.
      bench.clock.pass(HOUR / 4)
      assert.deepEqual(await bench.names(), ['a.test'])
    })

    it('has a rate that the simulation gives', async () => {
      const bench = await collected(make, { rateOf: (url) => (url === PAGES[0] ? 0.001 : undefined) })
      await lookAt(bench, PAGES[0], CHANGED)
      assert.equal((await known(bench, PAGES[0]))?.rate, 0.001)
    })

    it('has the weight that it has now', async () => {
      let weight = 2
      const bench = await collected(make, { weightOf: () => weight })
      assert.equal((await known(bench, PAGES[0]))?.weight, 2)
      weight = 5
      await lookAt(bench, PAGES[0], SAME)
      assert.equal((await known(bench, PAGES[0]))?.weight, 5)
    })

    it('takes turns with the others in round robin', async () => {
      const bench = await collected(make, { policy: 'round-robin' })
      const courtesy = () => ({ pause: HOUR, lastAnswerAt: bench.clock.now(), notBefore: bench.clock.now() + HOUR })
      const order: string[] = []
      for (let turn = 0; turn < 9; turn++) {
        bench.clock.pass(HOUR)
        const visit = await bench.one()
        order.push(...urlsOf(visit))
        const pages = visit.agenda.map(({ url }) => page(url, SAME, { at: bench.clock.now() }))
        await bench.applyParts(part(bench, visit, 1, { pages, courtesy: courtesy(), ended: 'slice' }))
      }
      const last = order.slice(-6)
      assert.deepEqual(new Set(last.slice(0, 3)), new Set(PAGES))
      assert.deepEqual(last.slice(0, 3), last.slice(3))
    })

    for (const policy of ['proportional', 'nutch-adaptive'] as const)
      it(`has an interval by ${policy}, shorter when it changes`, async () => {
        const bench = await collected(make, { policy })
        const intervalOf = async (url: string) => {
          const row = await known(bench, url)
          return (row?.refreshAt ?? 0) - (row?.lookedAt ?? 0)
        }
        for (let day = 0; day < 10; day++) {
          bench.clock.pass(DAY)
          const { visits } = await bench.frontier.checkOut('w1', 1)
          for (const visit of visits) {
            const at = bench.clock.now()
            const pages = visit.agenda.map(({ url }) => page(url, url === PAGES[0] ? CHANGED : SAME, { at }))
            await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
          }
        }
        assert.ok((await intervalOf(PAGES[0])) < (await intervalOf(PAGES[1])) / 2)
      })
  })

  it('psp plans intervals for a month, within what politeness allows, and plans anew', async () => {
    const bench = await openBench(make, { refresh: { ...REFRESH, policy: 'psp' }, defaultPause: () => 6 * HOUR })
    await bench.admit(...PAGES.map((url) => link(url)))
    await look(bench, () => KEPT)
    const intervals = () =>
      Promise.all(
        PAGES.map(async (url) => {
          const row = await known(bench, url)
          return (row?.refreshAt ?? 0) - (row?.lookedAt ?? 0)
        }),
      )
    const first = await intervals()
    assert.ok(Math.max(...first) < 1.05 * Math.min(...first), 'nothing is known of the pages yet')
    let looks = 0
    for (let hour = 0; hour < 40 * 24; hour += 6) {
      bench.clock.pass(6 * HOUR)
      for (const visit of (await bench.frontier.checkOut('w1', 1)).visits) {
        const at = bench.clock.now()
        looks += visit.agenda.length
        const pages = visit.agenda.map(({ url }, nth) =>
          page(url, url === PAGES[0] && (looks + nth) % 2 === 0 ? CHANGED : SAME, { at }),
        )
        await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
      }
    }
    const planned = await intervals()
    assert.ok(planned[0] < planned[1] && planned[0] < planned[2], planned.join())
    // T/(x + 1), so that each page has one look more than its share.
    assert.ok(planned.reduce((sum, ms) => sum + 1 / ms, 0) <= 1.05 / (6 * HOUR))
  })

  describe('new URLs and known pages', () => {
    it('share a visit, and new ones come first if the operator says so', async () => {
      for (const [newShare, fresh] of [
        [0.5, 5],
        ['first', 9],
      ] as const) {
        const urls = Array.from({ length: 12 }, (_, at) => `http://a.test/known${at}`)
        const bench = await openBench(make, { refresh: { ...REFRESH, newShare } })
        await bench.admit(...urls.slice(0, 10).map((url) => link(url)))
        await look(bench, () => KEPT)
        await bench.admit(...Array.from({ length: fresh }, (_, at) => link(`http://a.test/new${at}`)))
        bench.clock.pass(HOUR)
        const visit = await bench.one()
        assert.equal(visit.agenda.length, 10)
        assert.equal(visit.agenda.filter(({ url }) => url.includes('new')).length, newShare === 'first' ? 9 : 5)
      }
    })

    it('are a crawl again without refreshing, which ends', async () => {
      const bench = await collected(make)
      const crawl = await bench.restart({ refresh: undefined })
      crawl.clock.pass(HOUR)
      assert.deepEqual(await crawl.frontier.checkOut('w1', 5), { visits: [], next: 'over' })
      assert.equal((await site(crawl))?.state, 'crawled')
      await crawl.admit(link('http://a.test/4'))
      const visit = await crawl.one()
      assert.deepEqual(urlsOf(visit), ['http://a.test/4'])
      await crawl.applyParts(part(crawl, visit, 1, { pages: [page('http://a.test/4')], ended: 'done' }))
      assert.equal((await crawl.frontier.checkOut('w1', 5)).next, 'over')
      // Refreshing begins again: the page that the crawl brought is enrolled, too.
      const again = await crawl.restart({ refresh: REFRESH })
      while (await again.db.transact((tx) => again.ledger.enrol(tx, 2)));
      assert.equal((await site(again))?.state === 'waiting' || (await site(again))?.state === 'free', true)
      assert.notEqual(await known(again, 'http://a.test/4'), undefined)
    })
  })

  it('a command beside the servers, as one that adds seeds, does not end their refresh', async () => {
    const bench = await collected(make)
    const beside = await bench.restart({
      refresh: undefined,
      leasesOutlive: true,
      besideServers: { isRefreshing: true },
    })
    await beside.db.transact((tx) => beside.ledger.seed(tx, [seedUrl('http://b.test/')]))
    assert.equal((await site(beside))?.state, 'waiting')
    const server = await beside.restart({ refresh: REFRESH })
    server.clock.pass(HOUR)
    const { visits } = await server.frontier.checkOut('w1', 5)
    assert.deepEqual(visits.flatMap(urlsOf).sort(), [...PAGES, 'http://b.test/'])
  })

  it('a crawl does not take a site for due because a known page was', async () => {
    const bench = await collected(make)
    const notBefore = bench.clock.now() + 9 * DAY
    await bench.admit(link('http://a.test/4'))
    bench.clock.pass(HOUR)
    await look(bench, (url) => (url.endsWith('4') ? { kind: 'later', why: 'reset', notBefore } : SAME))
    const crawl = await bench.restart({ refresh: undefined })
    crawl.clock.pass(8 * DAY)
    assert.deepEqual(await crawl.names(), [])
    crawl.clock.pass(2 * DAY)
    assert.deepEqual(urlsOf(await crawl.one()), ['http://a.test/4'])
  })

  it('a known page that a crawl scheduled is counted right when refreshing goes on', async () => {
    const bench = await collected(make)
    const crawl = await bench.restart({ refresh: undefined })
    await crawl.db.transact((tx) => crawl.ledger.schedule(tx, [{ url: PAGES[0], dueAt: crawl.clock.now() }]))
    for (const outcome of [SAME, MISSING]) {
      const again = await crawl.restart({ refresh: REFRESH })
      again.clock.pass(HOUR)
      await look(again, (url) => (url === PAGES[0] ? outcome : SAME))
      const { urls } = await again.db.read((tx) => frontierQueries.totals(tx))
      assert.deepEqual(urls, { known: 3, marked: 3, waiting: 0, refreshing: 3 })
    }
    const last = await crawl.restart({ refresh: undefined })
    last.clock.pass(HOUR)
    assert.deepEqual(await last.frontier.checkOut('w1', 5), { visits: [], next: 'over' })
  })

  describe('a collection that was made by a crawl', () => {
    it('is enrolled step by step, its first looks spread, and not twice', async () => {
      const bench = await openBench(make)
      const urls = Array.from({ length: 20 }, (_, at) => `http://a.test/${at}`)
      await bench.admit(...urls.map((url) => link(url)), link('http://b.test/'), link('http://c.test/'))
      for (const _ of [1, 2, 3, 4]) {
        for (const visit of (await bench.frontier.checkOut('w1', 5)).visits) {
          const missing = visit.site === 'c.test'
          const pages = visit.agenda.map(({ url }) => page(url, missing ? MISSING : KEPT))
          await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' }))
        }
        bench.clock.pass(HOUR)
      }
      const refresh = await bench.restart({ refresh: REFRESH })
      refresh.clock.pass(HOUR)
      assert.deepEqual(await refresh.names(), [])
      let calls = 1
      while (await refresh.db.transact((tx) => refresh.ledger.enrol(tx, 5))) calls++
      assert.ok(calls >= 4 && calls <= 6, `${calls} calls`)
      assert.equal(await refresh.db.transact((tx) => refresh.ledger.enrol(tx, 5)), false)
      assert.equal((await refresh.db.read((tx) => frontierQueries.totals(tx))).urls.refreshing, 21)
      assert.equal(await known(refresh, 'http://c.test/'), undefined)
      const dues = await Promise.all(urls.map(async (url) => (await known(refresh, url))?.refreshAt ?? 0))
      const now = refresh.clock.now()
      // Twenty pages at half the polite rate.
      for (const due of dues) assert.ok(due >= now && due <= now + 20 * 2 * (PAUSE + 500), `${due - now}`)
      assert.ok(new Set(dues).size > 15)
      refresh.clock.pass(DAY)
      assert.deepEqual(new Set(await refresh.names()), new Set(['a.test', 'b.test']))
    })

    it('is looked at once and over, when that is wanted', async () => {
      const bench = await crawled(make)
      const once = await bench.restart({ refresh: { ...REFRESH, once: bench.clock.now() } })
      once.clock.pass(HOUR)
      const early = await once.frontier.checkOut('w1', 5)
      assert.deepEqual(early.visits, [])
      assert.notEqual(early.next, 'over', 'nothing is enrolled yet')
      while (await once.db.transact((tx) => once.ledger.enrol(tx, 2)));
      const visit = await look(once, (url) => (url === PAGES[0] ? CHANGED : url === PAGES[1] ? MISSING : SAME))
      assert.deepEqual(urlsOf(visit).sort(), PAGES)
      once.clock.pass(DAY)
      assert.deepEqual(await once.frontier.checkOut('w1', 5), { visits: [], next: 'over' })
    })

    it('goes on where it was when a pass is interrupted, though a millisecond passes meanwhile', async () => {
      const bench = await crawled(make)
      const refresh = { ...REFRESH, once: bench.clock.now() }
      const once = await bench.restart({ refresh })
      for (const _ of [1, 2]) assert.equal(await once.db.transact((tx) => once.ledger.enrol(tx, 1)), true)
      let ticks = 0
      const now = () => bench.clock.now() + ticks++
      const again = await once.restart({ refresh, clock: { ...bench.clock, now } })
      assert.equal(await again.db.transact((tx) => again.ledger.enrol(tx, 1)), true)
      assert.equal(await again.db.transact((tx) => again.ledger.enrol(tx, 1)), false)
    })

    it('is over though a site does not answer; later its pages are asked for again', async () => {
      const bench = await crawled(make)
      const once = await bench.restart({ refresh: { ...REFRESH, once: bench.clock.now() } })
      while (await once.db.transact((tx) => once.ledger.enrol(tx, 2)));
      once.clock.pass(HOUR)
      const visit = await once.one()
      const pages = [
        page(visit.agenda[0].url, { kind: 'gone', why: 'no-such-name' }, { at: once.clock.now(), status: 0 }),
      ]
      await once.applyParts(part(once, visit, 1, { pages, ended: 'given-up' }))
      assert.equal((await site(once))?.state, 'crawled')
      assert.deepEqual(await once.frontier.checkOut('w1', 5), { visits: [], next: 'over' })
      const again = await once.restart({ refresh: REFRESH })
      while (await again.db.transact((tx) => again.ledger.enrol(tx, 2)));
      again.clock.pass(HOUR)
      assert.deepEqual(await again.names(), ['a.test'])
    })
  })

  describe('a known page that can not be had', () => {
    it('is missing for days before it is gone; the server may say "gone" at once', async () => {
      const bench = await collected(make)
      await lookAt(bench, PAGES[0], MISSING)
      const first = await known(bench, PAGES[0])
      assert.deepEqual([first?.failures, first?.changes], [1, 0])
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, PAGES[0])))?.mark, 'kept')
      await lookAt(bench, PAGES[0], MISSING)
      await lookAt(bench, PAGES[0], MISSING)
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, PAGES[0])))?.mark, 'gone')
      assert.equal(await known(bench, PAGES[0]), undefined)
      await lookAt(bench, PAGES[1], { kind: 'gone', why: 'status-410' })
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, PAGES[1])))?.mark, 'gone')
      assert.equal((await bench.db.read((tx) => frontierQueries.totals(tx))).urls.refreshing, 1)
    })

    it('is not gone when it is missing once after it was out of reach for days', async () => {
      const bench = await collected(make)
      for (let failures = 1; failures <= 4; failures++) {
        await lookAt(bench, PAGES[0], { kind: 'later', why: 'status-503', notBefore: bench.clock.now() + 2 * DAY })
        assert.equal((await known(bench, PAGES[0]))?.failures, failures)
      }
      await lookAt(bench, PAGES[0], MISSING)
      assert.equal((await known(bench, PAGES[0]))?.failures, 1)
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, PAGES[0])))?.mark, 'kept')
    })

    it('is looked for under its other spelling when it is gone', async () => {
      const bench = await collected(make, {}, ['http://a.test/index.html'])
      await bench.admit(link('http://a.test/'))
      await lookAt(bench, 'http://a.test/index.html', { kind: 'gone', why: 'status-410' })
      bench.clock.pass(HOUR)
      assert.deepEqual(urlsOf(await bench.one()), ['http://a.test/'])
      assert.equal((await bench.db.read((tx) => frontierQueries.totals(tx))).urls.refreshing, 0)
    })

    it('moved to another spelling of its own URL, and is fetched there', async () => {
      const bench = await collected(make, {}, ['http://a.test/1?PHPSESSID=3'])
      await lookAt(bench, 'http://a.test/1?PHPSESSID=3', { kind: 'moved', to: 'http://a.test/1' })
      bench.clock.pass(HOUR)
      assert.deepEqual(urlsOf(await bench.one()), ['http://a.test/1'])
      const { urls } = await bench.db.read((tx) => frontierQueries.totals(tx))
      assert.deepEqual(urls, { known: 1, marked: 0, waiting: 1, refreshing: 0 })
    })

    it('that comes back starts from nothing', async () => {
      const bench = await collected(make)
      await lookAt(bench, PAGES[0], MISSING)
      await lookAt(bench, PAGES[0], SAME)
      assert.equal((await known(bench, PAGES[0]))?.failures, 0)
    })

    it('is unreachable or refused now: it stays known and is asked for later', async () => {
      const bench = await collected(make)
      await lookAt(bench, PAGES[0], { kind: 'later', why: 'status-503', notBefore: bench.clock.now() + DAY })
      await lookAt(bench, PAGES[1], { kind: 'refused', by: 'robots', rule: '/' })
      const [unreachable, refused] = await Promise.all([known(bench, PAGES[0]), known(bench, PAGES[1])])
      assert.equal(unreachable?.failures, 1)
      assert.ok((refused?.refreshAt ?? 0) >= bench.clock.now() + 7 * DAY - HOUR)
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, PAGES[1])))?.mark, 'kept')
      await lookAt(bench, PAGES[0], SAME)
      await lookAt(bench, PAGES[1], CHANGED)
      assert.equal((await known(bench, PAGES[1]))?.changes, 1)
    })

    it('its site is not barred while it has known pages', async () => {
      const bench = await collected(make)
      bench.clock.pass(HOUR)
      const visit = await bench.one()
      await bench.applyParts(part(bench, visit, 1, { pages: [], ended: 'given-up' }))
      assert.equal((await site(bench))?.state, 'waiting')
      bench.clock.pass(6 * DAY)
      assert.deepEqual(await bench.names(), [])
      bench.clock.pass(DAY + HOUR)
      assert.deepEqual(await bench.names(), ['a.test'])
    })
  })

  it('known pages of a site that a crawl gave up are looked at when the operator names it again', async () => {
    const bench = await collected(make)
    const crawl = await bench.restart({ refresh: undefined })
    await crawl.admit(link('http://a.test/4'))
    crawl.clock.pass(HOUR)
    const pages = [page('http://a.test/4')]
    await crawl.applyParts(part(crawl, await crawl.one(), 1, { pages, ended: 'given-up' }))
    assert.equal((await site(crawl))?.state, 'barred')
    const again = await crawl.restart({ refresh: REFRESH })
    while (await again.db.transact((tx) => again.ledger.enrol(tx, 2)));
    assert.equal(await again.db.transact((tx) => again.ledger.tryAgain(tx, [seedUrl(PAGES[0])])), 1)
    again.clock.pass(DAY)
    assert.deepEqual(await again.names(), ['a.test'])
  })

  describe('a look', () => {
    it('that was lost with its worker changes nothing, and one that is applied again is not counted again', async () => {
      const bench = await collected(make)
      bench.clock.pass(HOUR)
      await bench.one()
      const before = await known(bench, PAGES[0])
      bench.clock.pass(DAY)
      await bench.db.transact((tx) => bench.ledger.reap(tx))
      assert.deepEqual(await known(bench, PAGES[0]), before)
      bench.clock.pass(HOUR)
      const visit = await bench.one()
      const pages = visit.agenda.map(({ url }) => page(url, CHANGED, { at: bench.clock.now() }))
      const report = part(bench, visit, 1, { pages, ended: 'done' })
      assert.deepEqual(await bench.applyParts(report, { ...report }), ['applied', 'again'])
      assert.deepEqual(await bench.applyParts(report), ['again'])
      const after = await known(bench, PAGES[0])
      assert.deepEqual([after?.changes, after?.changedMs], [1, DAY + 2 * HOUR])
    })

    it('is given back with its visit', async () => {
      const bench = await collected(make)
      bench.clock.pass(HOUR)
      const visit = await bench.one()
      await bench.db.transact((tx) => bench.ledger.giveBack(tx, [visit.id]))
      assert.deepEqual(urlsOf(await bench.one()).sort(), PAGES)
    })
  })

  describe('a hint', () => {
    it('makes a page due, unless it was looked at lately or since', async () => {
      const counted: string[] = []
      const bench = await collected(make, { onHint: (result) => counted.push(result) })
      const give = (url: string) => bench.admit({ ...link(url), lastmod: bench.clock.now() })
      await bench.db.transact((tx) => bench.ledger.setPrice(tx, 1e12))
      bench.clock.pass(HOUR)
      await give(PAGES[0])
      assert.deepEqual(counted, ['discarded'])
      bench.clock.pass(DAY)
      assert.deepEqual(await bench.names(), [])
      await give(PAGES[0])
      assert.deepEqual(counted, ['discarded', 'performed'])
      const visit = await look(bench, () => CHANGED)
      assert.deepEqual(urlsOf(visit), [PAGES[0]])
    })

    it('comes from a newer date in a sitemap, and is counted', async () => {
      const counted: string[] = []
      const bench = await collected(make, { onHint: (result) => counted.push(result) })
      await bench.db.transact((tx) => bench.ledger.setPrice(tx, 1e12))
      bench.clock.pass(2 * DAY)
      assert.deepEqual(await bench.names(), [])
      await bench.admit({ ...link(PAGES[1]), lastmod: bench.clock.now() - HOUR })
      assert.deepEqual(counted, ['performed'])
      assert.deepEqual(urlsOf(await bench.one()), [PAGES[1]])
      await bench.admit({ ...link(PAGES[0]), lastmod: START - DAY }, { ...link('http://a.test/9'), lastmod: START })
      assert.deepEqual(counted.sort(), ['discarded', 'new', 'performed'])
    })
  })

  it('sites with many URLs are checked out together, for a visit with looks carries no keys', async () => {
    const bench = await openBench(make, { refresh: REFRESH })
    const names = ['a.test', 'b.test', 'c.test']
    await bench.admit(...names.map((name) => link(`http://${name}/`)))
    for (const _ of names) await look(bench, () => KEPT)
    await bench.db.transact((tx) => queries(tx).run('UPDATE site SET known = 60000'))
    bench.clock.pass(HOUR)
    assert.deepEqual((await bench.names()).sort(), names)
  })

  it('hints of a site that were mostly wrong are discarded', async () => {
    const counted: string[] = []
    const bench = await collected(make, { onHint: (result) => counted.push(result) })
    const hinted = () => PAGES.map((url) => ({ ...link(url), lastmod: bench.clock.now() }))
    for (let tried = 0; tried < 21; tried += 3) {
      bench.clock.pass(DAY + 1)
      await bench.admit(...hinted())
      await look(bench)
    }
    assert.deepEqual(new Set(counted), new Set(['performed']))
    bench.clock.pass(DAY + 1)
    counted.length = 0
    await bench.admit(...hinted())
    assert.deepEqual(new Set(counted), new Set(['discarded']))
    const wrong = { right: 0, wrong: 21, unannounced: 0 }
    const figures = await bench.db.read((tx) => frontierQueries.hintFigures(tx, 5))
    assert.deepEqual(figures, { sites: 1, all: wrong, bySite: [{ site: 'a.test', ...wrong }] })
    bench.clock.pass(DAY)
    await look(bench, () => CHANGED)
    const { all, bySite } = await bench.db.read((tx) => frontierQueries.hintFigures(tx, 0))
    assert.deepEqual([all.wrong, all.unannounced > 0, bySite], [21, true, []])
  })

  it('a look that seems older than the last, by the clock of a worker, counts as one of now', async () => {
    const bench = await collected(make)
    bench.clock.pass(HOUR)
    await look(bench, () => SAME, { at: START - DAY })
    const row = await known(bench, PAGES[0])
    assert.deepEqual([row?.lookedAt, row?.unchangedMs], [bench.clock.now(), HOUR])
  })

  it('no server and no worker puts off a look for longer than a week', async () => {
    const bench = await collected(make)
    await lookAt(bench, PAGES[0], { kind: 'later', why: 'status-503', notBefore: bench.clock.now() + 900 * DAY })
    assert.equal((await known(bench, PAGES[0]))?.refreshAt, bench.clock.now() + 7 * DAY)
  })

  it('a look in the future, by the clock of a worker, counts as one of now', async () => {
    const bench = await collected(make)
    bench.clock.pass(HOUR)
    await look(bench, () => SAME, { at: bench.clock.now() + 900 * DAY })
    assert.equal((await known(bench, PAGES[0]))?.lookedAt, bench.clock.now())
  })

  it('a planned time may be earlier or later than the one before', async () => {
    const bench = await collected(make)
    const schedule = (dueAt: number) => bench.db.transact((tx) => bench.ledger.schedule(tx, [{ url: PAGES[0], dueAt }]))
    await schedule(bench.clock.now() + 9 * DAY)
    assert.equal((await known(bench, PAGES[0]))?.refreshAt, bench.clock.now() + 9 * DAY)
    await schedule(bench.clock.now() + DAY)
    assert.equal((await known(bench, PAGES[0]))?.refreshAt, bench.clock.now() + DAY)
    assert.equal((await bench.db.read((tx) => frontierQueries.totals(tx))).urls.waiting, 0)
  })
}
