import assert from 'node:assert/strict'
import { test } from 'node:test'
import { virtualClock } from '../../testkit/virtual-clock.ts'
import { countingSleep, every, finishesWithin } from './clock.ts'

test('a machine that slept: its monotonic clock stood still, and the time is counted all the same', () => {
  const machine = { at: 5, wall: 1_000_000, up: 70_000 }
  const pass = (ms: number, slept = 0, set = 0) => {
    machine.at += ms
    machine.up += ms + slept
    machine.wall += ms + slept + set
  }
  const elapsed = countingSleep({
    monotonic: () => machine.at,
    wall: () => machine.wall,
    // Told in hundredths of a second.
    uptime: () => Math.floor(machine.up / 10) * 10,
  })
  const begun = elapsed()
  const since = () => elapsed() - begun
  pass(500)
  assert.equal(since(), 500)
  pass(3, 3_600_000)
  assert.ok(Math.abs(since() - 3_600_503) <= 20, `${since()}`)
  // That the machine's time is set, forwards or back, is no sleep.
  pass(10, 0, 86_400_000)
  pass(10, 0, -86_400_000)
  const before = since()
  assert.ok(Math.abs(before - 3_600_523) <= 20, `${before}`)
  pass(7)
  assert.equal(since() - before, 7)
  pass(1, 60_000)
  assert.ok(Math.abs(since() - before - 60_008) <= 20)
})

test('work that is done in time, too late, that fails in time and too late', async () => {
  const clock = virtualClock(0)
  const after = (ms: number, error?: Error) =>
    clock.sleep(ms).then(() => (error === undefined ? 'done' : Promise.reject(error)))
  await clock.run(
    (async () => {
      assert.equal(await finishesWithin(clock, 100, after(50)), true)
      assert.equal(await finishesWithin(clock, 100, after(500)), false)
      await assert.rejects(finishesWithin(clock, 100, after(50, new Error('broken'))), /broken/)
      // Nobody hears of it, and no process ends by it.
      assert.equal(await finishesWithin(clock, 100, after(500, new Error('broken too late'))), false)
      await clock.sleep(1000)
    })(),
  )
})

test('work is repeated until it is over, and hears how late it is', async () => {
  const clock = virtualClock(0)
  /** A busy machine: the second sleep lasts 40 ms longer. */
  let sleeps = 0
  const busy = {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => clock.sleep(ms + (++sleeps === 2 ? 40 : 0), signal),
  }
  const over = new AbortController()
  const late: number[] = []
  await clock.run(
    every(busy, 100, over.signal, async (lateMs) => {
      late.push(lateMs)
      await clock.sleep(30)
      if (late.length === 3) over.abort()
    }),
  )
  assert.deepEqual(late, [0, 40, 0])
  assert.equal(clock.elapsed(), 430)
})
