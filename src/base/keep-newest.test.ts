import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepNewest } from './keep-newest.ts'

test('the oldest go, and what is set again is new', () => {
  const map = new Map<string, number>()
  for (const [at, key] of [...'abcad'].entries()) keepNewest(map, key, at, 3)
  assert.deepEqual([...map], Object.entries({ c: 2, a: 3, d: 4 }))
})
