import assert from 'node:assert/strict'
import { test } from 'node:test'
import { generationOf, LONGEST_PATH, pathAfter, redirectsIn } from './generation.ts'

test('what is listed is of generation 0, what is not of one more than the page that names it', () => {
  assert.equal(generationOf(''), 0)
  assert.equal(generationOf('LLRM'), 0)
  const child = pathAfter('LL', 'L', false)
  assert.deepEqual([child, generationOf(child)], ['LLl', 1])
  assert.equal(generationOf(pathAfter(child, 'R', false)), 2)
  assert.equal(generationOf(pathAfter(child, 'L', true)), 0)
})

test('of very many steps the path has the last ones', () => {
  let path = ''
  for (let step = 0; step < 120; step++) path = pathAfter(path, 'L', false)
  assert.deepEqual([path.length, generationOf(path)], [LONGEST_PATH, LONGEST_PATH])
  for (let step = 0; step < 3; step++) path = pathAfter(path, 'R', true)
  assert.deepEqual([path.length, redirectsIn(path), generationOf(path)], [LONGEST_PATH, 3, 0])
})

test('redirects are counted from the end', () => {
  assert.deepEqual([redirectsIn('LRRl'), redirectsIn('LRr'), redirectsIn('')], [0, 2, 0])
})
