import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { seededRandom } from '../base/random.ts'
import { bestRates, bestRatesWithin, stalenessOfPlan } from './bounds.ts'
import { value } from './freshness.ts'
import { eachPlanned, planFor } from './planned.ts'
import { byServer, totalWeight } from './scenario.ts'
import { printedFreshness, scenarioOf, smallScenario, staleTime } from './small-scenario.test-data.ts'
import { boundsOf } from './trial.ts'

test('the rates of the KKT bound keep to its limits, and no small change of them is better', () => {
  fc.assert(
    fc.property(smallScenario, fc.integer(), (scenario, seed) => {
      const { rate, weight, server, politeness, capacity, horizon } = scenario
      const { looks, staleness } = bestRates(scenario)
      const cap = politeness > 0 ? 1 / politeness : Number.POSITIVE_INFINITY
      const stale = (f: ArrayLike<number>) =>
        Array.from(rate, (r, page) =>
          r === 0 ? 0 : weight[page] * (f[page] > 0 ? 1 - (f[page] / r) * -Math.expm1(-r / f[page]) : 1),
        ).reduce((a, b) => a + b, 0) / totalWeight(scenario)
      const isWithin = (f: ArrayLike<number>, slack: number) => {
        const sums = [0, 0, 0]
        for (let page = 0; page < rate.length; page++) sums[server[page]] += f[page]
        const whole = sums.reduce((a, b) => a + b, 0)
        return sums.every((sum) => sum <= cap * (1 + slack)) && whole <= (capacity / horizon) * (1 + slack)
      }
      assert.ok(isWithin(looks, 1e-9))
      assert.ok(Math.abs(stale(looks) - staleness) < 1e-7)
      const random = seededRandom(seed >>> 0)
      for (let i = 0; i < 30; i++) {
        // From one page to another, or a little more for one: whatever is allowed.
        const other = looks.slice()
        const [from, to] = [random.integer(rate.length), random.integer(rate.length)]
        const step = Math.min(looks[from], 0.01 * random.next())
        if (random.next() < 0.7) other[from] -= step
        other[to] += step
        if (isWithin(other, 0)) assert.ok(stale(other) >= staleness - 1e-8, `${stale(other)} < ${staleness}`)
      }
    }),
    { numRuns: 2000 },
  )
})

test('each server has a cap of its own', () => {
  const caps = fc.array(fc.double({ min: 0.001, max: 0.5, noNaN: true }), { minLength: 3, maxLength: 3 })
  const total = fc.oneof(fc.double({ min: 0.01, max: 1, noNaN: true }), fc.constant(Number.POSITIVE_INFINITY))
  fc.assert(
    fc.property(smallScenario, caps, total, (scenario, each, total) => {
      const { rate, weight, server, start } = scenario
      const own = Float64Array.from(each).subarray(0, start.length - 1)
      const { looks, staleness, price } = bestRatesWithin(scenario, own, total)
      const sums = new Float64Array(own.length)
      for (let page = 0; page < rate.length; page++) sums[server[page]] += looks[page]
      for (const [at, sum] of sums.entries()) {
        const canChange = rate.some((r, page) => server[page] === at && r > 0 && weight[page] > 0)
        assert.ok(sum <= own[at] * (1 + 1e-9))
        // Nothing else binds, so a server with pages that change is used in full.
        if (total === Number.POSITIVE_INFINITY && canChange)
          assert.ok(sum >= own[at] * (1 - 1e-5), `${sum} < ${own[at]}`)
      }
      if (total === Number.POSITIVE_INFINITY) assert.equal(price, 0)
      else assert.ok(sums.reduce((a, b) => a + b, 0) <= total * (1 + 1e-9))
      // Wider caps never make the collection staler.
      const wider = bestRatesWithin(
        scenario,
        own.map((cap) => cap * 1.5),
        total,
      )
      assert.ok(wider.staleness <= staleness + 1e-7)
    }),
    { numRuns: 1000 },
  )
})

test('demand that drops within the last digits of a price is met all the same', () => {
  const steep = scenarioOf([
    { server: 2, rate: 0.49835475343548113, weight: 2, size: 0 },
    { server: 0, rate: 0.0001, weight: 0.058548769632825994, size: 0 },
  ])
  const { looks } = bestRatesWithin(steep, Float64Array.of(0.0015, 0.0015, 0.0092), 0.01)
  assert.ok(Math.abs(looks[0] + looks[1] - 0.01) < 1e-12)
  const worths = looks.map((f, page) => value(steep.rate[page], steep.weight[page], 1 / f))
  assert.ok(Math.abs(worths[0] / worths[1] - 1) < 1e-6, `${looks}`)
  // Two pages at one price, one of them on a server that fills first: the other gets the whole rest.
  const tied = scenarioOf([
    { server: 1, rate: 0.02, weight: 0.01, size: 0 },
    { server: 0, rate: 1.9999999999998828, weight: 1, size: 0 },
  ])
  const shared = bestRatesWithin(tied, Float64Array.of(0.0094, 0.0048), 0.01).looks
  assert.ok(Math.abs(shared[1] - 0.0094) < 1e-12)
  assert.ok(Math.abs(shared[0] - 0.0006) < 1e-12, `${shared[0]}`)
})

test('a single page is looked at as often as politeness permits', () => {
  const one = scenarioOf([{ server: 0, rate: 0.2, weight: 3, size: 0 }], { politeness: 10, capacity: 1000 })
  const { staleness, price } = bestRates(one)
  assert.ok(Math.abs(staleness - (1 - (1 - Math.exp(-2)) / 2)) < 1e-9)
  assert.equal(price, 0, 'politeness binds, not capacity')
})

test('WP, NonPolite and InfCrawlers are what they are by definition', () => {
  fc.assert(
    fc.property(smallScenario, (scenario) => {
      const bounds = boundsOf(scenario, bestRates(scenario))
      const plan = planFor('psp', scenario)
      const { rate, weight, horizon } = scenario
      const instants: number[][] = Array.from(rate, () => [])
      eachPlanned(plan, horizon, (page, at) => instants[page].push(at))
      const whole = totalWeight(scenario)
      let fresh = 0
      let stale = 0
      for (let page = 0; page < rate.length; page++) {
        fresh += weight[page] * printedFreshness(rate[page] * horizon, plan.counts[page])
        stale += weight[page] * staleTime(rate[page], instants[page], horizon)
      }
      assert.ok(Math.abs(bounds.wp - (1 - fresh / whole)) < 1e-9)
      assert.ok(Math.abs(bounds.infCrawlers - stale / (whole * horizon)) < 1e-9)
      assert.ok(bounds.nonPolite <= bounds.wp + 1e-12 && bounds.wp <= bounds.infCrawlers + 1e-12)
      assert.equal(stalenessOfPlan(scenario, plan), bounds.infCrawlers)
    }),
  )
})

test('at a lowest price no page is looked at more often than that is worth, and the bound says so', () => {
  const day = 86_400
  const pages = {
    rate: Float64Array.of(1 / day, 1 / (30 * day), 10 / day),
    weight: Float64Array.of(1, 1, 2),
    ...byServer(Uint32Array.of(0, 0, 1), 2),
  }
  const permitted = Float64Array.of(0.4, 0.4)
  const free = bestRatesWithin(pages, permitted, Number.POSITIVE_INFINITY)
  const limited = bestRatesWithin(pages, permitted, Number.POSITIVE_INFINITY, 60)
  for (const [at, looks] of limited.looks.entries()) {
    const gap = 1 / looks
    assert.ok(Math.abs(value(pages.rate[at], pages.weight[at], gap) - 60) < 0.1, `${gap}`)
    assert.ok(looks < free.looks[at])
  }
  assert.ok(limited.staleness > free.staleness)
  assert.deepEqual(bestRatesWithin(pages, permitted, Number.POSITIVE_INFINITY, 1e-9), free)
})
