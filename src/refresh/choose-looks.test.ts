import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseLooks, EXPLORE_EVERY, type Slots, type Valued, worthFrom } from './choose-looks.ts'
import { value } from './freshness.ts'

const SLOTS: Slots = { from: 1e9, step: 60_000, count: 5, perClass: 9, price: 0, looks: undefined, inTurn: false }
const page = fc.record({
  looked_at: fc.integer({ min: 0, max: 999_000_000 }),
  rate: fc.double({ min: 1e-8, max: 1e-2, noNaN: true }),
  weight: fc.double({ min: 0.1, max: 10, noNaN: true }),
})
const ofClass = fc.array(page, { maxLength: 5 }).map((all) => all.sort((a, b) => a.looked_at - b.looked_at))
const classes = fc.array(ofClass, { maxLength: 8 })
const worthAt =
  (at: number) =>
  ({ rate, weight, looked_at }: Valued) =>
    value(rate, weight, (at - looked_at) / 1000)

test('each look goes to the head that is worth most when it is made', () => {
  fc.assert(
    fc.property(classes, fc.nat(8), (all, count) => {
      const left = all.map((pages) => [...pages])
      const chosen = chooseLooks(all, { ...SLOTS, count })
      for (const [slot, one] of chosen.entries()) {
        const worth = worthAt(SLOTS.from + slot * SLOTS.step)
        const heads = left.flatMap(([head]) => head ?? [])
        assert.equal(worth(one), Math.max(...heads.map(worth)))
        left.find(([head]) => head === one)?.shift()
      }
      assert.equal(chosen.length, Math.min(count, all.flat().length))
    }),
  )
})

test('a visit ends when all that was read of a class is chosen', () => {
  const pages = [1, 2, 3, 4].map((nth) => ({ looked_at: nth, rate: 1e-5, weight: 1 }))
  const other = { looked_at: 9e8, rate: 1e-5, weight: 1 }
  assert.deepEqual(chooseLooks([pages, [other]], { ...SLOTS, perClass: 4 }), pages)
  assert.deepEqual(chooseLooks([pages, [other]], SLOTS), [...pages, other])
})

test('no look is worth less than the price, and none is made before it', () => {
  fc.assert(
    fc.property(classes, fc.double({ min: 1, max: 1e6, noNaN: true }), (all, price) => {
      const chosen = chooseLooks(all, { ...SLOTS, price })
      for (const [slot, one] of chosen.entries()) assert.ok(worthAt(SLOTS.from + slot * SLOTS.step)(one) >= price)
      const heads = all.flatMap(([head]) => head ?? [])
      const first = worthFrom(heads, price)
      // Of no head, a minute before: the rough inverse is right to a hundred-thousandth.
      if (first < Number.POSITIVE_INFINITY)
        for (const head of heads) assert.ok(worthAt(Math.max(head.looked_at, first - 60_000))(head) <= price * 1.001)
    }),
  )
})

test('every 14th look, and each in turn, goes to the page not looked at for longest', () => {
  const old = { looked_at: 0, rate: 1e-9, weight: 1 }
  const busy = [1, 2, 3, 4].map((nth) => ({ looked_at: 9e8 + nth, rate: 1e-5, weight: 1 }))
  assert.deepEqual(chooseLooks([[old], busy], { ...SLOTS, count: 3, looks: EXPLORE_EVERY - 2 }), [
    busy[0],
    old,
    busy[1],
  ])
  assert.deepEqual(chooseLooks([[old], busy], { ...SLOTS, count: 3 }), busy.slice(0, 3))
  assert.deepEqual(chooseLooks([busy, [old]], { ...SLOTS, count: 2, inTurn: true, price: 1e9 }), [old, busy[0]])
})
