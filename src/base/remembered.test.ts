import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { remembered } from './clock.ts'

test('however many ask, it is asked once in that time; what failed is asked again after it', async () => {
  const clock = virtualClock(0)
  let asked = 0
  const answer = remembered(clock, 1000, async () => {
    asked++
    if (asked === 2) throw new Error('away')
    return asked
  })
  await clock.run(
    (async () => {
      assert.deepEqual(await Promise.all([answer(), answer(), answer()]), [1, 1, 1])
      await clock.sleep(999)
      assert.equal(await answer(), 1)
      await clock.sleep(1)
      await assert.rejects(answer(), /away/)
      await assert.rejects(answer(), /away/)
      await clock.sleep(1000)
      assert.equal(await answer(), 3)
    })(),
  )
})
