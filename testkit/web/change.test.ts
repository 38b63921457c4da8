import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { changesBetween, versionAt } from './change.ts'

const DAY = 86_400_000

test('versions change exactly when changes are counted', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.double({ min: 0.01, max: 5, noNaN: true }),
      fc.nat(300),
      fc.nat(3000),
      (page, rate, day, step) => {
        const from = day * DAY
        const to = from + step * 60_000
        const before = versionAt(page, rate, 0, from)
        const after = versionAt(page, rate, 0, to)
        const changes = changesBetween(page, rate, 0, from, to)
        assert.equal(before.id !== after.id, changes.length > 0)
        assert.ok(after.since <= to && (changes.length === 0) === after.since <= from)
        if (changes.length > 0) assert.equal(after.since, Math.floor(changes[changes.length - 1]))
        for (let i = 1; i < changes.length; i++) assert.ok(changes[i - 1] <= changes[i])
      },
    ),
  )
})

test('drawn changes have their rate and the variance of a Poisson process', () => {
  let none = 0
  let sum = 0
  const pages = 4000
  for (let page = 0; page < pages; page++) {
    const changes = changesBetween(page * 7919, 0.5, 0, 100 * DAY, 102 * DAY).length
    sum += changes
    if (changes === 0) none++
  }
  assert.ok(Math.abs(sum / pages - 1) < 0.06, `mean ${sum / pages}`)
  assert.ok(Math.abs(none / pages - Math.exp(-1)) < 0.03, `without a change ${none / pages}`)
})
