import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../base/random.ts'
import {
  BadScenario,
  draw,
  drawScenario,
  paperDraw,
  parseDistribution,
  readInstance,
  type ScenarioDraw,
  zipfShares,
} from './make-scenario.ts'
import { serverCap } from './scenario.ts'

const given = (text: string) => {
  const found = parseDistribution(text, 1 / 3600)
  assert.ok(found !== undefined, text)
  return found
}

test('distributions are parsed as users write them', () => {
  assert.deepEqual(given('uniform:0.01:1/hour'), { kind: 'uniform', parameters: [0.01, 1], unit: 1 / 3600 })
  assert.deepEqual(given('10/s'), { kind: 'equal', parameters: [10], unit: 1 })
  assert.deepEqual(given('zipf:1.5'), { kind: 'zipf', parameters: [1.5], unit: 1 / 3600 })
  assert.deepEqual(given('lognormal:15kB:1/day').parameters, [15_000, 1])
  assert.deepEqual(given('uniform').parameters, [0, 1])
  for (const wrong of [
    '',
    'uniform:1',
    'uniform:2:1',
    'normal:1:2',
    'uniform:0:1/fortnight',
    'pareto:0:1',
    'uniform:a:b',
  ])
    assert.equal(parseDistribution(wrong, 1), undefined, wrong)
})

test('drawn numbers have the expected means', () => {
  const mean = (text: string, ranks?: Float64Array) =>
    draw(given(text), 50_000, seededRandom(3), ranks).reduce((a, b) => a + b, 0) / 50_000
  const near = (found: number, expected: number) =>
    assert.ok(Math.abs(found / expected - 1) < 0.03, `${found} ${expected}`)
  near(mean('uniform:0.01:1/hour') * 3600, 0.505)
  near(mean('pareto:1:3/s'), 1.5)
  near(mean('lognormal:2:0.5/s'), 2 * Math.exp(0.125))
  // P(k/100) ∝ 1/k: the mean is 1 / H(100).
  const ranks = Float64Array.from({ length: 100 }, (_, k) => (k + 1) / 100)
  near(mean('zipf:1', ranks), 1 / 5.18737751763962)
})

test('Zipf shares add up and decrease', () => {
  const shares = zipfShares(1_000_000, 2000, 1)
  assert.equal(
    shares.reduce((a, b) => a + b, 0),
    1_000_000,
  )
  assert.ok(shares.every((share, k) => k === 0 || share <= shares[k - 1]))
  assert.equal(shares[0], Math.round(1_000_000 / 8.178368103610282))
  assert.deepEqual([...zipfShares(10, 4, 0)], [3, 3, 2, 2])
})

test('the same seed gives the same scenario, and one column does not disturb another', () => {
  const ask = {
    pages: 100,
    servers: 7,
    zipf: 1,
    rates: given('uniform:0.01:1/hour'),
    weights: given('equal'),
    sizes: undefined,
    serverSpeed: undefined,
    crawlers: 10,
    crawlerSpeed: given('0.1/s'),
    horizon: 86_400,
    politeness: 15,
    capacity: undefined,
    seed: 5,
  }
  const one = drawScenario(ask)
  assert.deepEqual(one, drawScenario(ask))
  assert.deepEqual(one.rate, drawScenario({ ...ask, weights: given('uniform') }).rate)
  assert.equal(one.capacity, 86_400, 'ten times 0.1 is 1')
})

test('an instance is read as written, and an error names the wrong field', () => {
  const instance = {
    horizon: 100,
    politeness: 10,
    capacity: 15,
    crawlers: [{ rate: 1 }],
    servers: [{}, { rate: 1000 }],
    pages: [
      { server: 1, rate: 0.05, weight: 2, size: 300 },
      { server: 0, rate: 0, weight: 1 },
    ],
  }
  const read = readInstance(JSON.stringify(instance))
  assert.deepEqual([...read.members], [1, 0])
  assert.deepEqual([...read.servers], [Number.POSITIVE_INFINITY, 1000])
  assert.deepEqual([...(read.size ?? [])], [300, 0])
  assert.deepEqual(readInstance(`\ufeff${JSON.stringify(instance)}`), read, 'an editor may have put a mark in front')
  const wrong: [object, RegExp][] = [
    [{ ...instance, horizon: 0 }, /horizon should be a number above 0/],
    [{ ...instance, pages: [] }, /"pages" is not a list/],
    [{ ...instance, pages: [{ server: 2, rate: 1, weight: 1 }] }, /pages\[0\]\.server is 2; servers are 0 to 1/],
    [{ ...instance, pages: [{ server: 0, rate: 'often', weight: 1 }] }, /pages\[0\]\.rate should be a number/],
    [{ ...instance, pages: [{ server: 0, rate: 1, weight: 0 }] }, /no page has a weight/],
    [{ ...instance, crawlers: [3] }, /crawlers\[0\] is not an object/],
    [{ ...instance, crawlers: [{ rate: 0 }] }, /crawlers\[0\]\.rate should be a number above 0 but is 0/],
    [{ ...instance, servers: [{ rate: -1 }, {}] }, /servers\[0\]\.rate should be a number above 0 but is -1/],
    [{ ...instance, pages: [{ server: 0, rate: -1, weight: 1 }] }, /pages\[0\]\.rate should be a number of 0 or more/],
    [{ ...instance, pages: [{ server: -1, rate: 1, weight: 1 }] }, /pages\[0\]\.server is -1/],
  ]
  for (const [text, why] of wrong)
    assert.throws(
      () => readInstance(JSON.stringify(text)),
      (e) => e instanceof BadScenario && why.test(e.message),
    )
  assert.throws(() => readInstance('{'), /not valid JSON/)
  const beyond = JSON.stringify(instance).replace('"horizon":100', '"horizon":1e999')
  assert.throws(() => readInstance(beyond), /horizon should be a number above 0 but is Infinity/)
})

test('drawn scenarios are checked by the same rules, and the error names the flag', () => {
  const ask = paperDraw(1000, 1)
  const wrong: [Partial<ScenarioDraw>, RegExp][] = [
    [{ weights: given('equal:0') }, /no page has a weight above 0 \(--weights\)/],
    [{ crawlerSpeed: given('0/s') }, /--crawler-speed should be a number above 0 but is 0/],
    [{ serverSpeed: given('0/s') }, /--server-speed should be a number above 0 but is 0/],
    [{ rates: { kind: 'equal', parameters: [-1], unit: 1 } }, /--rates should be a number of 0 or more but is -1/],
    [{ rates: given('pareto:1:0.0001') }, /--rates should be a number of 0 or more but is Infinity/],
    [{ sizes: { kind: 'equal', parameters: [Number.NaN], unit: 1 } }, /--sizes should be .* but is NaN/],
    [{ horizon: 0 }, /--horizon should be a number above 0/],
    [{ politeness: -1 }, /--politeness should be a number of 0 or more/],
    [{ capacity: Number.NaN }, /--capacity should be a number of 0 or more/],
  ]
  for (const [change, why] of wrong)
    assert.throws(
      () => drawScenario({ ...ask, ...change }),
      (e) => e instanceof BadScenario && why.test(e.message),
    )
  const slow = drawScenario({ ...ask, crawlerSpeed: given('zipf:1/min') })
  assert.equal(Math.max(...slow.crawlers), 1 / 60, 'ranks have units too')
})

test('⌊T/P⌋ does not lose one to rounding', () => {
  assert.equal(serverCap({ horizon: 0.3, politeness: 0.1 }), 3)
  assert.equal(serverCap({ horizon: 86_400, politeness: 15 }), 5760)
  assert.equal(serverCap({ horizon: 86_399.99, politeness: 15 }), 5759)
  assert.equal(serverCap({ horizon: 1, politeness: 0 }), Number.POSITIVE_INFINITY)
})
