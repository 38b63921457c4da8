import assert from 'node:assert/strict'
import { test } from 'node:test'
import { realClock } from '../../base/clock.ts'
import { tooManyDeaths } from './worker-pool.ts'

test('twenty deaths an hour are borne, the next is too many; those of the hour before are forgotten', () => {
  let now = 0
  const isTooMany = tooManyDeaths({ ...realClock, elapsed: () => now }, 1)
  for (let death = 1; death <= 20; death++) assert.equal(isTooMany(), false, `${death}`)
  assert.equal(isTooMany(), true)
  now = 3_600_000
  assert.equal(isTooMany(), false)
})

test('as many threads as there may be die of a full disk, twice', () => {
  const isTooMany = tooManyDeaths(realClock, 64)
  for (let death = 1; death <= 128; death++) assert.equal(isTooMany(), false, `${death}`)
  assert.equal(isTooMany(), true)
})
