import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerOf, headersOf } from './headers.ts'

const lines = [
  ['Content-Type', 'text/html'],
  ['SET-COOKIE', 'a=1'],
  ['set-cookie', 'b=2'],
] as const

test('headers are found whatever their spelling', () => {
  assert.equal(headerOf(lines, 'content-type'), 'text/html')
  assert.equal(headerOf(lines, 'Set-Cookie'), 'a=1')
  assert.deepEqual(headersOf(lines, 'Set-Cookie'), ['a=1', 'b=2'])
  assert.equal(headerOf(lines, 'content-typ'), undefined)
  assert.deepEqual(headersOf([], 'x'), [])
})
