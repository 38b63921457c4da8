/** What every ledger must do with URLs that a finding holds back. `ledger.contract.ts` runs it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Outcome } from '../../../src/contracts/outcome.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { LEASE, link, type MakeDatabase, openBench, page, whole } from './tools.contract.ts'

const HELD: Outcome = { kind: 'refused', by: 'hazard', rule: 'maze /a/*', held: true }

export function withdrawnContract(make: MakeDatabase): void {
  describe('a known URL that a page lists later', () => {
    it('is no offspring any more, while it waits; and waits again if a finding held it back', async () => {
      const bench = await openBench(make)
      const offspring = (text: string) => ({ ...link(text, 'http://a.test/1'), path: 'Lll' })
      await bench.admit(link('a.test/1'), ...['a.test/2', 'a.test/3', 'a.test/4'].map(offspring))
      const first = await bench.one()
      const pages = [page('a.test/1'), page('a.test/2', HELD, { status: -4000, tries: 0 }), page('a.test/4')]
      await bench.applyParts(whole(bench, first, { pages, ended: 'slice' }))
      assert.equal((await bench.db.read((tx) => frontierQueries.site(tx, 'a.test')))?.waiting, 1)

      bench.clock.pass(LEASE)
      const second = await bench.one()
      const listed = (text: string) => ({ ...link(text, 'http://a.test/list'), path: 'LL' })
      const found = ['a.test/2', 'a.test/3', 'a.test/4'].map(listed)
      await bench.applyParts(whole(bench, second, { pages: [], found, ended: 'slice' }))
      assert.equal((await bench.db.read((tx) => frontierQueries.site(tx, 'a.test')))?.waiting, 2)
      bench.clock.pass(LEASE)
      const third = await bench.one()
      assert.deepEqual(
        third.agenda.map(({ url, path }) => [url, path]),
        [
          ['http://a.test/3', 'LL'],
          ['http://a.test/2', 'LL'],
        ],
      )
      // One more step of offspring changes nothing of what is listed.
      await bench.applyParts(whole(bench, third, { pages: [], found: [offspring('a.test/3')], ended: 'slice' }))
      bench.clock.pass(LEASE)
      assert.equal((await bench.one()).agenda[0].path, 'LL')
    })
  })

  describe('a finding that is withdrawn', () => {
    it('lets what it held back wait again, behind what was never asked for; others stay refused', async () => {
      const bench = await openBench(make)
      const urls = [1, 2, 3, 4].map((at) => `http://a.test/${at}`)
      await bench.admit(...urls.map((url) => link(url)))
      const first = await bench.one()
      const robots: Outcome = { kind: 'refused', by: 'robots', rule: '/' }
      const unasked = { status: -4000, tries: 0 }
      const pages = [page(urls[0]), page(urls[1], HELD, unasked), page(urls[2], HELD, unasked), page(urls[3], robots)]
      await bench.applyParts(whole(bench, first, { pages }))
      assert.equal((await bench.db.read((tx) => frontierQueries.site(tx, 'a.test')))?.state, 'crawled')
      assert.equal((await bench.db.read((tx) => frontierQueries.totals(tx))).urls.waiting, 0)

      await bench.admit(link('a.test/5'))
      bench.clock.pass(LEASE)
      const second = await bench.one()
      const news = { pages: [page('a.test/5')], found: [link('a.test/6')], learnt: { requeue: true } as const }
      await bench.applyParts(whole(bench, second, news))
      assert.equal((await bench.db.read((tx) => frontierQueries.site(tx, 'a.test')))?.waiting, 3)
      bench.clock.pass(LEASE)
      const third = await bench.one()
      assert.deepEqual(third.agenda.map(({ url }) => url).sort(), [
        'http://a.test/2',
        'http://a.test/3',
        'http://a.test/6',
      ])
      assert.equal(third.agenda[0].url, 'http://a.test/6')
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, urls[3])))?.mark, 'refused')
    })

    it('lets wait again what the same part held back', async () => {
      const bench = await openBench(make)
      await bench.admit(link('a.test/1'), link('a.test/2'))
      const visit = await bench.one()
      const pages = [page('a.test/1', HELD, { status: -4000, tries: 0 }), page('a.test/2')]
      await bench.applyParts(whole(bench, visit, { pages, learnt: { requeue: true } }))
      assert.equal((await bench.db.read((tx) => frontierQueries.site(tx, 'a.test')))?.waiting, 1)
      assert.equal((await bench.db.read((tx) => frontierQueries.url(tx, 'http://a.test/1')))?.mark, 'waiting')
    })
  })
}
