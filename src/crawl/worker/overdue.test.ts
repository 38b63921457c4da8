import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Overdue } from './leases.ts'

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
const NONE = { stop: [], giveUp: [] }

test('a visit has its slice, and one page more', () => {
  const overdue = new Overdue()
  overdue.begin('v', visit())
  assert.deepEqual(overdue.check(25 * MINUTE), NONE)
  assert.deepEqual(overdue.check(26 * MINUTE), { stop: ['v'], giveUp: [] })
  overdue.stopRequested('v', 26 * MINUTE)
  assert.deepEqual(overdue.check(36 * MINUTE), NONE)
  assert.deepEqual(overdue.check(37 * MINUTE), { stop: [], giveUp: ['v'] })
  overdue.ended('v')
  assert.deepEqual(overdue.check(99 * MINUTE), NONE)
})

test('a visit that was told to stop is not told again', () => {
  const overdue = new Overdue()
  overdue.begin('v', visit())
  overdue.stopRequested('v', 1)
  overdue.stopAllRequested(20 * MINUTE)
  assert.deepEqual(overdue.check(11 * MINUTE), { stop: [], giveUp: ['v'] })
  overdue.stopRequested('nobody', 1)
  assert.deepEqual(overdue.check(11 * MINUTE).giveUp, ['v'])
})

test('no visit is called overdue whose waits, requests and slice explain it', () => {
  const ms = fc.integer({ min: 0, max: 86_400 * SECOND })
  fc.assert(
    fc.property(ms, ms, ms, ms, fc.double({ min: 0, max: 1 }), (wait, time, lease, pause, share) => {
      const overdue = new Overdue()
      overdue.begin('v', visit({ wait, time, lease, pause: () => pause }))
      // A page may wait a few times, and each of its exchanges is shorter than a lease.
      assert.deepEqual(overdue.check(share * (wait + time + 3 * lease + 6 * pause)), NONE)
      assert.deepEqual(overdue.check(wait + time + 3 * lease + 6 * pause + 11 * MINUTE).stop, ['v'])
    }),
  )
})
