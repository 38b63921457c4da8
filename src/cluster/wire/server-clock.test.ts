import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { virtualClock } from '../../../testkit/virtual-clock.ts'
import { serverClock } from './servers.ts'

const HOUR = 3_600_000

test('until a server has answered, the machine is believed', () => {
  const clock = serverClock(virtualClock(1000))
  assert.equal(clock.now(), 1000)
  assert.equal(clock.offset(), 0)
})

test('a clock that is hours off tells the time of the server, as well as the fastest answer could tell it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: -9 * HOUR, max: 9 * HOUR }),
      fc.array(fc.tuple(fc.nat(400), fc.nat(400), fc.nat(5000)), { minLength: 1, maxLength: 10 }),
      async (off, answers) => {
        const start = 1_800_000_000_000
        const machine = virtualClock(start + off)
        const clock = serverClock(machine)
        const trueTime = () => start + machine.elapsed()
        let fastest = Number.POSITIVE_INFINITY
        await machine.run(
          (async () => {
            for (const [there, back, pause] of answers) {
              const sentAt = machine.elapsed()
              await machine.sleep(there)
              const told = trueTime()
              await machine.sleep(back)
              clock.learn(sentAt, machine.elapsed(), told)
              fastest = Math.min(fastest, (there + back) / 2)
              // An older answer may have been replaced by one that is worse by what the clocks may drift meanwhile.
              assert.ok(Math.abs(clock.now() - trueTime()) <= fastest + 6, `${clock.now() - trueTime()}`)
              assert.ok(Math.abs(clock.offset() + off) <= fastest + 6)
              await machine.sleep(pause)
            }
          })(),
        )
      },
    ),
    { numRuns: 50 },
  )
})
