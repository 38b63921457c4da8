import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import type { Disk } from '../../base/disk.ts'
import { localVolumes, type RecordLocation } from './local-volumes.ts'
import { FOLDER, keepIn, madeUpArchive, recordsIn } from './made-up.test-archive.ts'
import { madeUpExchange } from './made-up.test-exchange.ts'
import { type FindOriginal, readCapture } from './read-capture.ts'
import { verifyVolume } from './verify-volume.ts'

const none: FindOriginal = () => undefined

test('a capture is read while its volume is open and when it is closed', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const location = keepIn(archive, madeUpExchange({ payload: Buffer.from('chunky'), chunked: true }))
  await archive.synced()
  const open = await readCapture(localVolumes(disk, FOLDER), location, none)
  await archive.close()
  const closed = await readCapture(localVolumes(disk, FOLDER), location, none)
  for (const read of [open, closed]) {
    assert.ok(read.kind === 'capture')
    assert.equal(Buffer.from(read.body).toString(), 'chunky')
    assert.equal(read.http.status, 200)
    assert.equal(read.warcHeaders.get('WARC-Target-URI'), 'http://www.example.org/')
  }
})

test('a volume that is closed while it is being opened is found', async () => {
  for (const renameAt of [1, 2, 3]) {
    const disk = memoryDisk()
    const { archive } = madeUpArchive(disk)
    const location = keepIn(archive, madeUpExchange())
    await archive.synced()
    const closed = `${FOLDER}/${location.volume}`
    let calls = 0
    const before = <T>(work: () => T): T => {
      if (++calls === renameAt) disk.rename(`${closed}.open`, closed)
      return work()
    }
    const busy: Disk = {
      ...disk,
      size: (path) => before(() => disk.size(path)),
      read: (path, offset, length) => before(() => disk.read(path, offset, length)),
    }
    assert.equal(
      (await readCapture(localVolumes(busy, FOLDER), location, none)).kind,
      'capture',
      `renamed at ${renameAt}`,
    )
  }
})

test('a revisit has its own head and the body of its original', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const first = madeUpExchange({ url: 'http://www.example.org/a', at: 1_700_000_001_234 })
  const original = keepIn(archive, first)
  const again = keepIn(archive, madeUpExchange({ url: 'http://www.example.org/b', status: 203 }), first)
  await archive.close()
  const asked: [string, number][] = []
  const find = (url: string, at: number): RecordLocation => {
    asked.push([url, at])
    return original
  }
  const read = await readCapture(localVolumes(disk, FOLDER), again, find)
  assert.ok(read.kind === 'capture')
  assert.equal(read.http.status, 203)
  assert.equal(Buffer.from(read.body).toString(), 'hello')
  assert.deepEqual(asked, [['http://www.example.org/a', 1_700_000_001_234]])
  assert.equal((await readCapture(localVolumes(disk, FOLDER), again, none)).kind, 'unreadable')
  assert.equal((await readCapture(localVolumes(disk, FOLDER), again, () => again)).kind, 'unreadable')
})

test('a capture that is missing or wrong is a value with a reason', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const location = keepIn(archive, madeUpExchange())
  await archive.close()
  const wrong: [RecordLocation, RegExp][] = [
    [{ ...location, volume: 'other.warc.gz' }, /is not there/],
    [{ ...location, offset: location.offset + 1 }, /no gzip member/],
    [{ ...location, length: location.length - 1 }, /ends inside/],
    [{ ...location, offset: 0, length: location.offset }, /HTTP/],
    [{ ...location, length: 1e12 }, /longer/],
  ]
  for (const [other, why] of wrong) {
    const read = await readCapture(localVolumes(disk, FOLDER), other, none)
    assert.ok(read.kind === 'unreadable')
    assert.match(read.why, why)
  }
})

test('a 304 is a revisit without a head, and is read with the head and body of the page it confirms', async () => {
  const disk = memoryDisk()
  const { archive } = madeUpArchive(disk)
  const page = madeUpExchange({ payload: Buffer.from('as before') })
  const original = keepIn(archive, page)
  const again = madeUpExchange({ status: 304, at: page.sentAt + 5000, payload: new Uint8Array(0) })
  const location = archive.keep(again, original.digest, { url: page.url, at: page.sentAt })
  await archive.close()
  assert.equal(location.kind, 'revisit')
  const record = recordsIn(disk, location.volume).find(({ offset }) => offset === location.offset)!
  assert.equal(record.block.length, 0)
  assert.match(record.headers.get('WARC-Profile') ?? '', /\/server-not-modified$/)
  const read = await readCapture(localVolumes(disk, FOLDER), location, () => original)
  assert.ok(read.kind === 'capture')
  assert.deepEqual([read.http.status, Buffer.from(read.body).toString()], [200, 'as before'])
  for await (const { what } of verifyVolume(disk, `${FOLDER}/${location.volume}`)) assert.fail(what)
})
