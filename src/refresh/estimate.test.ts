import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Random, seededRandom } from '../base/random.ts'
import { bestRatesWithin } from './bounds.ts'
import { Estimates, estimateRate, FIRST_PRIOR, type Looks, rateRange, sitePrior } from './estimate.ts'
import { staleShare, timeToReach, value } from './freshness.ts'
import { byServer } from './scenario.ts'

/** Cho & Garcia-Molina's estimator for regular looks. */
function estimateRegular(looks: number, changes: number, interval: number): number {
  return -Math.log((looks - changes + 0.5) / (looks + 0.5)) / interval
}

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

test('any looks have an estimate: more changes raise it, more unchanged time lowers it, the unit of time does not matter', () => {
  const times = fc.double({ min: 1, max: 1e9, noNaN: true })
  const changes = fc.oneof(fc.nat(5), fc.nat(1_000_000))
  const priors = fc.double({ min: 1e-9, max: 1, noNaN: true })
  fc.assert(
    fc.property(changes, times, fc.oneof(fc.constant(0), times), priors, (count, interval, unchanged, prior) => {
      const looks = (more: number, less: number) => ({
        changes: count + more,
        changed: (count + more) * interval,
        unchanged: unchanged + less,
      })
      const rate = estimateRate(looks(0, 0), prior)
      assert.ok(rate > 0 && Number.isFinite(rate), `${rate}`)
      assert.ok(estimateRate(looks(1, 0), prior) >= rate * (1 - 1e-5))
      assert.ok(estimateRate(looks(0, interval), prior) <= rate * (1 + 1e-5))
      const scaled = { changes: count, changed: count * interval * 60, unchanged: unchanged * 60 }
      assert.ok(Math.abs((60 * estimateRate(scaled, prior / 60)) / rate - 1) < 1e-5)
    }),
  )
  assert.ok(Number.isFinite(estimateRate({ changes: 3, changed: 0, unchanged: 0 }, 1e-7)), 'changes in no time')
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

test('a page that changes every hour is believed within a day, on a new site and on one that hardly changes', () => {
  const hourly = { changes: 15, changed: 15 * 3600, unchanged: 9 * 3600 }
  const truth = Math.log(24 / 9) / 3600
  for (const prior of [FIRST_PRIOR, FIRST_PRIOR / 10]) {
    const ratio = estimateRate(hourly, prior) / truth
    assert.ok(ratio > 0.7 && ratio < 1.1, `${ratio}`)
  }
})

test('looks at intervals that follow from the estimate do not mislead it', () => {
  const rate = 1 / DAY
  for (const price of [DAY / 4, DAY / 40]) {
    const found = Array.from({ length: 201 }, (_, page) => {
      const random = seededRandom(page + 1)
      const estimates = new Estimates([0], FIRST_PRIOR)
      for (let look = 0; look < 200; look++) {
        const interval = Math.min(30 * DAY, timeToReach(estimates.rate[0], 1, price))
        estimates.observe(0, interval, random.next() < -Math.expm1(-rate * interval))
      }
      return estimates.rate[0]
    })
    const median = found.sort((a, b) => a - b)[100] / rate
    assert.ok(median > 0.85 && median < 1.1, `${median}`)
  }
})

/** Staleness when one server's looks are shared by these rates, over the least possible. */
function lossBy(rate: Float64Array, truth: Float64Array, looks: number): number {
  const pages = { weight: new Float64Array(rate.length).fill(1), ...byServer(new Uint32Array(rate.length), 1) }
  const stale = (by: Float64Array) => {
    const best = bestRatesWithin({ ...pages, rate: by }, Float64Array.of(looks), Number.POSITIVE_INFINITY)
    return truth.reduce((sum, own, page) => sum + staleShare(own / best.looks[page]), 0)
  }
  return stale(rate) / stale(truth)
}

/** The mean of the posterior distribution, of pages whose rates were drawn as these were. */
function posteriorMean({ changes, changed, unchanged }: Looks, drawn: readonly number[]): number {
  const likely = drawn.map(
    (rate) => (changes > 0 ? changes * Math.log(-Math.expm1((-rate * changed) / changes)) : 0) - rate * unchanged,
  )
  const most = Math.max(...likely)
  const shares = likely.map((x) => Math.exp(x - most))
  return shares.reduce((sum, share, at) => sum + share * drawn[at], 0) / shares.reduce((sum, share) => sum + share, 0)
}

test('without knowing how rates are distributed it does nearly as well as with: narrow, wide or heavy-tailed', () => {
  // The shares of the distributions at these points. Pareto: half of the pages change less than once in 50 days.
  const kinds = {
    uniform: (share: number) => (0.01 + 0.99 * share) / DAY,
    wide: (share: number) => 120 ** share / (30 * DAY),
    pareto: (share: number) => 0.01 / (1 - share) / DAY,
  }
  const losses = Object.entries(kinds).map(([kind, quantile]) => {
    const random = seededRandom(11)
    const truth = new Float64Array(2000).map(() => quantile(random.next()))
    const drawn = Array.from({ length: 300 }, (_, at) => quantile((at + 0.5) / 300))
    const site = { changes: 0, changed: 0, unchanged: 0 }
    const pages = Array.from(truth, (rate) => {
      // 44 looks in 22 days.
      let changes = 0
      for (let look = 0; look < 44; look++) if (random.next() < -Math.expm1((-rate * DAY) / 2)) changes++
      const looks = { changes, changed: (changes * DAY) / 2, unchanged: ((44 - changes) * DAY) / 2 }
      site.changes += looks.changes
      site.changed += looks.changed
      site.unchanged += looks.unchanged
      return looks
    })
    const prior = sitePrior(site)
    const learnt = lossBy(
      Float64Array.from(pages, (looks) => estimateRate(looks, prior)),
      truth,
      2000 / DAY,
    )
    const best = lossBy(
      Float64Array.from(pages, (looks) => posteriorMean(looks, drawn)),
      truth,
      2000 / DAY,
    )
    assert.ok(learnt < best + 0.01, `${kind}: ${learnt}, with the true distribution ${best}`)
    return [kind, best]
  })
  // So little can be known of pages that hardly change: for a heavy tail 1.05 can't be reached in so many days.
  assert.ok(Object.fromEntries(losses).pareto > 1.05, String(losses))
})
