import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadOf } from './handlers.ts'
import { Roster } from './roster.ts'

test('a thread stands where its worker does; a worker without a region is one of its own', () => {
  const roster = new Roster()
  roster.hear([
    { id: 'a', region: 'eu' },
    { id: 'b', region: null },
  ])
  assert.deepEqual(roster.postOf(threadOf('a', '1-2')), { process: 'a', region: 'eu' })
  assert.deepEqual(roster.postOf(threadOf('b', '7')), { process: 'b', region: 'b' })
  assert.equal(roster.postOf(threadOf('c', '7')), undefined)
})

test('who is present is another list only when it has changed', () => {
  const roster = new Roster()
  roster.hear([{ id: 'a', region: null }])
  const before = roster.present()
  roster.hear([{ id: 'a', region: null }])
  assert.equal(roster.present(), before)
  roster.hear([{ id: 'a', region: 'eu' }])
  assert.deepEqual(roster.present(), [{ process: 'a', region: 'eu' }])
  roster.hear([])
  assert.deepEqual(roster.present(), [])
})
