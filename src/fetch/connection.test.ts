import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { DeadlineTimer } from './connection.ts'
import { handClock } from './raw-server.test-data.ts'

test('an alarm rings once, when it was set to last', () => {
  const clock = handClock()
  const rung: number[] = []
  const alarm = new DeadlineTimer(clock, () => rung.push(clock.elapsed()))
  alarm.set(100)
  alarm.set(250)
  alarm.set(200)
  for (let i = 0; i < 30; i++) clock.move(10)
  assert.deepEqual(rung, [200])
  alarm.set(400)
  alarm.stop()
  for (let i = 0; i < 30; i++) clock.move(10)
  assert.deepEqual(rung, [200])
})

test('deadlines that move away set no timers', () => {
  const clock = handClock()
  let timers = 0
  const counted = {
    ...clock,
    after(ms: number, call: () => void) {
      timers++
      return clock.after(ms, call)
    },
  }
  const alarm = new DeadlineTimer(counted, () => assert.fail('nothing is due'))
  for (let i = 0; i < 100; i++) {
    alarm.set(clock.elapsed() + 30_000)
    clock.move(1_000)
  }
  assert.ok(timers <= 5, `${timers} timers`)
  alarm.stop()
})

test('it rings as a timer does that is cancelled and set anew each time', () => {
  const step = fc.oneof(
    fc.record({ set: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ move: fc.integer({ min: 1, max: 30 }) }),
    fc.constant({ stop: true as const }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const clock = handClock()
      const rung: number[] = []
      const expected: number[] = []
      let due: number | undefined
      const alarm = new DeadlineTimer(clock, () => rung.push(clock.elapsed()))
      for (const one of steps) {
        if ('set' in one) {
          // What is due already rings a millisecond later: a socket's bytes come first.
          due = Math.max(clock.elapsed() + 1, clock.elapsed() + one.set)
          alarm.set(clock.elapsed() + one.set)
        } else if ('stop' in one) {
          due = undefined
          alarm.stop()
        } else {
          for (let ms = 0; ms < one.move; ms++) {
            clock.move(1)
            if (due === undefined || clock.elapsed() < due) continue
            expected.push(clock.elapsed())
            due = undefined
          }
        }
      }
      assert.deepEqual(rung, expected)
    }),
  )
})
