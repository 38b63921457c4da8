import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turn } from '../src/base/clock.ts'
import { virtualClock } from './virtual-clock.ts'

test('jumps over waits and keeps their order', async () => {
  const clock = virtualClock(1_000_000)
  const told: string[] = []
  const wait = async (name: string, ms: number) => {
    await clock.sleep(ms)
    told.push(`${name}@${clock.elapsed()}`)
  }
  await clock.run(Promise.all([wait('late', 86_400_000), wait('soon', 5), wait('same', 5), wait('now', 0)]))
  assert.deepEqual(told, ['now@0', 'soon@5', 'same@5', 'late@86400000'])
  assert.equal(clock.now(), 1_000_000 + 86_400_000)
})

test('a sleep ends when its signal aborts, and what was cancelled never calls', async () => {
  const clock = virtualClock(0)
  const stop = new AbortController()
  let called = false
  const cancel = clock.after(50, () => {
    called = true
  })
  clock.after(10, () => {
    cancel()
    stop.abort()
  })
  await clock.run(clock.sleep(1000, stop.signal))
  assert.equal(clock.elapsed(), 10)
  await clock.run(clock.sleep(100))
  assert.equal(called, false)
})

test('says so when everything waits for nothing', async () => {
  const clock = virtualClock(0, 0, 1000)
  await assert.rejects(clock.run(new Promise(() => {})), /nothing is due/)
})

test('work in many turns is not a standstill, however long it takes', async () => {
  const clock = virtualClock(0, 0, 1000)
  const index = async () => {
    for (let piece = 0; piece < 900; piece++) await turn()
    return 'indexed'
  }
  assert.equal(await clock.run(index()), 'indexed')
})

test('a wait that is only a trace of rounding ends all the same', async () => {
  const clock = virtualClock(0)
  await clock.run(clock.sleep(1e9 / 3))
  const before = clock.elapsed()
  await clock.run(clock.sleep(1e-12))
  assert.ok(clock.elapsed() > before)
  assert.equal(clock.elapsed() - before < 0.01, true)
})

test('stands still while something outside is under way', async () => {
  const clock = virtualClock(0)
  const told: string[] = []
  const answered = Promise.withResolvers<void>()
  setImmediate(() => setImmediate(() => setImmediate(answered.resolve)))
  const asked = clock.during(() => answered.promise).then(() => told.push(`answer@${clock.elapsed()}`))
  await clock.run(Promise.all([asked, clock.sleep(5).then(() => told.push(`slept@${clock.elapsed()}`))]))
  assert.deepEqual(told, ['answer@0', 'slept@5'])
  const failed = clock.during(() => Promise.reject(new Error('no answer')))
  await assert.rejects(clock.run(failed), /no answer/)
  await clock.run(clock.sleep(5))
  assert.equal(clock.elapsed(), 10)
})

test('with a tick whoever is due by then is woken with it, in order, never early', async () => {
  const clock = virtualClock(0, 20)
  const told: string[] = []
  const wait = async (ms: number) => {
    await clock.sleep(ms)
    told.push(`${ms}@${clock.elapsed()}`)
  }
  await clock.run(Promise.all([wait(19), wait(3), wait(40), wait(20.5), wait(0)]))
  assert.deepEqual(told, ['0@0', '3@20', '19@20', '20.5@40', '40@40'])
})
