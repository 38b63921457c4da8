import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anotherThread } from './worker-pool.ts'

const BUSY = { threads: 1, full: true, free: 0, leased: 200 }

test('sites that wait for a thread have another started at once', () => {
  assert.equal(anotherThread()({ ...BUSY, free: 50 }), true)
})

test('no thread is started while one has room, nor for a few sites', () => {
  const isNeeded = anotherThread()
  assert.equal(isNeeded({ ...BUSY, full: false, free: 50 }), false)
  assert.equal(isNeeded({ threads: 2, full: true, free: 20, leased: 20 }), false)
})

test('where all sites are leased, one is started when the others have been full for a while, and then for another while', () => {
  const isNeeded = anotherThread()
  const looks = Array.from({ length: 25 }, (_, at) => (isNeeded(BUSY) ? at + 1 : 0)).filter((at) => at > 0)
  assert.deepEqual(looks, [10, 20])
})

test('a moment with room begins the while anew', () => {
  const isNeeded = anotherThread()
  for (let look = 1; look < 10; look++) assert.equal(isNeeded(BUSY), false)
  assert.equal(isNeeded({ ...BUSY, full: false }), false)
  assert.equal(isNeeded(BUSY), false)
})
