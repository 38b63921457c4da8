import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededRandom } from '../base/random.ts'
import { allocate } from './allocate.ts'
import { gain } from './freshness.ts'
import { type Scenario, serverCap } from './scenario.ts'
import { printedFreshness, scenarioOf, smallScenario } from './small-scenario.test-data.ts'

/** The paper's steps, one update at a time. */
function plainGreedy({ rate, weight, server, horizon, start }: Scenario, cap: number, capacity: number): number[] {
  const counts = Array.from(rate, () => 0)
  const taken = Array.from({ length: start.length - 1 }, () => 0)
  for (let left = capacity; left > 0; left--) {
    let best = -1
    let max = 0
    for (let page = 0; page < rate.length; page++) {
      const more = rate[page] === 0 ? 0 : gain(weight[page], rate[page] * horizon, counts[page])
      if (taken[server[page]] < cap && more > max) {
        max = more
        best = page
      }
    }
    if (best < 0) break
    counts[best]++
    taken[server[best]]++
  }
  return counts
}

test('counts equal the greedy of the paper, ties and caps included', () => {
  fc.assert(
    fc.property(smallScenario, fc.constantFrom(0, 1, 2, 5, 14, Number.POSITIVE_INFINITY), (scenario, cap) => {
      const { capacity } = scenario
      assert.deepEqual([...allocate(scenario, cap, capacity)], plainGreedy(scenario, cap, capacity))
    }),
    { numRuns: 500 },
  )
})

test('and of larger instances, where prices matter', () => {
  for (const seed of [1, 2, 3]) {
    const random = seededRandom(seed)
    const pages = Array.from({ length: 600 }, () => ({
      server: Math.floor(30 * random.next() ** 3),
      rate: seed === 1 ? 0.01 * (1 + random.integer(5)) : random.next() ** 4,
      weight: seed === 3 ? 1 - random.next() : 1,
      size: 0,
    }))
    const scenario = scenarioOf(pages, { capacity: 2000 })
    for (const cap of [40, 300, Number.POSITIVE_INFINITY])
      assert.deepEqual([...allocate(scenario, cap, 2000)], plainGreedy(scenario, cap, 2000), `seed ${seed}, cap ${cap}`)
  }
})

test('no other counts within the limits are fresher', () => {
  const small = fc.tuple(smallScenario, fc.integer({ min: 0, max: 6 })).filter(([{ rate }]) => rate.length <= 4)
  fc.assert(
    fc.property(small, ([scenario, capacity]) => {
      const { rate, weight, server, horizon } = scenario
      const cap = Math.min(3, serverCap(scenario))
      const fresh = (counts: ArrayLike<number>) =>
        Array.from(rate, (r, page) => weight[page] * printedFreshness(r * horizon, counts[page])).reduce(
          (a, b) => a + b,
          0,
        )
      let best = 0
      const search = (page: number, counts: number[]) => {
        if (page === rate.length) {
          best = Math.max(best, fresh(counts))
          return
        }
        const used = counts.reduce((a, b) => a + b, 0)
        const here = counts.reduce((sum, x, other) => sum + (server[other] === server[page] ? x : 0), 0)
        for (let x = 0; x <= Math.min(capacity - used, cap - here); x++) search(page + 1, [...counts, x])
      }
      search(0, [])
      assert.ok(fresh(allocate(scenario, cap, capacity)) >= best - 1e-12)
    }),
  )
})

test('pages that never change or have no weight get no update', () => {
  const pages = [
    { server: 0, rate: 0, weight: 1, size: 0 },
    { server: 0, rate: 1, weight: 0, size: 0 },
  ]
  assert.deepEqual([...allocate(scenarioOf(pages), 10, 100)], [0, 0])
  const three = [...pages, { server: 1, rate: 0.1, weight: 1, size: 0 }]
  assert.deepEqual([...allocate(scenarioOf(three), 10, 100)], [0, 0, 10])
})
