import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FamilyRow } from '../../contracts/trap-memory.ts'
import { closeRow, freshFamily, openRow, sizeOf, withExample } from './family.ts'

const COUNTS = 33
const numbers = Array.from({ length: COUNTS }, (_, at) => at + 1)
const row: FamilyRow = ['/a/#', numbers, [1, 2, 3, 4, 5, 6, 7], ['/a/1', '/a/2']]

test('every count has a column of its own', () => {
  const family = openRow(row)
  const closed = closeRow(family)
  assert.deepEqual(closed[1].slice(0, COUNTS), numbers)
  assert.deepEqual(closeRow(openRow(closed)), closed)
})

test('a row of fewer columns, from an older memory, has zeros in the others', () => {
  const family = openRow(['/a/#', [7, 8], [], []])
  assert.equal(family.answers, 7)
  assert.equal(family.pages, 8)
  assert.equal(family.at, 0)
  assert.equal(sizeOf(['/a/#', numbers, [], []]), closeRow(openRow(['/a/#', numbers, [], []]))[1][COUNTS])
})

test('what a row takes is never less than its JSON', () => {
  const family = freshFamily('/calendar/#/#')
  for (let at = 0; at < 5; at++) withExample(family, `/calendar/2031/${at}`)
  family.contents = [4294967295, 1, 0, 4294967295, 12345, 7, 1]
  family.words1 = 4294967295
  family.highest = 99_999 * 1e10
  const closed = closeRow(family)
  const counts = closed[1].slice(0, COUNTS)
  assert.ok(sizeOf(closed) >= JSON.stringify([closed[0], counts, closed[2], closed[3]]).length)
  assert.equal(sizeOf(closed), sizeOf(closeRow(openRow(closed))))
  assert.equal(sizeOf(closed), sizeOf([closed[0], counts, closed[2], closed[3]]), 'counted text by text it is the same')
})
