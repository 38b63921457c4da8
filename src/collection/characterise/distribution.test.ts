import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Distribution } from './distribution.ts'

function of(values: readonly number[]): Distribution {
  const distribution = new Distribution()
  for (const value of values) distribution.add(value)
  return distribution
}

test('small numbers are exact', () => {
  const summary = of([0, 1, 1, 2, 3, 5, 8, 13, 21, 34]).summary()
  const { count, sum, mean, min, median, p90, p99, max } = summary
  assert.deepEqual([count, sum, mean, min, median, p90, p99, max], [10, 88, 8.8, 0, 3, 21, 34, 34])
  assert.deepEqual(
    summary.histogram.map(({ from, to, count }) => `${from}-${to}: ${count}`),
    ['0-0: 1', '1-1: 2', '2-3: 2', '4-7: 1', '8-15: 2', '16-31: 1', '32-63: 1'],
  )
})

test('an empty distribution has a summary', () => {
  assert.deepEqual(new Distribution().summary(), {
    count: 0,
    sum: 0,
    mean: 0,
    min: 0,
    median: 0,
    p90: 0,
    p99: 0,
    p999: 0,
    max: 0,
    histogram: [],
  })
})

test('quantiles are those of the sorted numbers, to 0.4 %; every number is in one bin', () => {
  const number = fc.oneof(fc.nat(5000), fc.nat(10_000_000), fc.double({ min: 0, max: 2 ** 44, noNaN: true }))
  fc.assert(
    fc.property(
      fc.array(number, { minLength: 1, maxLength: 60 }),
      fc.double({ min: 0.01, max: 1, noNaN: true }),
      (values, q) => {
        const distribution = of(values)
        const sorted = values.map(Math.round).sort((a, b) => a - b)
        const exact = sorted[Math.max(1, Math.ceil(sorted.length * q - 1e-9)) - 1]
        const found = distribution.quantile(q)
        assert.ok(found >= exact && found <= exact * (1 + 1 / 256), `${found} for ${exact}`)
        const { histogram, count, max } = distribution.summary()
        assert.equal(
          histogram.reduce((sum, bin) => sum + bin.count, 0),
          count,
        )
        assert.equal(max, sorted.at(-1))
        for (const bin of histogram) {
          assert.equal(bin.count, sorted.filter((value) => value >= bin.from && value <= bin.to).length)
        }
      },
    ),
  )
})

test('numbers beyond the largest are counted', () => {
  const distribution = of([2 ** 52, 1])
  assert.equal(distribution.summary().max, 2 ** 52)
  assert.equal(distribution.count, 2)
})
