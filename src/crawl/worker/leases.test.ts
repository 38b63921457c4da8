import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../base/virtual-clock.ts'
import type { Frontier } from '../../contracts/ports.ts'
import { Leases } from './leases.ts'

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
      return { lease: 180_000, lost }
    },
  }
  return { clock, asked, leases: new Leases('w', frontier, clock) }
}

test('a lease counts from before it was requested', async () => {
  const { clock, leases } = bench()
  const asked = clock.elapsed()
  await clock.run(clock.sleep(700))
  const { lease } = leases.hold('v', asked, 180_000)
  assert.equal(lease.left(), 179_300)
})

test('and so does its renewal, however long the answer takes', async () => {
  const { clock, leases } = bench([], 5000)
  const { lease } = leases.hold('v', 0, 180_000)
  await clock.run(clock.sleep(60_000))
  await clock.run(leases.renew())
  assert.equal(clock.elapsed(), 65_000)
  assert.equal(lease.left(), 175_000)
})

test('one call for all visits, none for none; what was given back is not renewed', async () => {
  const { clock, asked, leases } = bench()
  await clock.run(leases.renew())
  for (const id of ['a', 'b', 'c']) leases.hold(id, 0, 180_000)
  leases.release('b')
  await clock.run(leases.renew())
  assert.deepEqual(asked, [['a', 'c']])
})

test('a lost lease stops its visit; the others go on', async () => {
  const { clock, leases } = bench(['a'])
  const a = leases.hold('a', 0, 180_000)
  const b = leases.hold('b', 0, 180_000)
  assert.deepEqual(await clock.run(leases.renew()), ['a'])
  assert.ok(a.lease.left() < 0)
  assert.ok(a.end.aborted)
  assert.ok(!b.end.aborted)
  assert.equal(b.lease.left(), 180_000)
})

test('a visit that ended during the renewal does no harm', async () => {
  const { clock, leases } = bench(['a'], 1000)
  const a = leases.hold('a', 0, 180_000)
  clock.after(500, () => leases.release('a'))
  await clock.run(leases.renew())
  assert.ok(!a.end.aborted)
  assert.deepEqual(leases.visits, [])
})

test('when the worker stops, every visit is stopped', () => {
  const { leases } = bench()
  const held = ['a', 'b'].map((id) => leases.hold(id, 0, 1000))
  leases.stopAll()
  assert.ok(held.every(({ end }) => end.aborted))
  assert.ok(leases.hold('late', 0, 1000).end.aborted)
})
