import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lateIn, lateLine } from './fate.ts'
import { Unreported } from './unreported.ts'

test('a worker that reports every second is never late', () => {
  const unreported = new Unreported()
  for (let now = 0; now < 20_000; now += 1000) {
    unreported.note('answer', now)
    unreported.note('synced', now + 500)
    unreported.note('checked-in', now + 600)
    assert.equal(unreported.lateBy(now + 900), 0)
  }
  // The last answer was reported, and no other follows.
  for (let now = 20_000; now < 40_000; now += 1000) assert.equal(unreported.lateBy(now), 0)
})

test('answers without a report make it late, until the report after the next is durable', () => {
  const unreported = new Unreported()
  unreported.note('answer', 1000)
  assert.equal(unreported.lateBy(3500), 0)
  assert.equal(unreported.lateBy(5000), 4000)
  // It may have come after that report was cut.
  unreported.note('synced', 5500)
  unreported.note('checked-in', 6000)
  assert.equal(unreported.lateBy(6500), 5500)
  unreported.note('answer', 7000)
  unreported.note('synced', 7500)
  unreported.note('checked-in', 8000)
  assert.equal(unreported.lateBy(9000), 0)
})

test('what a worker says of it is understood', () => {
  assert.deepEqual(lateIn(`trouble: x\n${lateLine(4000.2)}is at work\n${lateLine(5000)}`), [4001, 5000])
})
