import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { shipperOf, type VolumeSink } from './ship-volumes.ts'

const NAME = 'A-20261115000000000-00001-x.warc.gz'

/** A server's folder: keeps what follows what it has, and can lose the end of it. */
function folderElsewhere() {
  const files = new Map<string, Uint8Array>()
  const sealed = new Set<string>()
  const sink: VolumeSink = {
    async append(name, offset, bytes) {
      const before = files.get(name) ?? new Uint8Array(0)
      if (offset > before.length) return before.length
      const after = new Uint8Array(Math.max(before.length, offset + bytes.length))
      after.set(before)
      after.set(bytes, offset)
      files.set(name, after)
      return after.length
    },
    async seal(name, size) {
      files.set(name, (files.get(name) ?? new Uint8Array(0)).slice(0, size))
      sealed.add(name)
    },
  }
  return { files, sealed, sink, cut: (name: string, size: number) => files.set(name, files.get(name)!.slice(0, size)) }
}

test('everything written arrives, whatever the server forgot meanwhile, and a complete volume leaves the machine', async () => {
  const step = fc.oneof(
    fc.record({ write: fc.uint8Array({ minLength: 1, maxLength: 50 }) }),
    fc.record({ forget: fc.nat(100) }),
    fc.record({ restart: fc.constant(true) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const disk = memoryDisk()
      disk.makeFolder('/v')
      const there = folderElsewhere()
      let shipper = shipperOf(disk, '/v', there.sink)
      const file = disk.append(`/v/${NAME}.open`)
      let all: number[] = []
      for (const given of steps) {
        if ('write' in given) {
          file.write(given.write)
          all = [...all, ...given.write]
        } else if ('forget' in given && there.files.has(NAME)) {
          there.cut(NAME, Math.min(given.forget, there.files.get(NAME)!.length))
          shipper = shipperOf(disk, '/v', there.sink)
        } else shipper = shipperOf(disk, '/v', there.sink)
        await shipper.ship()
        assert.deepEqual([...(there.files.get(NAME) ?? [])], all)
      }
      disk.rename(`/v/${NAME}.open`, `/v/${NAME}`)
      await shipper.ship()
      await shipper.settled()
      assert.deepEqual([...there.sealed], [NAME])
      assert.deepEqual(disk.list('/v'), [])
    }),
  )
})

test('after a server lost bytes, shipping goes on from what it still has', async () => {
  const disk = memoryDisk()
  const there = folderElsewhere()
  const shipper = shipperOf(disk, '/v', there.sink)
  const file = disk.append(`/v/${NAME}.open`)
  file.write(Uint8Array.of(1, 2, 3))
  await shipper.ship()
  there.cut(NAME, 1)
  file.write(Uint8Array.of(4))
  await shipper.ship()
  assert.deepEqual([...there.files.get(NAME)!], [1, 2, 3, 4])
})

test('a complete volume whose server dies before it is sealed goes to the next server, whole', async () => {
  const disk = memoryDisk()
  const servers = [folderElsewhere(), folderElsewhere()]
  let server = servers[0]
  const shipper = shipperOf(disk, '/v', {
    append: (...args) => server.sink.append(...args),
    async seal(name, size) {
      server = servers[1]
      if (server.files.get(name)?.length !== size) throw new Error('send the rest first')
      await server.sink.seal(name, size)
    },
  })
  disk.append(`/v/${NAME}`).write(Uint8Array.of(1, 2, 3))
  await shipper.ship()
  await shipper.settled()
  await assert.rejects(shipper.ship(), /send the rest first/)
  await shipper.ship()
  await shipper.settled()
  assert.deepEqual([...servers[1].sealed], [NAME])
  assert.deepEqual([...servers[1].files.get(NAME)!], [1, 2, 3])
  assert.deepEqual(disk.list('/v'), [])
})

test('a volume that is renamed while it is read is shipped under its final name', async () => {
  const disk = memoryDisk()
  disk.append(`/v/${NAME}.open`).write(Uint8Array.of(1, 2))
  const there = folderElsewhere()
  let renamed = false
  const renaming = {
    ...disk,
    read(path: string, offset: number, length: number) {
      if (!renamed) disk.rename(`/v/${NAME}.open`, `/v/${NAME}`)
      renamed = true
      return disk.read(path, offset, length)
    },
  }
  const shipper = shipperOf(renaming, '/v', there.sink)
  await shipper.ship()
  await shipper.settled()
  assert.deepEqual([...there.sealed], [NAME])
  assert.deepEqual([...there.files.get(NAME)!], [1, 2])
})

test('a tail that was cut here is cut there', async () => {
  const disk = memoryDisk()
  disk.append(`/v/${NAME}.open`).write(Uint8Array.of(1, 2, 3, 4, 5))
  const there = folderElsewhere()
  await shipperOf(disk, '/v', there.sink).ship()
  disk.truncate(`/v/${NAME}.open`, 3)
  disk.rename(`/v/${NAME}.open`, `/v/${NAME}`)
  const shipper = shipperOf(disk, '/v', there.sink)
  await shipper.ship()
  await shipper.settled()
  assert.deepEqual([...there.files.get(NAME)!], [1, 2, 3])
})

test('a server that accepts nothing is an error, not an endless loop', async () => {
  const disk = memoryDisk()
  disk.append(`/v/${NAME}.open`).write(Uint8Array.of(1))
  const shipper = shipperOf(disk, '/v', { append: async () => 0, seal: async () => {} })
  await assert.rejects(shipper.ship(), /not accepted/)
})

test('sealing is not awaited; the next ship throws its error and tries again', async () => {
  const disk = memoryDisk()
  disk.append(`/v/${NAME}`).write(Uint8Array.of(1))
  const there = folderElsewhere()
  let fail = () => {}
  const slow: VolumeSink = {
    ...there.sink,
    seal: () => new Promise<void>((_, reject) => (fail = () => reject(new Error('no room')))),
  }
  const shipper = shipperOf(disk, '/v', slow)
  await shipper.ship()
  await shipper.ship()
  fail()
  await shipper.settled()
  await assert.rejects(shipper.ship(), /no room/)
  slow.seal = there.sink.seal
  await shipper.ship()
  await shipper.settled()
  assert.deepEqual(disk.list('/v'), [])
})
