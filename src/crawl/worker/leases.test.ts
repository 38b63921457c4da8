import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import type { Frontier } from '../../contracts/ports.ts'
import { Leases } from './leases.ts'

const LEASE = 180_000
const timed = (changes: Partial<Parameters<Leases['hold']>[2]> = {}) => ({
  wait: 0,
  time: 900_000,
  lease: LEASE,
  pause: () => 2000,
  ...changes,
})

/** A frontier that renews what it is told to, and takes its time. */
function bench(lost: string[] = [], takesMs = 0) {
  const clock = virtualClock(0)
  const asked: string[][] = []
  const frontier: Frontier = {
    checkOut: () => assert.fail('no check-out here'),
    enter: () => assert.fail('no address here'),
    async renew(_worker, visits) {
      asked.push(visits)
      await clock.sleep(takesMs)
      return { lease: LEASE, lost }
    },
  }
  return { clock, asked, leases: new Leases('w', frontier, clock) }
}

test('a lease counts from before it was requested', async () => {
  const { clock, leases } = bench()
  const asked = clock.elapsed()
  await clock.run(clock.sleep(700))
  const { lease } = leases.hold('v', asked, timed())
  assert.equal(lease.left(), 179_300)
})

test('and so does its renewal, however long the answer takes', async () => {
  const { clock, leases } = bench([], 5000)
  const { lease } = leases.hold('v', 0, timed())
  await clock.run(clock.sleep(60_000))
  await clock.run(leases.renew())
  assert.equal(clock.elapsed(), 65_000)
  assert.equal(lease.left(), 175_000)
})

test('one call for all visits, none for none; what was given back is not renewed', async () => {
  const { clock, asked, leases } = bench()
  await clock.run(leases.renew())
  for (const id of ['a', 'b', 'c']) leases.hold(id, 0, timed())
  leases.release('b')
  await clock.run(leases.renew())
  assert.deepEqual(asked, [['a', 'c']])
})

test('a lost lease stops its visit; the others go on', async () => {
  const { clock, leases } = bench(['a'])
  const a = leases.hold('a', 0, timed())
  const b = leases.hold('b', 0, timed())
  assert.deepEqual(await clock.run(leases.renew()), ['a'])
  assert.ok(a.lease.left() < 0)
  assert.ok(a.end.aborted)
  assert.ok(!b.end.aborted)
  assert.equal(b.lease.left(), 180_000)
})

test('a visit that ended during the renewal does no harm', async () => {
  const { clock, leases } = bench(['a'], 1000)
  const a = leases.hold('a', 0, timed())
  clock.after(500, () => leases.release('a'))
  await clock.run(leases.renew())
  assert.ok(!a.end.aborted)
  assert.deepEqual(leases.visits, [])
})

test('a visit that is given up may ask for nothing more, though its lease had not run out', async () => {
  const { clock, asked, leases } = bench()
  const given = leases.hold('a', 0, timed())
  leases.giveUp('a')
  assert.ok(given.lease.left() < 0 && given.end.aborted)
  await clock.run(leases.renew())
  assert.deepEqual(asked, [])
})

test('when the worker stops, every visit is stopped', () => {
  const { leases } = bench()
  const held = ['a', 'b'].map((id) => leases.hold(id, 0, timed()))
  leases.stopAll()
  assert.ok(held.every(({ end }) => end.aborted))
  assert.ok(leases.hold('late', 0, timed()).end.aborted)
})

const SECOND = 1000
const MINUTE = 60 * SECOND
const NONE = { stop: [], giveUp: [] }

/** What is overdue at a time; it may go back. */
function watched() {
  let now = 0
  const leases = new Leases('w', {} as Frontier, { ...virtualClock(0), elapsed: () => now })
  const at = (ms: number) => {
    now = ms
    return leases
  }
  return { at, check: (ms: number) => at(ms).overdue() }
}

test('a visit has its slice, and one page more', () => {
  const { at, check } = watched()
  at(0).hold('v', 0, timed())
  assert.deepEqual(check(25 * MINUTE), NONE)
  assert.deepEqual(check(26 * MINUTE), { stop: ['v'], giveUp: [] })
  at(26 * MINUTE).stop('v')
  assert.deepEqual(check(36 * MINUTE), NONE)
  assert.deepEqual(check(37 * MINUTE), { stop: [], giveUp: ['v'] })
  at(37 * MINUTE).release('v')
  assert.deepEqual(check(99 * MINUTE), NONE)
})

test('a visit that was told to stop is not told again', () => {
  const { at, check } = watched()
  at(0).hold('v', 0, timed())
  at(1).stop('v')
  at(20 * MINUTE).stopAll()
  assert.deepEqual(check(11 * MINUTE), { stop: [], giveUp: ['v'] })
  at(1).stop('nobody')
  assert.deepEqual(check(11 * MINUTE).giveUp, ['v'])
})

test('no visit is called overdue whose waits, requests and slice explain it', () => {
  const ms = fc.integer({ min: 0, max: 86_400 * SECOND })
  fc.assert(
    fc.property(ms, ms, ms, ms, fc.double({ min: 0, max: 1 }), (wait, time, lease, pause, share) => {
      const { at, check } = watched()
      at(0).hold('v', 0, timed({ wait, time, lease, pause: () => pause }))
      // A page may wait a few times, and each of its exchanges is shorter than a lease.
      assert.deepEqual(check(share * (wait + time + 3 * lease + 6 * pause)), NONE)
      assert.deepEqual(check(wait + time + 3 * lease + 6 * pause + 11 * MINUTE).stop, ['v'])
    }),
  )
})
