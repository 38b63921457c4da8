import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { realClock } from '../../base/clock.ts'
import type { CoordinatorCalls } from '../../contracts/calls.ts'
import { WorkerPool } from './worker-pool.ts'

/** A thread that lives and says nothing, whatever it is told. */
const mute = () => new Worker('setInterval(() => {}, 1000)', { eval: true })

test('a thread that gives no sign of life is ended, once, and its end is told as every other', async () => {
  let now = 0
  const died: string[] = []
  const workerPool = new WorkerPool({
    loaded: mute(),
    load: mute,
    coordinator: {} as CoordinatorCalls,
    clock: { ...realClock, elapsed: () => now },
    journal: { record() {} },
    silentMs: 300_000,
    dataFor: (worker) => ({ worker }) as never,
    hung: async () => assert.fail('it reads nothing'),
    died: async (worker, error) => void died.push(`${worker}: ${error}`),
    fault: (error) => assert.fail(String(error)),
  })
  workerPool.start()
  now = 299_000
  await workerPool.watch()
  assert.equal(workerPool.size, 1)
  now = 301_000
  await Promise.all([workerPool.watch(), workerPool.watch()])
  assert.deepEqual(died, ['w1: Error: it gave no sign of life'])
  // Another stands in its place.
  assert.equal(workerPool.size, 1)
  await workerPool.end()
  await workerPool.ended()
})

test('a crew that is renewed: each thread is told to stop, once, and another begins in its place', async () => {
  /** Tells what it hears, and ends when it is told to stop and asked once more. */
  const source = `
    const { parentPort } = require('node:worker_threads')
    let told = 0
    parentPort.on('message', ({ kind }) => {
      if (kind !== 'stop') return
      told++
      setTimeout(() => parentPort.postMessage({ kind: 'event', event: { kind: 'trouble', what: String(told) } }), 20)
      setTimeout(() => process.exit(0), 60)
    })`
  const heard: unknown[] = []
  const begun: string[] = []
  const workerPool = new WorkerPool({
    loaded: new Worker(source, { eval: true }),
    load: mute,
    coordinator: {} as CoordinatorCalls,
    clock: realClock,
    journal: { record: (event) => void heard.push(event) },
    silentMs: 300_000,
    dataFor: (worker) => {
      begun.push(worker)
      return { worker } as never
    },
    hung: async () => assert.fail('it reads nothing'),
    died: async () => {},
    fault: (error) => assert.fail(String(error)),
  })
  workerPool.start()
  workerPool.renew()
  assert.deepEqual(begun, ['w1', 'w2'])
  assert.equal(workerPool.size, 1)
  // The one that is leaving is not replaced a second time.
  workerPool.renew()
  assert.deepEqual(begun, ['w1', 'w2', 'w3'])
  assert.equal(workerPool.size, 1)
  while (heard.length === 0) await realClock.sleep(5)
  assert.deepEqual(heard, [{ kind: 'trouble', what: '1' }])
  await workerPool.end()
  await workerPool.ended()
})

test('a thread that dies while it is leaving gets no second successor', async () => {
  const dying = new Worker(
    `require('node:worker_threads').parentPort.on('message', ({ kind }) => { if (kind === 'stop') process.exit(3) })`,
    { eval: true },
  )
  const begun: string[] = []
  const died = Promise.withResolvers<string>()
  const threads = [dying]
  const workerPool = new WorkerPool({
    loaded: undefined,
    load: () => threads.shift() ?? mute(),
    coordinator: {} as CoordinatorCalls,
    clock: realClock,
    journal: { record() {} },
    silentMs: 300_000,
    dataFor: (worker) => {
      begun.push(worker)
      return { worker } as never
    },
    hung: async () => assert.fail('it reads nothing'),
    died: async (worker) => died.resolve(worker),
    fault: (error) => assert.fail(String(error)),
  })
  workerPool.start()
  workerPool.renew()
  assert.equal(await died.promise, 'w1')
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['w1', 'w2'])
  assert.equal(workerPool.size, 1)
  await workerPool.end()
  await workerPool.ended()
})
