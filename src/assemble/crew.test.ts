import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { realClock } from '../base/clock.ts'
import type { HouseCalls } from '../wire/calls.ts'
import { Crew } from './crew.ts'

/** A thread that lives and says nothing, whatever it is told. */
const mute = () => new Worker('setInterval(() => {}, 1000)', { eval: true })

test('a thread that gives no sign of life is ended, once, and its end is told as every other', async () => {
  let now = 0
  const died: string[] = []
  const crew = new Crew({
    loaded: mute(),
    house: {} as HouseCalls,
    clock: { ...realClock, elapsed: () => now },
    journal: { tell() {} },
    silentMs: 300_000,
    dataFor: (worker) => ({ worker }) as never,
    hung: async () => assert.fail('it reads nothing'),
    died: async (worker, error) => void died.push(`${worker}: ${error}`),
    fault: (error) => assert.fail(String(error)),
  })
  crew.start()
  now = 299_000
  await crew.watch()
  assert.equal(crew.size, 1)
  now = 301_000
  await Promise.all([crew.watch(), crew.watch()])
  await crew.ended()
  assert.deepEqual(died, ['w1: Error: it gave no sign of life'])
})
