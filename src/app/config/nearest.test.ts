import assert from 'node:assert/strict'
import { test } from 'node:test'
import { editDistance, nearest } from './nearest.ts'

test('edits are inserted, deleted, replaced and swapped letters', () => {
  assert.equal(editDistance('pause', 'pause'), 0)
  assert.equal(editDistance('puase', 'pause'), 1)
  assert.equal(editDistance('pase', 'pause'), 1)
  assert.equal(editDistance('', 'abc'), 3)
  assert.equal(editDistance('kitten', 'sitting'), 3)
})

test('only a similar name is suggested', () => {
  const known = ['crawl', 'status', 'report', 'max-pages']
  assert.equal(nearest('craw', known), 'crawl')
  assert.equal(nearest('stat', known), 'status')
  assert.equal(nearest('pages', known), 'max-pages')
  assert.equal(nearest('maxpages', known), 'max-pages')
  assert.equal(nearest('zzzzzzzz', known), undefined)
  assert.equal(nearest('politeness', ['links', 'help']), undefined)
})
