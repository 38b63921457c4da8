import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import type { Disk } from '../../base/disk.ts'
import { Readers } from '../../base/journal.ts'
import { seededRandom } from '../../base/random.ts'
import { volumesOfOthers } from '../../collection/locations/own-locations.ts'
import { repairVolumes } from '../../collection/volumes/repair.ts'
import type { Event } from '../../contracts/events.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import type { Asked } from './handlers.ts'
import { reach, testServer } from './server.test-tools.ts'
import { uploadHandlers, volumeLocations } from './uploads.ts'

const NAME = 'ORBWEAVER-20261115000000000-00001-h.w1.warc.gz'
const FOLDER = '/archive'

function asked(worker: string, offset: number, bytes: Uint8Array): Asked {
  return {
    worker,
    address: '',
    isLocal: false,
    name: NAME,
    query: { offset: String(offset) },
    bytes,
    packing: '',
    gone: () => false,
    note: { items: 0, result: 'ok' },
  }
}

async function opened() {
  const disk = memoryDisk()
  const database = openSqlite(':memory:')
  const locations = volumeLocations(database, 'server-1')
  const start = (on: Disk = disk) => uploadHandlers(on, FOLDER, locations)
  return { disk, database, locations, start }
}

test('however a volume is sent, cut into pieces, again, with a loss of power before or after an answer, it is what was sent', async () => {
  const step = fc.record({
    from: fc.nat(100),
    length: fc.nat(40),
    crash: fc.constantFrom('none', 'none', 'before the answer', 'after the answer'),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 100 }),
      fc.array(step, { maxLength: 15 }),
      fc.nat(),
      async (all, steps, seed) => {
        const random = seededRandom(seed)
        let isCut = false
        const disk = memoryDisk(async () => {
          if (isCut) disk.crash(random)
        })
        const locations = { find: async () => ({ worker: 'w', bytes: 0 }), note: async () => {} }
        const start = () => uploadHandlers(disk, FOLDER, locations)
        let { upload, seal } = start()
        let answered = 0
        for (const { from, length, crash } of steps) {
          const offset = Math.min(from, all.length)
          const piece = all.slice(offset, offset + length)
          isCut = crash === 'before the answer'
          const { bytes } = await upload(asked('w', offset, piece), undefined)
          isCut = false
          if (crash !== 'before the answer') {
            assert.ok(bytes <= Math.max(answered, offset + piece.length))
            answered = Math.max(answered, bytes)
          }
          if (crash === 'after the answer') disk.crash(random)
          if (crash !== 'none') ({ upload, seal } = start())
          if (answered > 0) {
            const there = disk.read(`${FOLDER}/${NAME}.open`, 0, answered)
            assert.deepEqual([...there], [...all.slice(0, answered)], 'what was answered for is there')
          }
        }
        for (let at = answered; at < all.length; ) at = (await upload(asked('w', at, all.slice(at)), undefined)).bytes
        await seal(asked('w', 0, new Uint8Array()), { bytes: all.length })
        assert.deepEqual(disk.list(FOLDER), [NAME])
        assert.deepEqual([...disk.read(`${FOLDER}/${NAME}`, 0, 1000)], [...all])
      },
    ),
    { numRuns: 500 },
  )
})

test('what a crash left behind the last answer is replaced, also where it looks like what comes', async () => {
  const { start, disk, database, locations } = await opened()
  await start().upload(asked('w', 0, Uint8Array.of(1, 2, 3)), undefined)
  // A piece that was written and never synced: a beginning that is right, and a hole.
  disk.append(`${FOLDER}/${NAME}.open`).write(Uint8Array.of(4, 5, 0, 0, 0))
  const { upload } = start()
  assert.deepEqual(await upload(asked('w', 3, Uint8Array.of(4)), undefined), { bytes: 0 }, 'nothing is vouched for')
  assert.deepEqual(await upload(asked('w', 0, Uint8Array.of(1, 2, 3, 4)), undefined), { bytes: 4 })
  assert.deepEqual(await upload(asked('w', 4, Uint8Array.of(5, 6, 7)), undefined), { bytes: 7 })
  assert.deepEqual([...disk.read(`${FOLDER}/${NAME}.open`, 0, 10)], [1, 2, 3, 4, 5, 6, 7])
  await locations.note(NAME, 'w', 5, false)
  const { upload: later } = start()
  await assert.rejects(
    later(asked('w', 4, Uint8Array.of(9)), undefined),
    { code: 'conflict' },
    'the table vouches for it',
  )
  assert.deepEqual(await later(asked('w', 5, Uint8Array.of(8)), undefined), { bytes: 6 })
  assert.deepEqual([...disk.read(`${FOLDER}/${NAME}.open`, 0, 10)], [1, 2, 3, 4, 5, 8])
  await database.close()
})

test('a piece that does not fit leaves nothing behind and may be sent again', async () => {
  const { start, disk, database } = await opened()
  let isFull = true
  const full = {
    ...disk,
    append(path: string) {
      const file = disk.append(path)
      const write = (bytes: Uint8Array) => {
        file.write(isFull ? bytes.subarray(0, 1) : bytes)
        if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })
      }
      return { ...file, size: file.size, write }
    },
  }
  const { upload } = start(full)
  await assert.rejects(upload(asked('w', 0, Uint8Array.of(1, 2)), undefined), { code: 'ENOSPC' })
  assert.equal(disk.size(`${FOLDER}/${NAME}.open`), 0)
  isFull = false
  assert.deepEqual(await upload(asked('w', 0, Uint8Array.of(1, 2)), undefined), { bytes: 2 })
  await database.close()
})

test('a volume never changes, only its worker writes to it, and it stops growing when complete', async () => {
  const { start, disk, database } = await opened()
  const { upload, seal } = start()
  const bytes = Uint8Array.of(1, 2, 3)
  await upload(asked('w', 0, bytes), undefined)
  await assert.rejects(upload(asked('v', 3, bytes), undefined), { code: 'forbidden' })
  await assert.rejects(upload(asked('w', 1, Uint8Array.of(9)), undefined), { code: 'conflict' })
  await assert.rejects(seal(asked('v', 0, bytes), { bytes: 3 }), { code: 'forbidden' })
  await assert.rejects(seal(asked('w', 0, bytes), { bytes: 4 }), { code: 'conflict' })
  assert.deepEqual(await seal(asked('w', 0, bytes), { bytes: 2 }), { bytes: 2 })
  assert.deepEqual(await seal(asked('w', 0, bytes), { bytes: 2 }), { bytes: 2 })
  assert.deepEqual(await upload(asked('w', 0, Uint8Array.of(1, 2)), undefined), { bytes: 2 })
  await assert.rejects(upload(asked('w', 2, bytes), undefined), { code: 'conflict' })
  // Another life of the server knows it from the table.
  await assert.rejects(start().upload(asked('v', 2, bytes), undefined), { code: 'forbidden' })
  assert.deepEqual([...disk.read(`${FOLDER}/${NAME}`, 0, 10)], [1, 2])
  await database.close()
})

test('a volume that a worker took elsewhere and completed there is not repaired as one of the server itself', async () => {
  const { start, database } = await opened()
  const disk = memoryDisk()
  const first = start()
  await first.upload(asked('w', 0, Uint8Array.of(1)), undefined)
  const second = uploadHandlers(disk, FOLDER, volumeLocations(database, 'server-2'))
  await second.upload(asked('w', 0, Uint8Array.of(1, 2)), undefined)
  await first.upload(asked('w', 1, Uint8Array.of(2, 3)), undefined)
  await first.seal(asked('w', 0, Uint8Array.of()), { bytes: 3 })
  // The second server starts again: what it has is the beginning of a volume, and whole only by chance.
  const journal = new Readers<Event>()
  const others = await volumesOfOthers({ database, disk, journal, owner: 'server-2' })
  await repairVolumes(disk, FOLDER, journal, new Map([[NAME, 2]]), others)
  assert.deepEqual(disk.list(FOLDER), [`${NAME}.open`])
  await database.close()
})

test('the volumes of the collection itself belong to no worker', async () => {
  const { start, disk, database } = await opened()
  disk.append(`${FOLDER}/${NAME}`).write(Uint8Array.of(1))
  await assert.rejects(start().upload(asked('w', 0, Uint8Array.of(1)), undefined), { code: 'forbidden' })
  await database.close()
})

test('over HTTP: pieces, their end, and names that lead elsewhere', async () => {
  await using made = await testServer()
  const identity = await made.join()
  const coordinator = reach([made.server.url], identity)
  assert.equal(await coordinator.volumes.append(NAME, 0, Uint8Array.of(1, 2, 3)), 3)
  assert.equal(await coordinator.volumes.append(NAME, 9, Uint8Array.of(1)), 3)
  assert.equal(await coordinator.volumes.append(NAME, 2, Uint8Array.of(3, 4)), 4)
  await coordinator.volumes.seal(NAME, 4)
  assert.deepEqual(made.disk.list(FOLDER), [NAME])
  for (const name of ['..%2f..%2fetc.warc.gz', '.warc.gz', 'a.warc', '%2e%2e.warc.gz', 'a%00.warc.gz']) {
    const { status } = await made.send(`/api/v1/volumes/${name}?offset=0`, {
      method: 'PUT',
      as: identity,
      body: Uint8Array.of(1),
    })
    assert.equal(status, 400, name)
  }
  await coordinator.close(0)
})
