import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Overdue } from './overdue.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const visit = (changes: Partial<Parameters<Overdue['begin']>[1]> = {}) => ({
  startedAt: 0,
  wait: 0,
  time: 15 * MINUTE,
  lease: 3 * MINUTE,
  pause: () => 2 * SECOND,
  ...changes,
})
const NONE = { tell: [], giveUp: [] }

test('a visit has its slice, and one page more', () => {
  const overdue = new Overdue()
  overdue.begin('v', visit())
  assert.deepEqual(overdue.look(25 * MINUTE), NONE)
  assert.deepEqual(overdue.look(26 * MINUTE), { tell: ['v'], giveUp: [] })
  overdue.told('v', 26 * MINUTE)
  assert.deepEqual(overdue.look(36 * MINUTE), NONE)
  assert.deepEqual(overdue.look(37 * MINUTE), { tell: [], giveUp: ['v'] })
  overdue.ended('v')
  assert.deepEqual(overdue.look(99 * MINUTE), NONE)
})

test('who was told first is not told anew', () => {
  const overdue = new Overdue()
  overdue.begin('v', visit())
  overdue.told('v', 1)
  overdue.toldAll(20 * MINUTE)
  assert.deepEqual(overdue.look(11 * MINUTE), { tell: [], giveUp: ['v'] })
  overdue.told('nobody', 1)
  assert.deepEqual(overdue.look(11 * MINUTE).giveUp, ['v'])
})

test('no visit is called overdue whose waits, requests and slice explain it', () => {
  const ms = fc.integer({ min: 0, max: 86_400 * SECOND })
  fc.assert(
    fc.property(ms, ms, ms, ms, fc.double({ min: 0, max: 1 }), (wait, time, lease, pause, share) => {
      const overdue = new Overdue()
      overdue.begin('v', visit({ wait, time, lease, pause: () => pause }))
      // A page may wait a few times, and each of its exchanges is shorter than a lease.
      assert.deepEqual(overdue.look(share * (wait + time + 3 * lease + 6 * pause)), NONE)
      assert.deepEqual(overdue.look(wait + time + 3 * lease + 6 * pause + 11 * MINUTE).tell, ['v'])
    }),
  )
})
