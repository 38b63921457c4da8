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

test('nothing else begins while a request is under way, until it is answered or abandoned', async () => {
  const { clock, courtesy } = courtesyOf('a.example')
  courtesy.begin()
  assert.ok(courtesy.wait > 0)
  courtesy.abandon()
  assert.equal(courtesy.wait, 0)
  courtesy.begin()
  courtesy.answered(clock.now(), 10, undefined)
  assert.equal(courtesy.report().notBefore, clock.now() + 2000)
  await clock.run(clock.sleep(2000))
  assert.equal(courtesy.wait, 0)
})

test('a Crawl-delay learnt after an answer counts from then on, never shortens a wait, and is told when it grows', async () => {
  const { clock, courtesy } = courtesyOf('a.example')
  assert.equal(courtesy.learnCrawlDelay(10_000), true)
  assert.equal(courtesy.wait, 0, 'nothing was asked yet')
  courtesy.answered(clock.now(), 10, undefined)
  assert.equal(courtesy.wait, 10_000)
  assert.equal(courtesy.learnCrawlDelay(10_000), false)
  assert.equal(courtesy.learnCrawlDelay(undefined), false)
  assert.equal(courtesy.pause, 2000)
  assert.equal(courtesy.wait, 10_000)
  await clock.run(clock.sleep(9_500))
  courtesy.learnCrawlDelay(20_000)
  assert.equal(courtesy.wait, 20_000)
})

test('a wait of the whole site is never shortened by a shorter one, and lasts for the next visit', () => {
  const { clock, courtesy } = courtesyOf('a.example')
  courtesy.holdFor(90_000)
  assert.equal(courtesy.wait, 90_000)
  courtesy.holdFor(60_000)
  assert.equal(courtesy.wait, 90_000)
  assert.equal(courtesy.report().notBefore, clock.now() + 90_000)
  courtesy.answered(clock.now(), 10, undefined)
  assert.equal(courtesy.wait, 2000, 'it answers again')
  assert.equal(courtesy.report().notBefore, clock.now() + 90_000)
})

test('a pause may be set for an address', () => {
  const clock = virtualClock(0)
  const configured = (_: string, address: string | undefined) =>
    address === '192.0.2.1' ? { pause: 10, own: true } : { pause: 2000, own: false }
  const courtesy = new SiteCourtesy('a.example', 0, { ...rules, configured }, clock)
  assert.deepEqual([courtesy.pause, courtesy.own], [2000, false])
  courtesy.at('192.0.2.1')
  assert.deepEqual([courtesy.pause, courtesy.own], [10, true])
  courtesy.answered(0, 9_000, undefined)
  assert.equal(courtesy.wait, 10)
})

test('the operator is told why a site is slow', async () => {
  const { clock, courtesy } = courtesyOf('a.example')
  assert.equal(courtesy.slow, undefined)
  courtesy.answered(clock.now(), 2_400, undefined)
  assert.equal(courtesy.slow, undefined)
  courtesy.answered(clock.now(), 2_500, undefined)
  assert.match(courtesy.slow!, /^slow answers: a pause of 5s$/)
  courtesy.learnCrawlDelay(6_000)
  assert.match(courtesy.slow!, /^Crawl-delay of 6s$/)
  courtesy.answered(clock.now(), 2_500, 5_000)
  assert.match(courtesy.slow!, /^asked us to wait 6s$/)
  await clock.run(clock.sleep(7_000))
  assert.match(courtesy.slow!, /^Crawl-delay of 6s$/, 'that wait is over')
  const own = new SiteCourtesy('a.example', 0, { ...rules, configured: () => ({ pause: 60_000, own: false }) }, clock)
  assert.equal(own.slow, undefined, 'as the operator set it')
})
