/** What every ledger must do, on whatever database. `sqlite/contracts.test.ts` runs it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Outcome } from '../../../src/contracts/outcome.ts'
import type { PageReport } from '../../../src/contracts/report.ts'
import { freshMemory } from '../../../src/contracts/site-memory.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { giveBackContract } from './give-back.contract.ts'
import {
  type Bench,
  LEASE,
  link,
  type MakeDatabase,
  openBench,
  PAUSE,
  page,
  part,
  START,
  whole,
} from './tools.contract.ts'
import { withdrawnContract } from './withdrawn.contract.ts'

const view = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))
const viewUrl = (bench: Bench, url: string) => bench.db.read((tx) => frontierQueries.url(tx, url))
const totals = (bench: Bench) => bench.db.read((tx) => frontierQueries.totals(tx))

export function ledgerContract(make: MakeDatabase): void {
  withdrawnContract(make)
  describe('admit', () => {
    it('enqueues a URL once, ever, also when it was marked long ago (C1)', async () => {
      const bench = await openBench(make)
      assert.equal(await bench.admit(link('a.test/1'), link('a.test/1'), link('a.test/2')), 2)
      assert.equal(await bench.admit(link('a.test/1')), 0)
      const visit = await bench.one()
      await bench.applyParts(whole(bench, visit))
      assert.equal(await bench.admit(link('a.test/1'), link('a.test/2')), 0)
      assert.equal((await view(bench, 'a.test'))?.state, 'crawled')
      assert.equal((await viewUrl(bench, 'http://a.test/1'))?.mark, 'kept')
    })

    it('queues in the order given, whatever the keys are', async () => {
      const bench = await openBench(make, { slice: { pages: 100, time: 1 } })
      const urls = Array.from({ length: 50 }, (_, i) => `http://a.test/${i}`)
      await bench.admit(...urls.slice(0, 30).map((url) => link(url)))
      await bench.admit(...urls.slice(30).map((url) => link(url)))
      assert.deepEqual(
        (await bench.one()).agenda.map((item) => item.url),
        urls,
      )
    })

    it('hands on depth, path, referrer and time', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const home = await bench.one()
      assert.deepEqual(home.agenda[0], {
        url: 'http://a.test/',
        key: home.agenda[0].key,
        depth: 0,
        dueAt: START,
        tries: 0,
        path: '',
      })
      bench.clock.pass(10)
      const crossSite = [link('b.test/x', 'http://a.test/', 3)]
      await bench.applyParts(whole(bench, home, { crossSite }))
      const [item] = (await bench.one()).agenda
      assert.equal(item.via, 'http://a.test/')
      assert.deepEqual([item.depth, item.path, item.dueAt], [3, 'L', START + 10])
    })

    it('remembers seeds; one given again changes nothing', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      await bench.applyParts(whole(bench, await bench.one()))
      await bench.seed('a.test/', 'b.test/')
      await bench.admit(link('c.test/'))
      const seeds = await bench.db.read((tx) => frontierQueries.firstSeeds(tx))
      assert.deepEqual(
        seeds.map(({ url }) => url),
        ['http://a.test/', 'http://b.test/'],
      )
      assert.equal((await view(bench, 'a.test'))?.seed, true)
      assert.equal((await view(bench, 'c.test'))?.seed, false)
      assert.equal((await viewUrl(bench, 'http://b.test/'))?.seed, true)
      assert.equal((await totals(bench)).urls.known, 3)
    })

    it('wakes a crawled site, which still waits its pause', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      await bench.applyParts(whole(bench, await bench.one()))
      await bench.admit(link('a.test/new'))
      assert.equal((await view(bench, 'a.test'))?.state, 'waiting')
      assert.deepEqual(await bench.names(), [])
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names(), ['a.test'])
    })
  })

  describe('lastmod', () => {
    const at = (text: string, lastmod: number) => ({ ...link(text), lastmod })
    const dueCache = async (bench: Bench) =>
      (await bench.one()).agenda.map(({ url, hint }) => [url.slice('http://a.test/'.length), hint])

    it('is handed on as a hint; a newer one counts, an older one does not, nonsense is none', async () => {
      const bench = await openBench(make)
      await bench.admit(at('a.test/1', 100.5), at('a.test/2', 100), link('a.test/3'), at('a.test/4', 1e300))
      await bench.admit(at('a.test/1', 200), at('a.test/2', 50), at('a.test/3', -5), at('a.test/4', Number.NaN))
      assert.deepEqual(await dueCache(bench), [
        ['1', 200],
        ['2', 100],
        ['3', -5],
        ['4', undefined],
      ])
    })

    it('of a known URL comes with what a visit found, too', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const found = [at('a.test/1', 300), at('a.test/2', 400), at('a.test/3', 500)]
      await bench.applyParts(part(bench, await bench.one(), 1, { pages: [page('a.test/1')], found, ended: 'slice' }))
      await bench.db.transact((tx) => bench.ledger.schedule(tx, [{ url: 'http://a.test/1', dueAt: START }]))
      bench.clock.pass(PAUSE)
      assert.deepEqual(await dueCache(bench), [
        ['2', 400],
        ['3', 500],
        ['1', 300],
      ])
    })
  })

  describe('slow', () => {
    it('puts a site behind all others, whatever the order says', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      bench.clock.pass(10)
      await bench.admit(link('b.test/'))
      const learnt = { slow: { rule: 'likeness', like: 'c.test' } }
      await bench.applyParts(part(bench, visit, 1, { pages: [page('a.test/1')], learnt, ended: 'slice' }))
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names('w1', 1), ['b.test'])
      assert.deepEqual(await bench.names('w1', 1), ['a.test'])
      assert.equal((await view(bench, 'a.test'))?.deferral, 1)
    })
  })

  describe('applyParts', () => {
    const cases: [Outcome, string][] = [
      [{ kind: 'kept', how: 'first' }, 'kept'],
      [{ kind: 'moved', to: 'http://b.test/' }, 'moved'],
      [{ kind: 'refused', by: 'robots', rule: '/x' }, 'refused'],
      [{ kind: 'refused', by: 'hazard', rule: 'maze /a/*', held: true }, 'held'],
      [{ kind: 'gone', why: 'status-404' }, 'gone'],
      [{ kind: 'later', why: 'status-503', notBefore: START + 90_000 }, 'waiting'],
    ]
    for (const [outcome, mark] of cases)
      it(`marks a page that is ${outcome.kind}, once`, async () => {
        const bench = await openBench(make)
        await bench.seed('a.test/')
        const visit = await bench.one()
        const pages = [page('a.test/', outcome), page('a.test/found', outcome)]
        assert.deepEqual(await bench.applyParts(part(bench, visit, 1, { pages, ended: 'done' })), ['applied'])
        assert.equal((await viewUrl(bench, 'http://a.test/'))?.mark, mark)
        assert.equal((await viewUrl(bench, 'http://a.test/found'))?.mark, mark)
        const { urls } = await totals(bench)
        assert.deepEqual(
          urls,
          mark === 'waiting'
            ? { known: 2, marked: 0, waiting: 2, refreshing: 0 }
            : { known: 2, marked: 2, waiting: 0, refreshing: 0 },
        )
        assert.equal((await view(bench, 'a.test'))?.state, mark === 'waiting' ? 'waiting' : 'crawled')
      })

    it('puts a page for later at the back, with its tries, and not before its time', async () => {
      const bench = await openBench(make, { slice: { pages: 2, time: 1 } })
      await bench.admit(link('a.test/1'), link('a.test/2'), link('a.test/3'))
      const visit = await bench.one()
      const later = page('a.test/1', { kind: 'later', why: 'reset', notBefore: START + 9_000 }, { tries: 1 })
      await bench.applyParts(part(bench, visit, 1, { pages: [later, page('a.test/2')], ended: 'slice' }))
      bench.clock.pass(PAUSE)
      const second = await bench.one()
      assert.deepEqual(
        second.agenda.map((item) => item.url),
        ['http://a.test/3'],
      )
      await bench.applyParts(whole(bench, second))
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: 9_000 - 2 * PAUSE })
      bench.clock.pass(9_000 - 2 * PAUSE)
      const [item] = (await bench.one()).agenda
      assert.deepEqual([item.url, item.tries, item.dueAt], ['http://a.test/1', 1, START + 9_000])
    })

    it('keeps errands out of the queue', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      const robots: PageReport = page('a.test/robots.txt', undefined, { ownRequest: true })
      await bench.applyParts(part(bench, visit, 1, { pages: [robots] }))
      assert.equal(await viewUrl(bench, 'http://a.test/robots.txt'), undefined)
      assert.deepEqual((await totals(bench)).urls, { known: 1, marked: 0, waiting: 1, refreshing: 0 })
    })

    it('applies each part once, in order, whatever order they come in', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      const [first, second, last] = [
        part(bench, visit, 1, { pages: [page('a.test/')] }),
        part(bench, visit, 2, { pages: [page('a.test/2')] }),
        part(bench, visit, 3, { pages: [page('a.test/3')], ended: 'done' }),
      ]
      assert.deepEqual(await bench.applyParts(second), ['out-of-order'])
      assert.deepEqual(await bench.applyParts(second, first), ['applied', 'applied'])
      assert.deepEqual(await bench.applyParts(first, last, second), ['again', 'applied', 'again'])
      assert.deepEqual(await bench.applyParts(last), ['again'])
      assert.equal((await totals(bench)).urls.marked, 3)
    })

    it('refuses what names no visit, or one that never was', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      const strange = [
        { ...whole(bench, visit), visit: 'nonsense' },
        { ...whole(bench, visit), site: 'nowhere.test' },
        { ...whole(bench, visit), fence: 7 },
        { ...whole(bench, visit), fence: 7, visit: visit.id.replace(/\d+$/, '7') },
      ]
      assert.deepEqual(await bench.applyParts(...strange), ['stale', 'stale', 'stale', 'stale'])
      assert.equal((await totals(bench)).urls.marked, 0)
    })

    it('takes leftovers back and enters cross-site links, known ones not again', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      await bench.seed('b.test/')
      const found = [link('a.test/left', 'http://a.test/'), link('a.test/', 'http://a.test/')]
      const crossSite = [link('b.test/', 'http://a.test/'), link('c.test/', 'http://a.test/')]
      await bench.applyParts(whole(bench, visit, { found, crossSite, ended: 'slice' }))
      assert.deepEqual((await totals(bench)).urls, { known: 4, marked: 1, waiting: 3, refreshing: 0 })
    })

    it('puts a leftover of another site where it belongs', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      await bench.applyParts(whole(bench, await bench.one(), { found: [link('b.test/')] }))
      assert.deepEqual(await bench.names(), ['b.test'])
    })

    it('bars a site that is given up, says why, and asks nothing more of it', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      const pages = [page('a.test/1', { kind: 'gone', why: 'no-such-name' })]
      await bench.applyParts(part(bench, visit, 1, { pages, ended: 'given-up' }))
      const site = await view(bench, 'a.test')
      assert.deepEqual([site?.state, site?.reason, site?.waiting], ['barred', 'given-up: no-such-name', 0])
      assert.equal((await viewUrl(bench, 'http://a.test/2'))?.mark, 'gone')
      await bench.admit(link('a.test/3'))
      assert.equal((await viewUrl(bench, 'http://a.test/3'))?.mark, 'gone')
      assert.equal((await bench.frontier.checkOut('w1', 1)).next, 'over')
    })

    it('tries a site that was given up once more when it is named again, with fresh tries', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      const pages = [page('a.test/1', { kind: 'gone', why: 'connect' })]
      const robots = { http: { state: 'none' as const, at: START, status: 404, text: '' } }
      const memory = { ...freshMemory(), robots, traps: { suspects: [] }, silent: 3 }
      await bench.applyParts(part(bench, visit, 1, { pages, memory, ended: 'given-up' }))
      const seeds = ['a.test', 'b.test'].map((site) => ({ url: `http://${site}/1`, key: 1n, site }))
      const again = () => bench.db.transact((tx) => bench.ledger.tryAgain(tx, seeds))
      assert.equal(await again(), 1)
      assert.equal(await again(), 0)
      bench.clock.pass(PAUSE)
      const next = await bench.one()
      assert.deepEqual(next.agenda.map(({ url }) => url).sort(), ['http://a.test/1', 'http://a.test/2'])
      assert.deepEqual([next.memory, next.fence > visit.fence], [freshMemory(), true])
    })

    it('lets a silent site wait as long as its courtesy says, also when news of it comes', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      const courtesy = { pause: PAUSE, notBefore: START + 300_000 }
      await bench.applyParts(part(bench, visit, 1, { courtesy, ended: 'silent' }))
      await bench.admit(link('a.test/2'))
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: 300_000 })
    })
  })

  describe('returning', () => {
    it('withholds a site whose last part is stored and not applied', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      const last = part(bench, visit, 1, { pages: [page('a.test/1')], ended: 'slice' })
      await bench.db.transact((tx) => bench.ledger.returning(tx, [last]))
      bench.clock.pass(PAUSE)
      assert.equal((await view(bench, 'a.test'))?.state, 'returning')
      assert.deepEqual((await bench.frontier.renew('w1', [visit.id])).lost, [])
      const { visits, next } = await bench.frontier.checkOut('w1', 1)
      assert.deepEqual(visits, [])
      assert.notEqual(next, 'over')
      await bench.applyParts(last)
      assert.deepEqual(await bench.names(), ['a.test'])
    })

    it('withholds a lost site as well, when its worker comes back in time', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      bench.clock.pass(LEASE)
      await bench.db.transact((tx) => bench.ledger.reap(tx))
      const late = part(bench, visit, 1, { pages: [page('a.test/1')] })
      await bench.db.transact((tx) => bench.ledger.returning(tx, [{ ...late, last: false }]))
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names(), [])
      assert.deepEqual(await bench.applyParts(late), ['applied'])
      bench.clock.pass(LEASE)
      assert.deepEqual(await bench.db.transact((tx) => bench.ledger.reap(tx)), [], 'it was lost once')
      const again = await bench.one()
      assert.deepEqual(
        again.agenda.map((item) => item.url),
        ['http://a.test/2'],
      )
    })

    it('does not withhold a lost site for a part that was applied before: nothing more comes of it', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      const first = part(bench, visit, 1, { pages: [page('a.test/1')] })
      assert.deepEqual(await bench.applyParts(first), ['applied'])
      bench.clock.pass(LEASE)
      await bench.db.transact((tx) => bench.ledger.reap(tx))
      // Its worker never heard that it had arrived.
      await bench.db.transact((tx) => bench.ledger.returning(tx, [{ ...first, last: false }]))
      assert.deepEqual(await bench.applyParts(first), ['again'])
      bench.clock.pass(PAUSE)
      assert.deepEqual(await bench.names(), ['a.test'])
    })

    it('ignores visits that are over or were never', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      await bench.applyParts(whole(bench, visit, { found: [link('a.test/2')], ended: 'slice' }))
      await bench.db.transact((tx) =>
        bench.ledger.returning(tx, [
          { visit: visit.id, fence: visit.fence },
          { visit: 'nonsense', fence: 1 },
        ]),
      )
      assert.equal((await view(bench, 'a.test'))?.state, 'waiting')
    })
  })

  describe('reap', () => {
    it('lets a lost site wait until the end of its lease plus its pause', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      bench.clock.pass(LEASE - 1)
      assert.deepEqual(await bench.db.transact((tx) => bench.ledger.reap(tx)), [])
      bench.clock.pass(1_000)
      assert.deepEqual(await bench.db.transact((tx) => bench.ledger.reap(tx, bench.clock.now())), [
        { visit: visit.id, site: 'a.test', worker: 'w1' },
      ])
      assert.deepEqual((await bench.frontier.renew('w1', [visit.id])).lost, [visit.id])
      const site = await view(bench, 'a.test')
      assert.deepEqual([site?.state, site?.notBefore, site?.losses], ['waiting', START + LEASE + PAUSE, 1])
    })

    it('applies a revived worker’s parts until its site is handed out again, and not after', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      bench.clock.pass(LEASE)
      await bench.db.transact((tx) => bench.ledger.reap(tx))
      assert.deepEqual(await bench.applyParts(part(bench, visit, 1, { pages: [page('a.test/1')] })), ['applied'])
      bench.clock.pass(PAUSE)
      const other = await bench.one('w2')
      assert.equal(other.fence, visit.fence + 1)
      const zombie = part(bench, visit, 2, { pages: [page('a.test/2')], ended: 'done' })
      assert.deepEqual(await bench.applyParts(zombie), ['stale'])
      assert.equal((await view(bench, 'a.test'))?.state, 'leased')
      assert.equal((await viewUrl(bench, 'http://a.test/2'))?.mark, 'waiting')
      assert.deepEqual(await bench.applyParts(whole(bench, other)), ['applied'])
    })

    it('spares a lease that ran out when a part of it has just been stored', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      bench.clock.pass(LEASE + PAUSE)
      const stored = [{ visit: visit.id, fence: visit.fence, last: false }]
      await bench.db.transact((tx) => bench.ledger.returning(tx, stored))
      assert.deepEqual(await bench.db.transact((tx) => bench.ledger.reap(tx)), [])
      assert.deepEqual(await bench.names('w2'), [])
      assert.deepEqual(await bench.applyParts(part(bench, visit, 1, { pages: [page('a.test/1')] })), ['applied'])
      bench.clock.pass(LEASE)
      assert.equal((await bench.db.transact((tx) => bench.ledger.reap(tx))).length, 1)
    })

    it('gives up on a last part that can never be applied', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      await bench.db.transact((tx) =>
        bench.ledger.returning(
          tx,
          [visit].map(({ id, fence }) => ({ visit: id, fence })),
        ),
      )
      bench.clock.pass(LEASE)
      assert.equal((await bench.db.transact((tx) => bench.ledger.reap(tx))).length, 1)
      assert.equal((await view(bench, 'a.test'))?.state, 'waiting')
    })

    it('loses the visits of a worker that is no more, at once', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      await bench.one('w1')
      const other = await bench.one('w2')
      const lost = await bench.db.transact((tx) => bench.ledger.lose(tx, 'w1'))
      assert.equal(lost.length, 1)
      const site = await view(bench, lost[0].site)
      assert.deepEqual([site?.state, site?.notBefore], ['waiting', START + PAUSE])
      assert.equal((await view(bench, other.site))?.state, 'leased')
    })
  })

  giveBackContract(make)

  describe('schedule', () => {
    it('has a marked page looked at again when it is due, after those never visited', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      await bench.applyParts(whole(bench, await bench.one()))
      await bench.db.transact((tx) => bench.ledger.schedule(tx, [{ url: 'http://a.test/', dueAt: START + 60_000 }]))
      assert.deepEqual(await bench.frontier.checkOut('w1', 1), { visits: [], next: 60_000 })
      bench.clock.pass(60_000)
      await bench.admit(link('a.test/new'))
      const { agenda } = await bench.one()
      assert.deepEqual(
        agenda.map((item) => item.url),
        ['http://a.test/new', 'http://a.test/'],
      )
      assert.equal(agenda[1].dueAt, START + 60_000)
    })

    it('adds what is not known, hastens what waits, passes over barred sites and what is no URL', async () => {
      const bench = await openBench(make)
      const schedule = (url: string, dueAt: number) =>
        bench.db.transact((tx) => bench.ledger.schedule(tx, [{ url, dueAt }]))
      await schedule('http://a.test/', START + 60_000)
      await schedule('http://a.test/', START + 90_000)
      await schedule('http://a.test/', START + 30_000)
      await schedule('nonsense', START)
      assert.equal((await viewUrl(bench, 'http://a.test/'))?.dueAt, START + 30_000)
      assert.equal((await view(bench, 'a.test'))?.notBefore, START + 30_000)
      bench.clock.pass(30_000)
      await bench.applyParts(part(bench, await bench.one(), 1, { ended: 'given-up' }))
      await schedule('http://a.test/', START)
      assert.equal((await view(bench, 'a.test'))?.state, 'barred')
      assert.equal((await totals(bench)).urls.known, 1)
    })
  })
}
