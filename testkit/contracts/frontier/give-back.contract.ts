/** What every ledger does with visits that were granted and never reached anybody. `ledger.contract.ts` runs it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { type Bench, link, type MakeDatabase, openBench, part, whole } from './tools.contract.ts'

const view = (bench: Bench, name: string) => bench.db.read((tx) => frontierQueries.site(tx, name))

export function giveBackContract(make: MakeDatabase): void {
  describe('giveBack', () => {
    it('makes a site wait as if the visit had not been granted; one that was begun is passed over', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/')
      const before = await view(bench, 'a.test')
      const [first, second] = (await bench.frontier.checkOut('w1', 2)).visits.sort((a, b) => (a.site < b.site ? -1 : 1))
      await bench.applyParts(part(bench, second, 1, { found: [link('b.test/1')] }))
      await bench.db.transact((tx) => bench.ledger.giveBack(tx, [first.id, second.id, 'nobody', '0000000000000007.1']))
      assert.deepEqual(await view(bench, 'a.test'), before)
      assert.equal((await view(bench, 'b.test'))?.state, 'leased')
      assert.deepEqual(await bench.names('w2', 9), ['a.test'])
    })
  })

  describe('takeBack', () => {
    const takeBack = (bench: Bench, worker: string, has: readonly string[]) =>
      bench.db.transact((tx) => bench.ledger.takeBack(tx, worker, has))

    it('ends what a worker was granted and never received: neither what it has nor what others have', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/', 'c.test/', 'd.test/')
      const all = (await bench.frontier.checkOut('w1', 3)).visits
      const other = await bench.one('w2')
      const [unheard, ...heard] = all
      const has = heard.map(({ id }) => id)
      assert.deepEqual(await takeBack(bench, 'w1', has), [unheard.id])
      assert.deepEqual(await takeBack(bench, 'w1', has), [])
      for (const { site } of [other, ...heard]) assert.equal((await view(bench, site))?.state, 'leased')
      assert.notEqual((await view(bench, unheard.site))?.state, 'leased')
      const again = await bench.one('w2')
      assert.equal(again.site, unheard.site)
      assert.ok(again.fence > unheard.fence, 'its number is not given again')
    })

    it('passes over visits that were begun, and refuses what comes of those that it ended', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/', 'b.test/', 'c.test/')
      const [one, two, three] = (await bench.frontier.checkOut('w1', 3)).visits
      assert.equal(await bench.frontier.enter('w1', one.id, '192.0.2.1'), 'here')
      await bench.applyParts(part(bench, two, 1, { found: [link(`${two.site}/1`)] }))
      assert.deepEqual(await takeBack(bench, 'w1', []), [three.id])
      assert.equal(await bench.frontier.enter('w1', three.id, '192.0.2.3'), 'elsewhere')
      assert.deepEqual((await bench.frontier.renew('w1', [one.id, two.id, three.id])).lost, [three.id])
      const next = await bench.one('w2')
      assert.equal(next.site, three.site)
      assert.deepEqual(await bench.applyParts(whole(bench, three)), ['stale'])
      assert.deepEqual(await bench.applyParts(whole(bench, next)), ['applied'])
    })
  })
}
