import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { AddressCourtesy } from './address-courtesy.ts'

test('an address has a limited number of visits', () => {
  const book = new AddressCourtesy(virtualClock(0), 500, 2)
  assert.deepEqual([book.join('a'), book.join('a'), book.join('a'), book.join('b')], [true, true, false, true])
  book.leave('a')
  assert.equal(book.join('a'), true)
})

test('the pause is shared by the visits at an address, and outlives the last of them', async () => {
  const clock = virtualClock(0)
  const book = new AddressCourtesy(clock, 500, 8)
  book.join('a')
  book.touch('a')
  assert.equal(book.wait('a'), 500)
  book.leave('a')
  await clock.run(clock.sleep(200))
  assert.equal(book.join('a'), true)
  assert.equal(book.wait('a'), 300)
  book.leave('a')
  await clock.run(clock.sleep(1000))
  assert.equal(book.wait('a'), 0)
})

test('the pause counts from the end of an answer, but a silent neighbour does not block the others forever', async () => {
  const clock = virtualClock(0)
  const book = new AddressCourtesy(clock, 500, 8)
  book.join('a')
  book.join('a')
  assert.equal(book.takeTurn('a', 'one'), true)
  book.begin('a')
  await clock.run(clock.sleep(3000))
  assert.ok(book.wait('a') > 0)
  assert.equal(book.takeTurn('a', 'two'), false)
  book.touch('a')
  assert.equal(book.wait('a'), 500)
  await clock.run(clock.sleep(500))
  assert.equal(book.takeTurn('a', 'two'), true)
  book.begin('a')
  await clock.run(clock.sleep(10_000))
  assert.equal(book.wait('a'), 0)
})
