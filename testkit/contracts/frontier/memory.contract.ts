/** A site's memory, on whatever database: carried from visit to visit, and what a part leaves out of it. */

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freshMemory } from '../../../src/contracts/site-memory.ts'
import { frontierQueries } from '../../../src/frontier/queries.ts'
import { link, type MakeDatabase, openBench, PAUSE, part, START, whole } from './tools.contract.ts'

export function memoryContract(make: MakeDatabase): void {
  describe('site memory', () => {
    it('carries the site memory to the next visit, unread', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      assert.deepEqual(visit.memory, freshMemory())
      const validators = { asked: 3, lies: 1, renewed: 0 }
      const memory = { ...freshMemory(), fetched: 3, crawlDelay: 7_000, stopped: 'a rule', validators }
      await bench.applyParts(whole(bench, visit, { memory, found: [link('a.test/2')], ended: 'slice' }))
      bench.clock.pass(PAUSE)
      assert.deepEqual((await bench.one()).memory, memory)
    })

    it('keeps robots and trap counts of which a part says nothing, and nothing else', async () => {
      const bench = await openBench(make)
      await bench.seed('a.test/')
      const visit = await bench.one()
      const robots = { http: { state: 'rules' as const, at: START, status: 200, text: 'Disallow: /x' } }
      const traps = { suspects: [], echoes: 3 }
      const { robots: _, ...counts } = freshMemory()
      const told = [
        { ...counts, robots, fetched: 1, rests: 2 },
        { ...counts, traps, fetched: 2 },
        { ...counts, fetched: 3, crawlDelay: 7_000 },
      ].map((memory, at) => part(bench, visit, at + 1, { memory }))
      const memoryOf = async () => (await bench.db.read((tx) => frontierQueries.site(tx, 'a.test')))?.memory
      assert.deepEqual(await bench.applyParts(told[0]), ['applied'])
      assert.deepEqual(await memoryOf(), { ...counts, robots, fetched: 1, rests: 2 })
      // Two at once are as good as one after the other.
      assert.deepEqual(await bench.applyParts(told[2], told[1]), ['applied', 'applied'])
      assert.deepEqual(await memoryOf(), { ...counts, robots, traps, fetched: 3, crawlDelay: 7_000 })
      const memory = { ...counts, robots: {}, traps: { suspects: [] }, fetched: 4 }
      await bench.applyParts(part(bench, visit, 4, { memory, found: [link('a.test/2')], ended: 'slice' }))
      bench.clock.pass(PAUSE)
      assert.deepEqual((await bench.one()).memory, memory)
    })
  })
}
