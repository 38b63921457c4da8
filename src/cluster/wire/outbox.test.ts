import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import type { Disk } from '../../base/disk.ts'
import { seededRandom } from '../../base/random.ts'
import { type Outbox, openOutbox } from './outbox.ts'

const FOLDER = '/outbox'
const bytesOf = (n: number) => Uint8Array.of(n, n, n)

function drained(outbox: Outbox): number[] {
  const all: number[] = []
  for (let first = outbox.first; first !== undefined; first = outbox.first) {
    all.push(outbox.read(first)[0])
    outbox.remove(first)
  }
  return all
}

/** The disk as one process has it: when that is over, nothing it had still to do is done. */
function lifeOf(disk: Disk): { disk: Disk; end(): void } {
  let isOver = false
  const alive = () => {
    if (isOver) throw new Error('this process is no more')
    return disk
  }
  return {
    end: () => {
      isOver = true
    },
    disk: {
      append(path) {
        const file = alive().append(path)
        return {
          get size() {
            return file.size
          },
          write(bytes) {
            alive()
            file.write(bytes)
          },
          async sync() {
            alive()
            await file.sync()
          },
          close: () => file.close(),
        }
      },
      read: (...args) => alive().read(...args),
      size: (path) => alive().size(path),
      list: (folder) => alive().list(folder),
      makeFolder: (folder) => alive().makeFolder(folder),
      rename: (from, to) => alive().rename(from, to),
      remove: (path) => alive().remove(path),
      truncate: (path, size) => alive().truncate(path, size),
      syncFolder: async (folder) => alive().syncFolder(folder),
    },
  }
}

test('what was put is there after a loss of power, whole and in its order', async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('put' as const) },
    { weight: 2, arbitrary: fc.constant('send' as const) },
    { weight: 1, arbitrary: fc.constant('crash' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(), async (steps, seed) => {
      const disk = memoryDisk()
      const random = seededRandom(seed)
      let life = lifeOf(disk)
      let outbox = openOutbox(life.disk, FOLDER, 1000)
      let waiting: number[] = []
      let last = 0
      const sent = new Set<number>()
      for (const what of steps) {
        if (what === 'put') {
          assert.ok(await outbox.put(bytesOf(++last), 1))
          waiting.push(last)
        } else if (what === 'send') {
          const { first } = outbox
          assert.equal(first === undefined ? undefined : outbox.read(first)[0], waiting[0])
          if (first === undefined) continue
          sent.add(waiting.shift()!)
          outbox.remove(first)
        } else {
          // Never awaited: whatever it leaves, it was not promised.
          void outbox.put(bytesOf(99), 1).catch(() => {})
          life.end()
          disk.crash(random)
          life = lifeOf(disk)
          outbox = openOutbox(life.disk, FOLDER, 1000)
          const found = drained(outbox).filter((n) => n !== 99)
          // Some that were sent may come again; none that was not sent is missing.
          assert.deepEqual(
            found.filter((n) => !sent.has(n)),
            waiting,
          )
          for (const n of waiting) sent.add(n)
          waiting = []
        }
      }
      assert.deepEqual(drained(outbox), waiting)
      assert.equal(outbox.bytes, 0)
    }),
    { numRuns: 200 },
  )
})

test('there is room for so many bytes and no more', async () => {
  const outbox = openOutbox(memoryDisk(), FOLDER, 8)
  assert.equal(await outbox.put(bytesOf(1), 4), true)
  assert.equal(await outbox.put(bytesOf(2), 1), true)
  assert.equal(await outbox.put(bytesOf(3), 1), false)
  assert.equal(outbox.parts, 5)
  outbox.remove(outbox.first!)
  assert.equal(await outbox.put(bytesOf(3), 1), true)
})

test('what is refused for good is out of the way, and kept', async () => {
  const disk = memoryDisk()
  const outbox = openOutbox(disk, FOLDER, 100)
  await outbox.put(bytesOf(1), 1)
  outbox.setAside(outbox.first!)
  assert.ok(outbox.isEmpty)
  assert.equal(disk.list(FOLDER).length, 1)
  assert.ok(openOutbox(disk, FOLDER, 100).isEmpty)
})

test('a disk that is full takes nothing and loses nothing', async () => {
  const disk = memoryDisk()
  let full = true
  const filling = {
    ...disk,
    append(path: string) {
      if (full) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      return disk.append(path)
    },
  }
  const outbox = openOutbox(filling, FOLDER, 100)
  await assert.rejects(outbox.put(bytesOf(1), 1), /ENOSPC/)
  assert.ok(outbox.isEmpty && outbox.bytes === 0)
  full = false
  assert.ok(await outbox.put(bytesOf(1), 1))
})
