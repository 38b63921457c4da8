import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { queries } from '../../database/queries.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import { readVolumes, type VolumeSources } from './read-volumes.ts'

const NAME = 'A-20261115000000000-00001-x.warc.gz'
const ALL = Uint8Array.from({ length: 100 }, (_, i) => i)

async function opened(locations: readonly { node: string; bytes: number; sealed: number }[]) {
  const database = openSqlite(':memory:')
  await database.transact(async (tx) => {
    const sql = queries(tx)
    for (const { node, bytes, sealed } of locations)
      await sql.run(
        'INSERT INTO volume_location (name, node, worker, bytes, sealed) VALUES (?, ?, ?, ?, ?)',
        NAME,
        node,
        'w1',
        bytes,
        sealed,
      )
    await sql.run(
      `INSERT INTO worker (id, name, secret_hash, version, state, registered_at, seen_at)
       VALUES ('w1', 'barn', x'00', '1', 'working', 0, 0)`,
    )
    await sql.run("INSERT INTO server (id, url, version, started_at, seen_at) VALUES ('s1', 'http://s1:1', '1', 0, 0)")
  })
  const disk = memoryDisk()
  const asked: string[] = []
  const reader = (where: string) => async () => {
    asked.push(where)
    if (where.includes('s1')) throw new Error('nobody there')
    return ALL.slice(10, 30)
  }
  const sources: VolumeSources = {
    server: async (url) => reader(url),
    store: async (location) => reader(location),
    close() {},
  }
  const volumes = readVolumes(database, disk, '/archive', sources)
  const read = async () => {
    const found = await volumes({ volume: NAME, offset: 10, length: 20 })
    return found.kind === 'bytes' ? [...found.bytes] : found.why
  }
  return { disk, asked, read, database }
}

const WANTED = [...ALL.slice(10, 30)]

test('a local volume is read locally; a beginning that is too short is not enough', async () => {
  const { disk, asked, read } = await opened([{ node: 's3://b/p', bytes: 100, sealed: 1 }])
  disk.append(`/archive/${NAME}.open`).write(ALL.slice(0, 25))
  assert.deepEqual(await read(), WANTED)
  assert.deepEqual(asked, ['s3://b/p'])
  disk.append(`/archive/${NAME}.open`).write(ALL.slice(25))
  assert.deepEqual(await read(), WANTED)
  assert.deepEqual(asked, ['s3://b/p'])
})

test('the location that has it complete is asked first, then the others', async () => {
  const { asked, read } = await opened([
    { node: 's3://b/p', bytes: 40, sealed: 0 },
    { node: 's1', bytes: 100, sealed: 1 },
  ])
  assert.deepEqual(await read(), WANTED)
  assert.deepEqual(asked, ['http://s1:1', 's3://b/p'])
})

test('a folder of a worker is read on its machine, and named on others', async () => {
  const { disk, read } = await opened([{ node: 'dir:/data', bytes: 100, sealed: 1 }])
  assert.match(String(await read()), /^lies in \/data on the machine of worker barn/)
  disk.append(`/data/${NAME}`).write(ALL)
  assert.deepEqual(await read(), WANTED)
})

test('for a volume that cannot be reached it says where it lies, and why', async () => {
  const { read } = await opened([
    { node: 's1', bytes: 100, sealed: 1 },
    { node: 's2', bytes: 50, sealed: 0 },
  ])
  assert.equal(
    await read(),
    'lies with http://s1:1, but cannot be read there: nobody there; lies with server s2, which is not running',
  )
  const { read: none } = await opened([])
  assert.equal(await none(), 'is not there')
})
