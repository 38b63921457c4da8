import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../base/random.ts'
import { adaptPrice, Estimates, estimateRate, estimateRegular, hintBonus, timeToReach, value } from './freshness.ts'

test('for equal intervals the estimate is −ln(unchanged share)/interval, nearly', () => {
  const [looks, changes, interval] = [10_000, 3000, 50]
  const exact = -Math.log(0.7) / interval
  const found = estimateRate(changes, changes * interval, (looks - changes) * interval, 0.001)
  assert.ok(Math.abs(found / exact - 1) < 1e-2)
  assert.ok(Math.abs(estimateRegular(looks, changes, interval) / exact - 1) < 1e-3)
})

test('before any look the estimate is the prior; it falls with every look that finds no change', () => {
  const estimates = new Estimates(1, 0.01)
  assert.ok(Math.abs(estimateRate(0, 0, 0, 0.01) - 0.01) < 1e-12)
  let before = estimates.rate[0]
  for (let i = 0; i < 5; i++) {
    estimates.observe(0, 100, false)
    assert.ok(estimates.rate[0] < before)
    before = estimates.rate[0]
  }
})

test('the estimate from irregular looks converges to the rate', () => {
  const random = seededRandom(7)
  const estimates = new Estimates(1, 0.001)
  for (let i = 0; i < 20_000; i++) {
    const interval = 20 + 60 * random.next()
    estimates.observe(0, interval, random.next() > Math.exp(-0.02 * interval))
  }
  assert.ok(Math.abs(estimates.rate[0] / 0.02 - 1) < 0.05, `${estimates.rate[0]}`)
})

test('a page reaches the price when timeToReach says; hints make that earlier', () => {
  const [rate, weight] = [0.01, 2]
  const wait = timeToReach(rate, weight, 30)
  assert.ok(Math.abs(value(rate, weight, wait) / 30 - 1) < 1e-3)
  assert.equal(timeToReach(rate, weight, 200), Number.POSITIVE_INFINITY)
  const bonus = hintBonus(rate, 0.5, 0.001)
  assert.ok(value(rate, weight, 10 + bonus) > value(rate, weight, 10))
  assert.ok(Math.abs(bonus - Math.log(6) / 0.005) < 1e-9)
})

test('the price rises while servers queue, falls while fetchers are idle, and otherwise stays', () => {
  assert.ok(adaptPrice(10, 50, 40, 1000) > 10)
  assert.ok(adaptPrice(10, 0, 40, 1000) < 10)
  assert.equal(adaptPrice(10, 20, 40, 1000), 10)
})
