import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { differingSettings } from './differing-settings.ts'

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
