import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addressViolations,
  beforeRobots,
  courtesyViolations,
  forbiddenRequests,
  maxAtOnce,
  nameless,
  overlaps,
  repeats,
} from './judges.ts'
import type { RequestEntry } from './ledger-of-requests.ts'
import { splitUrl } from './spelling.ts'
import { makeWeb } from './web.ts'

const entry = (
  url: string,
  at: number,
  endedAt: number | undefined,
  more: Partial<RequestEntry> = {},
): RequestEntry => ({
  at,
  wall: at,
  endedAt,
  site: splitUrl(url).host,
  url,
  asked: url,
  address: '10.1.1.1',
  userAgent: 'orbweaver/0.1.0 (+http://example.test/)',
  status: 200,
  connection: 1,
  bodyBytes: 10,
  whole: true,
  ...more,
})

const A = 'http://a.test'
const rule = { pauseOf: () => 1000, toleranceMs: 5 }

test('the pause counts from the end of the answer', () => {
  const kept = [
    entry(`${A}/robots.txt`, 0, 900),
    entry(`${A}/`, 1900, 2000),
    entry('http://b.test/', 2000, 2001),
    entry(`${A}/x`, 2996, 3000),
  ]
  assert.deepEqual(courtesyViolations(kept, rule), [])
  const [wrong] = courtesyViolations([entry(`${A}/`, 0, 900), entry(`${A}/x`, 1800, 1900)], rule)
  assert.equal(wrong.gapMs, 900)
  assert.equal(courtesyViolations(kept, { ...rule, pauseOf: () => 1200 }).length, 2)
})

test('an address has its own, and counts what is under way', () => {
  const near = [
    entry(`${A}/`, 0, 500),
    entry('http://b.test/', 100, 600),
    entry('http://c.test/', 450, 460, { address: '10.1.1.2' }),
  ]
  assert.equal(addressViolations(near, { pauseOf: () => 200, toleranceMs: 0, from: 'start' }).length, 1)
  assert.equal(addressViolations(near, { pauseOf: () => 50, toleranceMs: 0, from: 'start' }).length, 0)
  assert.equal(addressViolations(near, { pauseOf: () => 50, toleranceMs: 0, from: 'end' }).length, 1)
  assert.equal(maxAtOnce(near, 'address'), 2)
  assert.equal(maxAtOnce(near, 'site'), 1)
})

test('two requests under way in one site', () => {
  assert.equal(overlaps([entry(`${A}/`, 0, 100), entry(`${A}/x`, 99, 200)]).length, 1)
  assert.equal(overlaps([entry(`${A}/`, 0, undefined), entry(`${A}/x`, 99, 200)]).length, 1)
  assert.equal(overlaps([entry(`${A}/`, 0, 100), entry(`${A}/x`, 100, 200)]).length, 0)
})

test('what robots.txt forbids', () => {
  const web = makeWeb({ seed: 1, sites: 3, robots: ['some'] })
  const asked = ['/', '/private2/', '/robots.txt', '/tmp1/x'].map((path) => entry(`http://s1.web.test${path}`, 0, 1))
  assert.deepEqual(
    forbiddenRequests(asked, web, 'orbweaver').map(({ url }) => new URL(url).pathname),
    ['/private2/', '/tmp1/x'],
  )
  const closed = makeWeb({ seed: 1, sites: 3, robots: ['unavailable'] })
  assert.equal(forbiddenRequests(asked, closed, 'orbweaver').length, 3)
})

test('repeated requests are counted; retries of a failure are not', () => {
  const asked = [
    entry(`${A}/`, 0, 1),
    entry(`${A}/`, 10, 11),
    entry(`${A}/busy`, 20, 21, { status: 503 }),
    entry(`${A}/busy`, 30, 31),
    entry(`${A}/cut`, 40, 41, { whole: false }),
    entry(`${A}/cut`, 50, 51),
    entry('https://a.test/', 60, 61),
    entry(`${A}/robots.txt`, 70, 71),
    entry(`${A}/robots.txt`, 70 + 86_400_000, 80 + 86_400_000),
  ]
  const found = repeats(asked)
  assert.deepEqual(
    found.repeats.map(({ url }) => url),
    [`${A}/`],
  )
  assert.deepEqual(
    found.retries.map(({ url }) => url),
    [`${A}/busy`, `${A}/cut`],
  )
  assert.equal(repeats(asked, { allow: (before) => before.at === 0 }).repeats.length, 0)
  assert.equal(repeats(asked, { robotsLastsMs: 2 * 86_400_000 }).repeats.length, 2)
})

test('robots.txt first', () => {
  assert.equal(beforeRobots([entry(`${A}/robots.txt`, 0, 10), entry(`${A}/`, 10, 20)]).length, 0)
  assert.equal(beforeRobots([entry(`${A}/robots.txt`, 0, 10), entry(`${A}/`, 9, 20)]).length, 1)
  assert.equal(beforeRobots([entry(`${A}/`, 9, 20)]).length, 1)
  assert.equal(beforeRobots([entry(`${A}/robots.txt`, 0, 10), entry('https://a.test/', 10, 20)]).length, 1)
})

test('an honest name', () => {
  assert.equal(
    nameless([entry(A, 0, 1), entry(A, 0, 1, { userAgent: 'orbweaver/1.0' }), entry(A, 0, 1, { userAgent: '' })])
      .length,
    1,
  )
})
