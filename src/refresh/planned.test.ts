import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eachPlanned, instantOf, spread } from './planned.ts'
import { byServer } from './scenario.ts'

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

test('equal instants are equal to the last bit, whatever T is', () => {
  const horizon = fc.oneof(fc.constantFrom(0.7, 0.3, 100, 86_400), fc.double({ min: 1e-3, max: 1e6, noNaN: true }))
  const whole = fc.integer({ min: 1, max: 60 })
  fc.assert(
    fc.property(horizon, whole, whole, fc.integer({ min: 2, max: 40 }), (T, nth, more, times) => {
      const count = nth + more - 1
      assert.equal(instantOf(nth, count, T), instantOf(times * nth, times * (count + 1) - 1, T))
    }),
  )
  assert.equal(instantOf(29, 99, 100), 29, 'and of a whole T exact')
})
