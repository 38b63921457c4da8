import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { gain, meanAge, ROUGH, roughWorth, roughWorthInverse, staleShare, worth, worthInverse } from './freshness.ts'
import { printedFreshness, staleTime } from './small-scenario.test-data.ts'

const near = (found: number, expected: number, relative: number, what = '') =>
  assert.ok(Math.abs(found - expected) <= relative * Math.abs(expected), `${what} ${found} is not ${expected}`)

test("the paper's example of §3: a shift by one slot costs nothing, uneven gaps do", () => {
  const freshness = (slots: number[]) =>
    1 -
    staleTime(
      2.4,
      slots.map((slot) => slot / 12),
      1,
    )
  near(freshness([1, 4, 7, 10]), 0.7769, 1e-4)
  near(freshness([2, 5, 8, 11]), freshness([1, 4, 7, 10]), 1e-14)
  near(freshness([2, 3, 8, 9]), 0.7398, 1e-4)
})

/** By Simpson's rule; the integrand at time t of a gap of length 1. */
function integral(f: (t: number) => number): number {
  const steps = 2000
  let sum = f(0) + f(1)
  for (let i = 1; i < steps; i++) sum += f(i / steps) * (i % 2 === 0 ? 2 : 4)
  return sum / (3 * steps)
}

test('staleness and age of a gap are the integrals they stand for, also for tiny rates', () => {
  for (const u of [1e-9, 1e-4, 0.0199, 0.0201, 0.0999, 0.1001, 0.5, 3, 40]) {
    near(
      staleShare(u),
      integral((t) => -Math.expm1(-u * t)),
      1e-9,
      `stale ${u}`,
    )
    // A page whose first change was at s has the age t − s.
    near(
      meanAge(u, staleShare(u)),
      integral((t) => t - (u * t < 1e-3 ? t - (u * t * t) / 2 + (u * u * t ** 3) / 6 : -Math.expm1(-u * t) / u)),
      1e-6,
      `age ${u}`,
    )
  }
  assert.equal(staleShare(0), 0)
})

test('a gain is the difference that the paper prints', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 50, noNaN: true }), fc.integer({ min: 0, max: 50 }), (a, x) => {
      const printed = printedFreshness(a, x + 1) - printedFreshness(a, x)
      assert.ok(Math.abs(gain(2, a, x) - 2 * printed) < 1e-12)
      assert.ok(gain(2, a, x + 1) < gain(2, a, x), 'gains fall')
    }),
  )
})

test('h and its inverse undo each other', () => {
  fc.assert(
    fc.property(fc.double({ min: -14, max: 3.4, noNaN: true }), (log) => {
      const u = Math.exp(log)
      near(worthInverse(worth(u)), u, 1e-6)
      near(roughWorthInverse(worth(u)), u, 1e-3)
      near(roughWorth(u), worth(u), ROUGH)
      near(worth(roughWorthInverse(worth(u))), worth(u), 5e-5)
    }),
  )
  assert.equal(roughWorth(0), 0)
  assert.equal(roughWorth(1e9), 1)
  assert.equal(worthInverse(1), Number.POSITIVE_INFINITY)
  assert.equal(worthInverse(0), 0)
})
