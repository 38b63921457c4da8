import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { differingSettings, Roster, threadOf } from './worker-table.ts'

test('a thread stands where its worker does; a worker without a region is one of its own', () => {
  const roster = new Roster()
  roster.update([
    { id: 'a', region: 'eu' },
    { id: 'b', region: null },
  ])
  assert.deepEqual(roster.postOf(threadOf('a', '1-2')), { process: 'a', region: 'eu' })
  assert.deepEqual(roster.postOf(threadOf('b', '7')), { process: 'b', region: 'b' })
  assert.equal(roster.postOf(threadOf('c', '7')), undefined)
})

test('who is present is another list only when it has changed', () => {
  const roster = new Roster()
  roster.update([{ id: 'a', region: null }])
  const before = roster.present()
  roster.update([{ id: 'a', region: null }])
  assert.equal(roster.present(), before)
  roster.update([{ id: 'a', region: 'eu' }])
  assert.deepEqual(roster.present(), [{ process: 'a', region: 'eu' }])
  roster.update([])
  assert.deepEqual(roster.present(), [])
})

const told = (...all: object[]) => differingSettings(all.map((one) => JSON.stringify(one)))

test('keys that are another here than there, or set here only', () => {
  assert.deepEqual(told(), [])
  assert.deepEqual(told({ pause: 'a' }), [])
  assert.deepEqual(told({ pause: 'a', scope: 'b' }, { scope: 'b', pause: 'a' }), [])
  assert.deepEqual(told({ scope: 'b', pause: 'a' }, { pause: 'c' }, { pause: 'a' }), ['pause', 'scope'])
})

test('whatever a table holds, there is an answer, and none for servers that say the same', () => {
  fc.assert(fc.property(fc.array(fc.string()), (texts) => Array.isArray(differingSettings(texts))))
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (one) => assert.deepEqual(told(one, one, { ...one }), [])),
  )
})
