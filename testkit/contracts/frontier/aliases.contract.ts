/** Other names of sites, on whatever database: what is entered where, and that nothing is lost or asked for twice. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Visit } from '../../../src/contracts/visit.ts'
import type { NewAlias } from '../../../src/frontier/aliases.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { type Bench, link, type MakeDatabase, openBench, PAUSE, page, part, whole } from './tools.contract.ts'

const alias = (bench: Bench, name: string, original: string, more: Partial<NewAlias> = {}) =>
  bench.db.transact((tx) => bench.ledger.alias(tx, { name, original, how: 'www', ...more }))
const unalias = (bench: Bench, name: string) => bench.db.transact((tx) => bench.ledger.unalias(tx, name))
const reap = (bench: Bench) => bench.db.transact((tx) => bench.ledger.reap(tx))
const aliases = (bench: Bench) => bench.db.read((tx) => frontierQueries.aliases(tx))
const site = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))
const markOf = (bench: Bench, url: string) => bench.db.read(async (tx) => (await frontierQueries.url(tx, url))?.mark)
const totals = async (bench: Bench) => (await bench.db.read((tx) => frontierQueries.totals(tx))).urls

/** Every URL that waits, site by site as they are handed out; all are kept. */
async function all(bench: Bench): Promise<string[]> {
  const urls: string[] = []
  for (;;) {
    bench.clock.pass(PAUSE)
    const { visits } = await bench.frontier.checkOut('w1', 50)
    if (visits.length === 0) return urls
    for (const visit of visits) urls.push(...visit.agenda.map(({ url }) => url))
    assert.ok(urls.length < 2000, 'it does not end')
    await bench.applyParts(...visits.map((visit) => whole(bench, visit, { ended: 'slice' })))
  }
}

export function aliasesContract(make: MakeDatabase): void {
  describe('a link into another name of a site', () => {
    it('is entered at the original, with its scheme and path; home pages stay', async () => {
      const bench = await openBench(make)
      assert.equal(await alias(bench, 'a.test', 'www.a.test'), 'taken')
      await bench.admit(link('https://a.test/x?y=1'), link('a.test/z'), link('a.test/'), link('b.test/'))
      assert.deepEqual((await all(bench)).sort(), [
        'http://a.test/',
        'http://b.test/',
        'http://www.a.test/z',
        'https://www.a.test/x?y=1',
      ])
      assert.equal(await bench.admit(link('https://a.test/x?y=1')), 0)
    })

    it('by https where that is what the name leads to', async () => {
      const bench = await openBench(make)
      await alias(bench, 'a.test', 'www.a.test', { https: true })
      await bench.admit(link('http://a.test/x'), link('https://a.test/y'))
      assert.deepEqual(await all(bench), ['https://www.a.test/x', 'https://www.a.test/y'])
    })

    it('brings the home page of a mirror of the list once, so that it can be compared', async () => {
      const bench = await openBench(make)
      await alias(bench, 'mirror.test', 'a.test', { how: 'list' })
      await bench.admit(link('https://mirror.test/x'), link('https://mirror.test/y'))
      await bench.admit(link('https://mirror.test/z'))
      assert.deepEqual((await all(bench)).sort(), [
        'https://a.test/x',
        'https://a.test/y',
        'https://a.test/z',
        'https://mirror.test/',
      ])
    })

    it('also as a seed, and as what a visit of the name itself found', async () => {
      const bench = await openBench(make)
      await alias(bench, 'a.test', 'www.a.test')
      await bench.seed('a.test/seed', 'a.test/')
      const visits = (await bench.frontier.checkOut('w1', 9)).visits
      const visit = visits.find((each) => each.site === 'a.test') as Visit
      assert.equal(visit.known, 'too many', 'what it leads to is not asked for in the same visit')
      const found = [link('a.test/found'), { ...link('a.test/again'), spelling: true as const }]
      await bench.applyParts(...visits.map((each) => whole(bench, each, each === visit ? { found } : {})))
      assert.deepEqual(await all(bench), ['http://www.a.test/found', 'http://www.a.test/again'])
      assert.equal((await site(bench, 'www.a.test'))?.seed, true)
    })

    it('stays where it is when the original is not wanted', async () => {
      const bench = await openBench(make, { mayReplace: (original) => original !== 'www.a.test' })
      await bench.admit(link('a.test/before'))
      await alias(bench, 'a.test', 'www.a.test')
      await bench.admit(link('a.test/x'))
      await reap(bench)
      assert.deepEqual(await all(bench), ['http://a.test/before', 'http://a.test/x'])
    })

    it('stays where it is when the original itself sends everybody there', async () => {
      const bench = await openBench(make)
      await alias(bench, 'a.test', 'www.a.test')
      await bench.admit(link('a.test/x'))
      bench.clock.pass(PAUSE)
      const moved = page('www.a.test/x', { kind: 'moved', to: 'http://a.test/x' })
      const crossSite = [{ ...link('a.test/x', 'http://www.a.test/x'), path: 'LR' }]
      await bench.applyParts(part(bench, await bench.one(), 1, { pages: [moved], crossSite, ended: 'done' }))
      assert.deepEqual(await all(bench), ['http://a.test/x'])
    })

    it('goes to the end of a chain of names', async () => {
      const bench = await openBench(make)
      await alias(bench, 'a.test', 'b.test')
      await alias(bench, 'b.test', 'c.test:8080')
      await bench.admit(link('a.test/x'))
      assert.deepEqual(await all(bench), ['http://c.test:8080/x'])
    })
  })

  describe('what the original does not have', () => {
    const missing = (url: string) => page(url, { kind: 'gone', why: 'status-404' }, { status: 404 })

    it('is asked for where it was linked, once, when the name was learnt', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/'))
      await all(bench)
      await alias(bench, 'a.test', 'www.a.test', { https: true })
      await bench.admit(link('http://a.test/1'), link('a.test/2'), link('https://www.a.test/3'))
      bench.clock.pass(PAUSE)
      const pages = ['https://www.a.test/1', 'https://www.a.test/3'].map(missing)
      pages.push(page('https://www.a.test/2'))
      await bench.applyParts(part(bench, await bench.one(), 1, { pages, ended: 'done' }))
      await reap(bench)
      bench.clock.pass(PAUSE)
      const visit = await bench.one()
      assert.deepEqual([visit.site, visit.agenda.map(({ url }) => url)], ['a.test', ['http://a.test/1']])
      await bench.applyParts(part(bench, visit, 1, { pages: [missing('a.test/1')], ended: 'done' }))
      await bench.admit(link('a.test/1'), link('https://www.a.test/1'))
      assert.deepEqual(await all(bench), [])
    })

    it('is entered where it is linked when that is known already, and stays there', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/'), link('www.a.test/1'))
      const { visits } = await bench.frontier.checkOut('w1', 9)
      const gone = { pages: [missing('www.a.test/1')] }
      await bench.applyParts(...visits.map((each) => whole(bench, each, each.site === 'a.test' ? {} : gone)))
      await alias(bench, 'a.test', 'www.a.test')
      assert.equal(await bench.admit(link('a.test/1')), 0)
      await reap(bench)
      assert.deepEqual(await all(bench), ['http://a.test/1'])
      assert.deepEqual(await totals(bench), { known: 3, marked: 3, waiting: 0, refreshing: 0 })
    })

    it('is gone when the operator says that the two are one', async () => {
      const bench = await openBench(make)
      await alias(bench, 'a.test', 'b.test', { how: 'list' })
      await bench.admit(link('a.test/1'))
      const { visits } = await bench.frontier.checkOut('w1', 9)
      const gone = { pages: [missing('b.test/1')] }
      await bench.applyParts(...visits.map((each) => whole(bench, each, each.site === 'a.test' ? {} : gone)))
      assert.deepEqual(await all(bench), [])
      await unalias(bench, 'a.test')
      assert.deepEqual(await all(bench), ['http://a.test/1'])
    })
  })

  describe('alias', () => {
    it('refuses cycles, chains without end, and what is no name of a site', async () => {
      const bench = await openBench(make)
      assert.equal(await alias(bench, 'a.test', 'a.test'), 'cycle')
      await alias(bench, 'a.test', 'b.test')
      await alias(bench, 'b.test', 'c.test')
      assert.equal(await alias(bench, 'c.test', 'a.test'), 'cycle')
      for (const no of ['', 'a test', 'http://a.test', 'a.test/', 'A.test', 'a.test:80'])
        assert.equal(await alias(bench, 'x.test', no), 'refused', no)
      for (let i = 0; i < 40; i++) await alias(bench, `n${i}.test`, `n${i + 1}.test`)
      assert.equal(await alias(bench, 'n40.test', 'n0.test'), 'refused')
      assert.equal(await alias(bench, 'm.test', 'n0.test'), 'refused')
      await bench.admit(link('n0.test/x'))
      assert.deepEqual((await all(bench)).length, 1)
    })

    it("is known the second time; the operator's word counts more than what was learnt", async () => {
      const bench = await openBench(make)
      assert.equal(await alias(bench, 'a.test', 'b.test', { evidence: '301' }), 'taken')
      assert.equal(await alias(bench, 'a.test', 'b.test'), 'known')
      assert.equal(await alias(bench, 'a.test', 'c.test', { how: 'list' }), 'taken')
      assert.equal(await alias(bench, 'a.test', 'b.test'), 'known')
      const [only] = await aliases(bench)
      assert.deepEqual([only.name, only.original, only.how], ['a.test', 'c.test', 'list'])
      assert.equal((await site(bench, 'a.test'))?.alias, undefined, 'a site that is not known')
      await bench.admit(link('a.test/'))
      assert.equal((await site(bench, 'a.test'))?.alias?.original, 'c.test')
    })

    it('outlives a restart, and is forgotten with a transaction that failed', async () => {
      const bench = await openBench(make)
      await alias(bench, 'a.test', 'www.a.test')
      const failing = bench.db.transact(async (tx) => {
        await bench.ledger.alias(tx, { name: 'b.test', original: 'www.b.test', how: 'www' })
        await bench.ledger.unalias(tx, 'a.test')
        throw new Error('no')
      })
      await assert.rejects(failing)
      await bench.admit(link('a.test/x'), link('b.test/x'))
      const next = await bench.restart()
      await next.admit(link('a.test/y'), link('b.test/y'))
      assert.deepEqual((await all(next)).sort(), [
        'http://b.test/x',
        'http://b.test/y',
        'http://www.a.test/x',
        'http://www.a.test/y',
      ])
    })

    it('moves what waits, at most 500 at a time, the rest by and by; nothing is lost or asked for twice', async () => {
      const bench = await openBench(make, { slice: { pages: 50, time: 1 } })
      const urls = Array.from({ length: 1_200 }, (_, i) => `http://a.test/${i === 0 ? '' : i}`)
      await bench.admit(...urls.map((url, i) => ({ ...link(url, 'http://via.test/', i), path: 'LR', lastmod: i })))
      await alias(bench, 'a.test', 'www.a.test')
      assert.equal((await site(bench, 'www.a.test'))?.waiting, 500)
      for (let i = 0; i < 4; i++) await reap(bench)
      assert.deepEqual([(await site(bench, 'www.a.test'))?.waiting, (await site(bench, 'a.test'))?.waiting], [1199, 1])
      assert.equal(await markOf(bench, 'http://a.test/7'), 'moved')
      bench.clock.pass(PAUSE)
      const { visits } = await bench.frontier.checkOut('w1', 9)
      const [home, first] = [visits.find((v) => v.site === 'a.test'), visits.find((v) => v.site === 'www.a.test')]
      assert.equal(home?.agenda.length, 1)
      const [item] = first?.agenda ?? []
      assert.deepEqual([item.url, item.depth, item.path, item.hint], ['http://www.a.test/1', 1, 'LR', 1])
      await bench.applyParts(...visits.map((visit) => whole(bench, visit, { ended: 'slice' })))
      const rest = await all(bench)
      assert.equal(new Set(rest).size, 1149)
      assert.deepEqual(await totals(bench), { known: 2399, marked: 2399, waiting: 0, refreshing: 0 })
      assert.equal((await bench.frontier.checkOut('w1', 1)).next, 'over')
    })

    it('learnt by a visit moves nothing that the visit may be asking for, and the rest when it ends', async () => {
      const bench = await openBench(make, { slice: { pages: 3, time: 1 } })
      await bench.admit(...['', '1', '2', '3', '4'].map((path) => link(`a.test/${path}`)))
      const visit = await bench.one()
      const learnt = { alias: { to: 'www.a.test', how: 'www', https: true, evidence: '301' } }
      const moved = page('a.test/', { kind: 'moved', to: 'https://www.a.test/' })
      const crossSite = [link('https://www.a.test/')]
      await bench.applyParts(part(bench, visit, 1, { pages: [moved], crossSite, learnt }))
      assert.equal((await site(bench, 'a.test'))?.waiting, 4)
      await reap(bench)
      assert.equal((await site(bench, 'a.test'))?.waiting, 4)
      await bench.applyParts(part(bench, visit, 2, { pages: [page('a.test/1')], ended: 'slice' }))
      assert.deepEqual([(await site(bench, 'a.test'))?.state, (await site(bench, 'a.test'))?.waiting], ['crawled', 0])
      const urls = ['https://www.a.test/', ...[2, 3, 4].map((path) => `https://www.a.test/${path}`)]
      assert.deepEqual(await all(bench), urls)
    })

    it('learnt by a visit that is lost moves what waits when it is reaped', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      const learnt = { alias: { to: 'www.a.test', how: 'www' } }
      await bench.applyParts(part(bench, visit, 1, { pages: [page('a.test/1')], learnt }))
      bench.clock.pass(bench.options.leaseMs)
      assert.equal((await reap(bench)).length, 1)
      assert.equal((await site(bench, 'a.test'))?.state, 'crawled')
      assert.deepEqual(await all(bench), ['http://www.a.test/2'])
    })

    it('that is nonsense, as a damaged report may have it, changes nothing', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const strange = [{}, { to: 7, how: {} }, { to: 'www.a.test/..', how: 'www' }, { to: 'a.test', how: 'www' }]
      const visit = await bench.one()
      for (const [index, each] of strange.entries()) {
        const learnt = { alias: each as { to: string; how: string } }
        assert.deepEqual(await bench.applyParts(part(bench, visit, index + 1, { learnt })), ['applied'])
      }
      assert.deepEqual(await aliases(bench), [])
    })
  })

  describe('unalias', () => {
    it('makes it a site of its own again: what was entered elsewhere waits there, what was kept does not', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/kept'))
      await all(bench)
      await bench.admit(link('a.test/1'))
      await alias(bench, 'a.test', 'b.test')
      await bench.admit(link('a.test/2'))
      assert.equal(await unalias(bench, 'a.test'), true)
      assert.equal(await unalias(bench, 'a.test'), false)
      await bench.admit(link('a.test/3'))
      assert.deepEqual((await all(bench)).sort(), [
        'http://a.test/1',
        'http://a.test/2',
        'http://a.test/3',
        'http://b.test/1',
        'http://b.test/2',
      ])
    })

    it('brings back the links of its own home page, also those that no other page has', async () => {
      const bench = await openBench(make)
      await alias(bench, 'a.test', 'b.test', { how: 'list' })
      await bench.admit(link('a.test/'))
      const found = [link('a.test/own', 'http://a.test/'), link('a.test/', 'http://a.test/')]
      await bench.applyParts(whole(bench, await bench.one(), { found }))
      assert.deepEqual([(await site(bench, 'a.test'))?.known, await markOf(bench, 'http://a.test/own')], [2, 'moved'])
      assert.equal(await unalias(bench, 'a.test'), true)
      assert.deepEqual((await all(bench)).sort(), ['http://a.test/own', 'http://b.test/own'])
    })

    it('happens by itself when the original is given up', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'))
      await alias(bench, 'a.test', 'b.test')
      bench.clock.pass(PAUSE)
      const visit = await bench.one()
      const pages = [page('b.test/1', { kind: 'gone', why: 'no-such-name' })]
      await bench.applyParts(part(bench, visit, 1, { pages, ended: 'given-up' }))
      assert.deepEqual(await aliases(bench), [])
      assert.equal(await alias(bench, 'a.test', 'b.test'), 'refused')
      assert.deepEqual(await all(bench), ['http://a.test/1'])
    })
  })
}
