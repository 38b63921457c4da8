import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from './random.ts'

test('a seed repeats its run, another seed another', () => {
  const draw = (seed: number) => Array.from({ length: 5 }, seededRandom(seed).next)
  assert.deepEqual(draw(7), draw(7))
  assert.notDeepEqual(draw(7), draw(8))
})

test('uniform enough for a walk: every tenth of [0, 1) gets its share', () => {
  const random = seededRandom(1)
  const tenths = new Array<number>(10).fill(0)
  for (let i = 0; i < 100_000; i++) tenths[Math.floor(random.next() * 10)]++
  for (const count of tenths) assert.ok(Math.abs(count - 10_000) < 500, `${count}`)
  for (let i = 0; i < 1000; i++) assert.ok(random.integer(3) < 3)
})
