import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { align } from './align.ts'

const matched = (a: readonly number[], b: readonly number[]) => {
  const matches = align(Int32Array.from(a), Int32Array.from(b))
  let [x, y] = [0, 0]
  for (const { before, after, length } of matches) {
    assert.ok(length > 0 && before >= x && after >= y, 'in order')
    for (let i = 0; i < length; i++) if (a[before + i] !== b[after + i]) assert.fail('not equal')
    x = before + length
    y = after + length
    assert.ok(x <= a.length && y <= b.length)
  }
  return matches.reduce((sum, { length }) => sum + length, 0)
}

/** The length of the longest common subsequence, the plain way. */
function longest(a: readonly number[], b: readonly number[]): number {
  let row = new Array<number>(b.length + 1).fill(0)
  for (const x of a) {
    const next = [0]
    for (let j = 0; j < b.length; j++) next.push(x === b[j] ? row[j] + 1 : Math.max(row[j + 1], next[j]))
    row = next
  }
  return row[b.length]
}

const small = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 })

test('an alignment is in order and matches equal elements only', () => {
  const any = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 80 })
  fc.assert(fc.property(any, any, (a, b) => matched(a, b) <= longest(a, b)))
})

test('without anchors it is a longest one', () => {
  const doubled = small.map((values) => [...values, ...values])
  // With ends that differ, nothing is taken off, and so nothing becomes the only one of its kind.
  const between = (values: number[], first: number) => [first, ...values, first + 1]
  fc.assert(
    fc.property(doubled, doubled, (one, other) => {
      const [a, b] = [between(one, 10), between(other, 20)]
      assert.equal(matched(a, b), longest(a, b))
    }),
  )
})

test('a sequence is aligned with itself, and with itself after an insertion', () => {
  fc.assert(
    fc.property(small, small, fc.nat(), (a, more, at) => {
      const where = at % (a.length + 1)
      assert.equal(matched(a, a), a.length)
      const longer = [...a.slice(0, where), ...more.map((value) => value + 10), ...a.slice(where)]
      assert.equal(matched(a, longer), a.length)
    }),
  )
})

/** Quadratic time would be ten minutes. */
test('hostile sequences of 50,000 elements end', () => {
  const size = 50_000
  const sequences = {
    two: Array.from({ length: size }, (_, i) => ((i * i) % 7 < 3 ? 1 : 2)),
    other: Array.from({ length: size }, (_, i) => ((i * 31) % 11 < 5 ? 1 : 2)),
    pairs: Array.from({ length: size }, (_, i) => i >> 1),
    backwards: Array.from({ length: size }, (_, i) => (size - i) >> 1),
    rising: Array.from({ length: size }, (_, i) => i),
    falling: Array.from({ length: size }, (_, i) => size - i),
    foreign: Array.from({ length: size }, (_, i) => 3 * size + (i >> 1)),
  }
  for (const a of ['two', 'pairs', 'rising'] as const)
    for (const b of Object.values(sequences)) matched(sequences[a], b)
  assert.equal(matched(sequences.rising, sequences.rising), size)
})
