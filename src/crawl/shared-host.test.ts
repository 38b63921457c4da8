import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { AddressCourtesy } from './address-courtesy.ts'

test('sites without a slot at a shared host come back one after the other, not all at once', async () => {
  const clock = virtualClock(0)
  const book = new AddressCourtesy(clock, 500, 8)
  for (let i = 0; i < 8; i++) assert.ok(book.join('192.0.2.1'))
  const waits = Array.from({ length: 10_000 }, () => {
    assert.equal(book.join('192.0.2.1'), false)
    return book.comeBackAfter('192.0.2.1')
  })
  assert.deepEqual(waits.slice(0, 3), [5000, 5500, 6000])
  assert.equal(Math.max(...waits), 3_600_000)
  await clock.run(clock.sleep(2 * 3_600_000))
  assert.equal(book.comeBackAfter('192.0.2.1'), 5000)
})
