import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { byServer } from './scenario.ts'
import { eachPlanned, spread } from './spread.ts'

test('updates of a server are in the order of their ideal instants, ties by page', () => {
  const pages = fc.array(fc.record({ server: fc.integer({ min: 0, max: 2 }), count: fc.nat({ max: 12 }) }), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(pages, (given) => {
      const server = Uint32Array.from(given, (page) => page.server)
      const counts = Uint32Array.from(given, (page) => page.count)
      const plan = spread(counts, byServer(server, 3), true)
      for (const s of [0, 1, 2]) {
        const updates = given.flatMap(({ server: at, count }, page) =>
          at === s ? Array.from({ length: count }, (_, j) => ({ page, instant: (j + 1) / (count + 1) })) : [],
        )
        updates.sort((a, b) => a.instant - b.instant || a.page - b.page)
        assert.deepEqual(
          [...plan.order.slice(plan.begin[s], plan.begin[s + 1])],
          updates.map(({ page }) => page),
        )
      }
    }),
  )
})

test('MERGE spaces a server evenly; without it pages keep their own instants', () => {
  const counts = Uint32Array.of(1, 3)
  const one = byServer(Uint32Array.of(0, 0), 1)
  const instants = (isMerged: boolean) => {
    const found: [number, number][] = []
    eachPlanned(spread(counts, one, isMerged), 100, (page, at) => found.push([page, at]))
    return found
  }
  assert.deepEqual(instants(true), [
    [1, 20],
    [0, 40],
    [1, 60],
    [1, 80],
  ])
  assert.deepEqual(instants(false), [
    [1, 25],
    [0, 50],
    [1, 50],
    [1, 75],
  ])
})
