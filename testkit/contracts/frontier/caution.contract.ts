/** What every frontier does with a site whose visits are lost one after the other (V9). */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Visit } from '../../../src/contracts/visit.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { CAUTIOUS_PAGES } from '../../../src/frontier/rules/visit.ts'
import { type Bench, LEASE, link, type MakeDatabase, openBench, PAUSE, page, part, START } from './tools.contract.ts'

const DAY = 86_400_000

const view = (bench: Bench) => bench.db.read((tx) => frontierQueries.site(tx, 'a.test'))

async function lose(bench: Bench): Promise<Visit> {
  const site = await view(bench)
  bench.clock.pass(Math.max(0, site!.notBefore - bench.clock.now()))
  const visit = await bench.one()
  await bench.db.transact((tx) => bench.ledger.lose(tx, 'w1'))
  return visit
}

async function benchWith(make: MakeDatabase, pages: number): Promise<Bench> {
  const bench = await openBench(make, { slice: { pages: 40, time: 600_000 } })
  await bench.admit(...Array.from({ length: pages }, (_, n) => link(`a.test/${n}`)))
  return bench
}

export function cautionContract(make: MakeDatabase): void {
  describe('a site whose visits are lost', () => {
    it('gets small visits after three', async () => {
      const bench = await benchWith(make, 30)
      const sizes: [number, number][] = []
      for (let n = 0; n < 4; n++) {
        const { limits, agenda } = await lose(bench)
        sizes.push([limits.pages, agenda.length])
      }
      const [[whole]] = sizes
      assert.ok(whole >= 30)
      assert.deepEqual(sizes, [
        [whole, 30],
        [whole, 30],
        [whole, 30],
        [CAUTIOUS_PAGES, CAUTIOUS_PAGES],
      ])
    })

    it('rests after five, twice as long each time, a day at most', async () => {
      const bench = await benchWith(make, 1)
      const rests: number[] = []
      for (let n = 0; n < 18; n++) {
        await lose(bench)
        rests.push((await view(bench))!.notBefore - bench.clock.now())
      }
      assert.deepEqual(rests.slice(0, 7), [PAUSE, PAUSE, PAUSE, PAUSE, 2 * LEASE, 4 * LEASE, 8 * LEASE])
      assert.deepEqual(rests.slice(-2), [DAY, DAY])
      assert.equal((await view(bench))?.losses, 18)
    })

    it('counts from the end of the lease', async () => {
      const bench = await benchWith(make, 1)
      for (let n = 0; n < 4; n++) await lose(bench)
      bench.clock.pass(PAUSE)
      await bench.one()
      const until = bench.clock.now() + LEASE
      bench.clock.pass(LEASE + 7_000)
      await bench.db.transact((tx) => bench.ledger.reap(tx))
      assert.equal((await view(bench))?.notBefore, until + 2 * LEASE)
    })

    it('is forgiven when a visit brought a page, though it was lost later', async () => {
      const bench = await benchWith(make, 30)
      for (let n = 0; n < 5; n++) await lose(bench)
      bench.clock.pass(2 * LEASE)
      const visit = await bench.one()
      await bench.applyParts(
        part(bench, visit, 1, { pages: [page('a.test/robots.txt', undefined, { ownRequest: true })] }),
      )
      assert.equal((await view(bench))?.losses, 5)
      await bench.applyParts(part(bench, visit, 2, { pages: [page('a.test/0')] }))
      assert.equal((await view(bench))?.losses, 0)
      await bench.db.transact((tx) => bench.ledger.lose(tx, 'w1'))
      const site = await view(bench)
      assert.deepEqual([site?.losses, site!.notBefore - bench.clock.now()], [1, PAUSE])
    })

    it('does not rest for what the coordinator lost by its own end', async () => {
      let bench = await benchWith(make, 30)
      const losses: number[] = []
      for (let n = 0; n < 6; n++) {
        bench.clock.pass(PAUSE)
        await bench.one()
        bench = await bench.restart()
        const site = await view(bench)
        losses.push(site!.losses)
        assert.equal(site!.notBefore, bench.clock.now() + PAUSE)
      }
      assert.deepEqual(losses, [1, 2, 3, 3, 3, 3])
      assert.ok(bench.clock.now() > START)
    })
  })
}
