import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration, formatSize, parseDuration, parseSize } from './units.ts'

test('durations as people write them', () => {
  for (const [text, ms] of [
    ['2s', 2000],
    ['0.1s', 100],
    ['500ms', 500],
    ['1h30m', 5_400_000],
    ['3', 3000],
    ['1d', 86_400_000],
    [' 2 S ', 2000],
  ] as const) {
    assert.equal(parseDuration(text), ms, text)
  }
  for (const text of ['', 'x', '2 x', '-1s', '1e3', 's']) assert.equal(parseDuration(text), undefined, text)
})

test('sizes as people write them', () => {
  for (const [text, bytes] of [
    ['2MB', 2_000_000],
    ['64KiB', 65_536],
    ['1.5 gb', 1.5e9],
    ['10', 10],
    ['2k', 2000],
  ] as const) {
    assert.equal(parseSize(text), bytes, text)
  }
  for (const text of ['', 'MB', '-2MB', '2XB']) assert.equal(parseSize(text), undefined, text)
})

test('and back, short', () => {
  assert.deepEqual([0, 1500, 61_000, 7_200_000, 90_000_000_0].map(formatDuration), [
    '0ms',
    '1.5s',
    '1m1s',
    '2h',
    '10d10h',
  ])
  assert.deepEqual([999, 15_300, 2.5e9].map(formatSize), ['999 B', '15 kB', '2.5 GB'])
})
