import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { type PauseRules, SiteCourtesy } from './courtesy.ts'

const rules: PauseRules = {
  configured: (site) => (site === 'own.test' ? { pause: 100, own: true } : { pause: 2000, own: false }),
  factor: 2,
  maxByFactor: 30_000,
  maxCrawlDelay: 300_000,
  maxRetryAfter: 3_600_000,
}

function courtesyOf(site: string, wait = 0) {
  const clock = virtualClock(1_000_000)
  return { clock, courtesy: new SiteCourtesy(site, wait, rules, clock) }
}

test('reports the mean time to connect', () => {
  const { courtesy } = courtesyOf('a.example')
  assert.equal(courtesy.report().connectMs, undefined)
  for (const tookMs of [10, 20, 60]) courtesy.connected(tookMs)
  assert.equal(courtesy.report().connectMs, 30)
})

test('counts from the end of the answer', async () => {
  const { clock, courtesy } = courtesyOf('a.example')
  assert.equal(courtesy.wait, 0)
  await clock.run(clock.sleep(700))
  courtesy.answered(clock.now(), 700, undefined)
  assert.equal(courtesy.wait, 2000)
  await clock.run(clock.sleep(1500))
  assert.equal(courtesy.wait, 500)
})

test('is the longest of our pause, Crawl-delay, a multiple of the answer time and Retry-After, each bounded', () => {
  const { clock, courtesy } = courtesyOf('a.example')
  courtesy.answered(clock.now(), 5000, undefined)
  assert.equal(courtesy.wait, 10_000)
  courtesy.answered(clock.now(), 50_000, undefined)
  assert.equal(courtesy.wait, 30_000)
  assert.equal(courtesy.learnCrawlDelay(45_000), true)
  courtesy.answered(clock.now(), 10, undefined)
  assert.equal(courtesy.wait, 45_000)
  courtesy.learnCrawlDelay(1e9)
  courtesy.answered(clock.now(), 10, undefined)
  assert.equal(courtesy.wait, 300_000)
  courtesy.answered(clock.now(), 10, 500_000)
  assert.equal(courtesy.wait, 500_000)
  courtesy.answered(clock.now(), 10, 1e9)
  assert.equal(courtesy.wait, 3_600_000)
})

test("one's own servers keep their short pause whatever the answer took, but Crawl-delay holds", () => {
  const { clock, courtesy } = courtesyOf('own.test')
  courtesy.answered(clock.now(), 5000, undefined)
  assert.equal(courtesy.wait, 100)
  courtesy.learnCrawlDelay(1000)
  assert.equal(courtesy.wait, 1000)
})

test('the report carries what the next visit must wait for', async () => {
  const { clock, courtesy } = courtesyOf('a.example')
  courtesy.at('192.0.2.1')
  courtesy.answered(clock.now(), 10, 60_000)
  assert.deepEqual(courtesy.report(), {
    pause: 2000,
    lastAnswerAt: 1_000_000,
    notBefore: 1_060_000,
    address: '192.0.2.1',
  })
  courtesy.holdFor(90_000)
  assert.equal(courtesy.report().notBefore, 1_090_000)
})

test('a visit begins with the wait that the coordinator sets', () => {
  assert.equal(courtesyOf('a.example', 1234).courtesy.wait, 1234)
})
