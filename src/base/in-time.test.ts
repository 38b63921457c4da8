import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inTime } from './in-time.ts'
import { virtualClock } from './virtual-clock.ts'

test('work that is done in time, too late, that fails in time and too late', async () => {
  const clock = virtualClock(0)
  const after = (ms: number, error?: Error) =>
    clock.sleep(ms).then(() => (error === undefined ? 'done' : Promise.reject(error)))
  await clock.run(
    (async () => {
      assert.equal(await inTime(clock, 100, after(50)), true)
      assert.equal(await inTime(clock, 100, after(500)), false)
      await assert.rejects(inTime(clock, 100, after(50, new Error('broken'))), /broken/)
      // Nobody hears of it, and no process ends by it.
      assert.equal(await inTime(clock, 100, after(500, new Error('broken too late'))), false)
      await clock.sleep(1000)
    })(),
  )
})
