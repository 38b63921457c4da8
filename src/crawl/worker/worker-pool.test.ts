import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { realClock } from '../../base/clock.ts'
import { seededRandom } from '../../base/random.ts'
import type { CoordinatorCalls } from '../../contracts/calls.ts'
import { anotherThread, ThreadNotes, tooManyDeaths, WorkerPool } from './worker-pool.ts'

const OPTIONS = {
  load: () => mute(),
  coordinator: {} as CoordinatorCalls,
  clock: realClock,
  journal: { record() {} },
  workers: 4,
  visits: 10,
  silentMs: 300_000,
  plan: () => undefined,
  host: 'h',
  filter: new SharedArrayBuffer(8),
  random: seededRandom(1),
  offset: () => 0,
  folder: () => '/volumes',
  leaveFolder: async () => false,
  begin() {},
  unreadable: async () => assert.fail('it reads nothing'),
  lose: async () => {},
}

/** A thread that lives and says nothing, whatever it is told. */
const mute = () => new Worker('setInterval(() => {}, 1000)', { eval: true })

test('a silent thread is ended, once, and reported like any dead thread', async () => {
  let now = 0
  const died: string[] = []
  const workerPool = new WorkerPool({
    ...OPTIONS,
    loaded: mute(),
    clock: { ...realClock, elapsed: () => now },
    journal: {
      record: (event) => event.kind === 'worker-restarted' && void died.push(`${event.worker}: ${event.why}`),
    },
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
  assert.equal(workerPool.failure, undefined)
})

test('renewing a pool stops each thread once and starts another in its place', async () => {
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
    ...OPTIONS,
    loaded: new Worker(source, { eval: true }),
    journal: { record: (event) => void heard.push(event) },
    begin: (worker) => void begun.push(worker),
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
  assert.equal(workerPool.failure, undefined)
})

test('a thread that dies while it is leaving is not replaced twice', async () => {
  const dying = new Worker(
    `require('node:worker_threads').parentPort.on('message', ({ kind }) => { if (kind === 'stop') process.exit(3) })`,
    { eval: true },
  )
  const begun: string[] = []
  const died = Promise.withResolvers<string>()
  const threads = [dying]
  const workerPool = new WorkerPool({
    ...OPTIONS,
    loaded: undefined,
    load: () => threads.shift() ?? mute(),
    begin: (worker) => void begun.push(worker),
    lose: async (worker) => died.resolve(worker),
  })
  workerPool.start()
  workerPool.renew()
  assert.equal(await died.promise, 'w1')
  await new Promise(setImmediate)
  assert.deepEqual(begun, ['w1', 'w2'])
  assert.equal(workerPool.size, 1)
  await workerPool.end()
  await workerPool.ended()
  assert.equal(workerPool.failure, undefined)
})

const BUSY = { threads: 1, full: true, free: 0, leased: 200 }

test('free sites start another thread at once', () => {
  assert.equal(anotherThread()({ ...BUSY, free: 50 }), true)
})

test('no thread is started while one has slots left, nor for a few sites', () => {
  const isNeeded = anotherThread()
  assert.equal(isNeeded({ ...BUSY, full: false, free: 50 }), false)
  assert.equal(isNeeded({ threads: 2, full: true, free: 20, leased: 20 }), false)
})

test('where all sites are leased, one is started each time the others have been full for a while', () => {
  const isNeeded = anotherThread()
  const looks = Array.from({ length: 25 }, (_, at) => (isNeeded(BUSY) ? at + 1 : 0)).filter((at) => at > 0)
  assert.deepEqual(looks, [10, 20])
})

test('a moment with a free slot begins the while again', () => {
  const isNeeded = anotherThread()
  for (let look = 1; look < 10; look++) assert.equal(isNeeded(BUSY), false)
  assert.equal(isNeeded({ ...BUSY, full: false }), false)
  assert.equal(isNeeded(BUSY), false)
})

test('twenty deaths per hour are tolerated, the next is too many; older ones are forgotten', () => {
  let now = 0
  const isTooMany = tooManyDeaths({ ...realClock, elapsed: () => now }, 1)
  for (let death = 1; death <= 20; death++) assert.equal(isTooMany(), false, `${death}`)
  assert.equal(isTooMany(), true)
  now = 3_600_000
  assert.equal(isTooMany(), false)
})

test('all threads may die of a full disk, twice', () => {
  const isTooMany = tooManyDeaths(realClock, 64)
  for (let death = 1; death <= 128; death++) assert.equal(isTooMany(), false, `${death}`)
  assert.equal(isTooMany(), true)
})

test('the next process in the folder finds the names left by one that was killed', () => {
  const disk = memoryDisk()
  const notes = new ThreadNotes(disk, '/w')
  assert.deepEqual(notes.earlier, [])
  for (const name of ['a-w1', 'a-w2', 'a-w1']) notes.begin(name)
  const next = new ThreadNotes(disk, '/w')
  assert.deepEqual(next.earlier, ['a-w1', 'a-w2'])
  next.begin('b-w1')
  assert.deepEqual(next.earlier, ['a-w1', 'a-w2', 'b-w1'], 'what could not be told is told the next time')
  next.clear()
  next.clear()
  assert.deepEqual(new ThreadNotes(disk, '/w').earlier, [])
})

test('a damaged file yields only valid names', () => {
  const disk = memoryDisk()
  disk.append('/w/threads').write(Buffer.from(`\0\xff\n../../x\n${'y'.repeat(100_000)}\nok-w1\nhalf`))
  assert.deepEqual(new ThreadNotes(disk, '/w').earlier, ['ok-w1', 'half'])
})
