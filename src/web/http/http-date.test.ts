import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatHttpDate, parseHttpDate, retryAfter } from './http-date.ts'

const NOW = 1_700_000_000_000
const THEN = 784_111_777_000

test('the three forms of HTTP name the same instant', () => {
  assert.equal(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', NOW), THEN)
  assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', NOW), THEN)
  assert.equal(parseHttpDate('Sun Nov  6 08:49:37 1994', NOW), THEN)
  assert.equal(formatHttpDate(THEN), 'Sun, 06 Nov 1994 08:49:37 GMT')
  assert.equal(formatHttpDate(0), 'Thu, 01 Jan 1970 00:00:00 GMT')
})

test('a two-digit year is never far in the future', () => {
  assert.equal(new Date(parseHttpDate('Tuesday, 01-Jan-30 00:00:00 GMT', NOW) ?? 0).getUTCFullYear(), 2030)
  assert.equal(new Date(parseHttpDate('Friday, 01-Jan-99 00:00:00 GMT', NOW) ?? 0).getUTCFullYear(), 1999)
})

test('what Date.parse would swallow is no date', () => {
  for (const text of [
    '',
    '2',
    'May',
    '1994-11-06',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 CET',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 31 Feb 2024 08:49:37 GMT',
    'Sun, 29 Feb 2023 08:49:37 GMT',
    'Sun, 06 Foo 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:49:37 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
  ]) {
    assert.equal(parseHttpDate(text, NOW), undefined, text)
  }
})

test('every instant survives the journey through text', () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_167_219_200, max: 253_402_300_799 }), (second) => {
      const text = formatHttpDate(second * 1000)
      assert.equal(text, new Date(second * 1000).toUTCString())
      assert.equal(parseHttpDate(text, NOW), second * 1000)
    }),
  )
})

test('Retry-After in both forms, never negative', () => {
  assert.equal(retryAfter('120', NOW), 120_000)
  assert.equal(retryAfter(' 0 ', NOW), 0)
  assert.equal(retryAfter(formatHttpDate(NOW + 60_000), NOW), 60_000)
  assert.equal(retryAfter('Sun, 06 Nov 1994 08:49:37 GMT', NOW), 0)
  for (const text of [undefined, '', '-5', '1.5', 'soon', '12 s']) assert.equal(retryAfter(text, NOW), undefined)
  assert.equal(retryAfter('9'.repeat(90), NOW), 366 * 86_400_000)
})
