import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Random, seededRandom } from '../base/random.ts'
import { Estimates, estimateRate, estimateRegular, rateRange, sitePrior } from './estimate.ts'
import { timeToReach, value } from './freshness.ts'

test('for equal intervals the estimate is −ln(unchanged share)/interval, nearly', () => {
  const [looks, changes, interval] = [10_000, 3000, 50]
  const exact = -Math.log(0.7) / interval
  const found = estimateRate({ changes, changed: changes * interval, unchanged: (looks - changes) * interval }, 0.001)
  assert.ok(Math.abs(found / exact - 1) < 1e-2)
  assert.ok(Math.abs(estimateRegular(looks, changes, interval) / exact - 1) < 1e-3)
})

test('before any look the estimate is the prior; it falls with every look that finds no change', () => {
  const estimates = new Estimates([0], 0.01)
  assert.ok(Math.abs(estimateRate({ changes: 0, changed: 0, unchanged: 0 }, 0.01) - 0.01) < 1e-12)
  let before = estimates.rate[0]
  for (let i = 0; i < 5; i++) {
    estimates.observe(0, 100, false)
    assert.ok(estimates.rate[0] < before)
    before = estimates.rate[0]
  }
})

test('the estimate from irregular looks converges to the rate', () => {
  const random = seededRandom(7)
  const estimates = new Estimates([0], 0.001)
  for (let i = 0; i < 20_000; i++) {
    const interval = 20 + 60 * random.next()
    estimates.observe(0, interval, random.next() > Math.exp(-0.02 * interval))
  }
  assert.ok(Math.abs(estimates.rate[0] / 0.02 - 1) < 0.05, `${estimates.rate[0]}`)
})

test('a page reaches the price when timeToReach says', () => {
  const [rate, weight] = [0.01, 2]
  const wait = timeToReach(rate, weight, 30)
  assert.ok(Math.abs(value(rate, weight, wait) / 30 - 1) < 1e-3)
  assert.equal(timeToReach(rate, weight, 200), Number.POSITIVE_INFINITY)
})

const DAY = 86_400

/** The median estimate over many pages, each looked at `looks` times every `interval` seconds or so. */
function medianEstimate(
  changesIn: (random: Random) => (from: number, to: number) => boolean,
  looks: number,
  interval: number,
) {
  const found = Array.from({ length: 201 }, (_, page) => {
    const random = seededRandom(page + 1)
    const isChanged = changesIn(random)
    const estimates = new Estimates([0])
    let at = 0
    for (let look = 0; look < looks; look++) {
      const next = at + interval * (0.5 + random.next())
      estimates.observe(0, next - at, isChanged(at, next))
      at = next
    }
    return estimates.rate[0]
  })
  return found.sort((a, b) => a - b)[100]
}

/** Changes happen in bursts of 10, a minute apart; bursts are Poisson. */
function bursts(random: Random, rate: number) {
  let next = -Math.log(random.next()) / rate
  return (from: number, to: number) => {
    let isChanged = false
    while (next < to) {
      if (next + 540 > from) isChanged = true
      next += -Math.log(random.next()) / rate
    }
    return isChanged
  }
}

test('the estimate converges for Poisson pages, and for bursts it finds the rate of the bursts', () => {
  const rate = 1 / DAY
  const poisson = (random: Random) => (from: number, to: number) => random.next() < -Math.expm1(-rate * (to - from))
  const late = medianEstimate(poisson, 200, DAY / 2) / rate
  assert.ok(late > 0.9 && late < 1.1, `${late}`)
  const early = medianEstimate(poisson, 20, DAY / 2) / rate
  assert.ok(early > 0.6 && early < 1.1, `few looks err low: ${early}`)
  const bursty = medianEstimate((random) => bursts(random, rate), 200, DAY / 2) / rate
  assert.ok(bursty > 0.85 && bursty < 1.15, `${bursty}`)
})

test('a page that changes every day is thought to change at least daily, however it is looked at', () => {
  const periodic = () => (from: number, to: number) => Math.floor(to / DAY) > Math.floor(from / DAY)
  // Regular changes surprise less than random ones: looks twice a day find every second one changed.
  const often = medianEstimate(periodic, 200, DAY / 2) * DAY
  assert.ok(often > 1 && often < 2, `${often}`)
  const rarely = medianEstimate(periodic, 50, 3 * DAY) * DAY
  assert.ok(rarely > 0.5, `every look found a change: ${rarely}`)
})

test('a page never looked at twice has half the rate that its site has shown', () => {
  const none = { changes: 0, changed: 0, unchanged: 0 }
  assert.equal(sitePrior(none, 0.01), 0.01)
  const site = { changes: 500, changed: 500 * 100, unchanged: 500 * 100 }
  const rate = Math.LN2 / 100
  assert.ok(Math.abs(sitePrior(site, 0.0001) / (rate / 2) - 1) < 0.1)
  const estimates = new Estimates([0, 0, 1], 0.0001)
  for (let look = 0; look < 200; look++) estimates.observe(0, 100, look % 2 === 0)
  estimates.observe(1, 1, false)
  estimates.observe(2, 1, false)
  assert.ok(estimates.rate[1] > 10 * estimates.rate[2], 'it learnt from its neighbour, another site did not')
})

test('the range holds the true rate about nine times in ten', () => {
  const random = seededRandom(3)
  let inside = 0
  for (let page = 0; page < 400; page++) {
    const looks = { changes: 0, changed: 0, unchanged: 0 }
    for (let look = 0; look < 60; look++) {
      const interval = 50 + 100 * random.next()
      if (random.next() < -Math.expm1(-0.004 * interval)) {
        looks.changes++
        looks.changed += interval
      } else looks.unchanged += interval
    }
    const [low, high] = rateRange(looks, estimateRate(looks, 0.004))
    if (low <= 0.004 && 0.004 <= high) inside++
  }
  assert.ok(inside > 0.85 * 400 && inside < 0.96 * 400, `${inside}`)
  assert.deepEqual(rateRange({ changes: 0, changed: 0, unchanged: 100 }, 0.001), [0, 0.03])
})
