import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownTexts } from './known-url-cache.ts'

test('it grows with the table, to a bound, and begins empty then', () => {
  const texts = new KnownTexts(2 ** 18)
  for (let key = 1n; key <= 2n ** 15n; key++) texts.note(key, `${key}`)
  assert.ok(texts.has(7n, '7') && !texts.has(7n, '8'))
  texts.refresh(0, () => 100_000)
  assert.ok(!texts.has(7n, '7'))
  texts.note(2n ** 17n + 7n, 'other')
  texts.note(7n, '7')
  assert.ok(texts.has(2n ** 17n + 7n, 'other') && texts.has(7n, '7'))
  texts.forget(7n)
  assert.ok(!texts.has(7n, '7'))
})
