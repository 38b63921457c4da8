import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import type { Disk } from '../../base/disk.ts'
import { Readers } from '../../base/journal.ts'
import { Unreachable } from '../../cluster/wire/servers.ts'
import { serverSink } from '../../cluster/worker/remote-worker.ts'
import type { Event } from '../../contracts/events.ts'
import { grownVolumes } from '../volumes/grown-volumes.ts'
import type { VolumeSink } from './ship-volumes.ts'
import {
  keptLocation,
  LocationFailed,
  locationList,
  type RecordLocation,
  recordingSink,
  shippedLocation,
} from './volume-locations.ts'

const [ONE, TWO] = ['A-20261115000000000-00001-x.warc.gz', 'A-20261115000000000-00002-x.warc.gz']

function opened() {
  const disk = memoryDisk()
  const recorded: string[] = []
  const record: RecordLocation = async (name, location, bytes, sealed) => {
    recorded.push(`${name.slice(20, 25)} ${location} ${bytes}${sealed ? ' sealed' : ''}`)
  }
  const journal = new Readers<Event>()
  const troubles: string[] = []
  journal.read((event) => event.kind === 'trouble' && troubles.push(event.what))
  const write = (name: string, ...bytes: number[]) => disk.append(`/w/${name}`).write(Uint8Array.from(bytes))
  const there = (path: string) => [...disk.read(path, 0, 100)]
  return { disk, recorded, record, journal, troubles, write, there }
}

const nothing = () => false

/** Copies in another folder, that grow as they would with a server. */
function folderSink(disk: Disk, folder: string, record: RecordLocation): VolumeSink {
  const copies = grownVolumes(disk, folder)
  return recordingSink(`dir:${folder}`, record, {
    append: (name, offset, bytes) => copies.append(name, offset, offset, bytes),
    seal: (name, size) => copies.seal(name, size),
  })
}

test('a location that fails is replaced by the next: complete volumes stay, open ones are sent whole', async () => {
  const { disk, recorded, record, journal, troubles, write, there } = opened()
  let isFull = false
  const first = folderSink(disk, '/one', record)
  const failing: VolumeSink = {
    ...first,
    async append(name, offset, bytes) {
      if (isFull) throw new LocationFailed('no room')
      return first.append(name, offset, bytes)
    },
  }
  const locations = locationList(
    [
      shippedLocation('dir:/one', disk, '/w', failing, nothing),
      shippedLocation('dir:/two', disk, '/w', folderSink(disk, '/two', record), nothing),
    ],
    journal,
  )
  write(ONE, 1, 2)
  write(`${TWO}.open`, 3)
  await locations.ship()
  await locations.settled()
  isFull = true
  write(`${TWO}.open`, 4)
  await locations.ship()
  disk.rename(`/w/${TWO}.open`, `/w/${TWO}`)
  await locations.ship()
  await locations.settled()
  assert.deepEqual(there(`/one/${ONE}`), [1, 2])
  assert.deepEqual(there(`/two/${TWO}`), [3, 4])
  assert.deepEqual(disk.list('/w'), [])
  assert.equal(locations.failures, 1)
  assert.deepEqual(troubles, ['volumes now go to dir:/two instead of dir:/one: no room'])
  assert.equal(recorded.at(-1), '00002 dir:/two 2 sealed')
})

test("when all locations have failed the first is tried again, and an error that is not the location's changes nothing", async () => {
  const { journal, troubles } = opened()
  let answer: Error | undefined = new LocationFailed('full')
  const asked: string[] = []
  const location = (name: string) => ({
    name,
    folder: '/w',
    async note() {},
    async ship() {
      asked.push(name)
      if (answer !== undefined) throw answer
    },
    async settled() {},
  })
  const locations = locationList([location('a'), location('b')], journal)
  await assert.rejects(locations.ship(), LocationFailed)
  assert.deepEqual(asked, ['a', 'b'])
  answer = new Error('not now')
  await assert.rejects(locations.ship(), /not now/)
  answer = undefined
  await locations.ship()
  assert.deepEqual(asked, ['a', 'b', 'a', 'a'])
  assert.equal(troubles.length, 2)
})

test('two callers that meet the same failure turn to the same next location', async () => {
  const { journal } = opened()
  const shipped: string[] = []
  const location = (name: string, fails: boolean) => ({
    name,
    folder: '/w',
    async note() {},
    async ship() {
      if (fails) throw new LocationFailed('full')
      shipped.push(name)
    },
    async settled() {},
  })
  const locations = locationList([location('a', true), location('b', false), location('c', false)], journal)
  await Promise.all([locations.ship(), locations.ship()])
  assert.deepEqual(shipped, ['b', 'b'])
})

test('volumes are kept and recorded while there is room; those that were kept stay', async () => {
  const { disk, recorded, record, journal, write, there } = opened()
  let hasRoom = true
  const kept = keptLocation({
    name: 'keep',
    disk,
    folder: '/w',
    record,
    hasRoom: () => hasRoom,
    isOurs: () => true,
  })
  const locations = locationList(
    [kept, shippedLocation('dir:/two', disk, '/w', folderSink(disk, '/two', record), kept.has)],
    journal,
  )
  write(ONE, 1)
  write(`${TWO}.open`, 2)
  await locations.ship()
  await locations.ship()
  assert.deepEqual(recorded, ['00001 dir:/w 1 sealed', '00002 dir:/w 1'])
  hasRoom = false
  disk.rename(`/w/${TWO}.open`, `/w/${TWO}`)
  write(`${TWO.replace('2-x', '3-x')}.open`, 3)
  await locations.ship()
  assert.deepEqual(
    disk.list('/w'),
    [ONE, TWO, `${TWO.replace('2-x', '3-x')}.open`],
    'it was complete when it was looked at',
  )
  assert.deepEqual(there(`/two/${TWO.replace('2-x', '3-x')}.open`), [3])
})

test('unreachable servers are waited for; one whose disk is full is replaced', async () => {
  const failing = (error: Error) =>
    serverSink({ append: () => Promise.reject(error), seal: () => Promise.reject(error) })
  await assert.rejects(failing(new Unreachable(0, new Error('nobody'))).append(ONE, 0, Uint8Array.of(1)), Unreachable)
  const full = Object.defineProperty(new Unreachable(0, undefined), 'isFull', { value: true })
  await assert.rejects(failing(full).seal(ONE, 1), LocationFailed)
})

test('a folder in which nothing can be written is left once, and its volumes are recorded', async () => {
  const { disk, recorded, record, journal, troubles } = opened()
  const room = new Map([
    ['/one', true],
    ['/two', true],
    ['/three', true],
  ])
  const kept = (folder: string) =>
    keptLocation({
      name: `dir:${folder}`,
      disk,
      folder,
      record,
      hasRoom: () => room.get(folder) === true,
      isOurs: (volume) => volume !== TWO,
    })
  const locations = locationList([...room.keys()].map(kept), journal)
  await locations.ship()
  assert.equal(locations.folder, '/one')
  disk.append(`/one/${ONE}.open`).write(Uint8Array.of(1))
  disk.append(`/one/${TWO}`).write(Uint8Array.of(2))
  const full = new Error('no space left')
  room.set('/two', false)
  // Two threads meet the same full disk; the next place is full as well.
  assert.deepEqual(await Promise.all([locations.leave('/one', full), locations.leave('/one', full)]), [true, true])
  assert.equal(locations.folder, '/three')
  assert.deepEqual(recorded, ['00001 dir:/one 1'], 'but not of a volume of somebody else')
  // It is closed there later, by a thread that had begun before.
  disk.rename(`/one/${ONE}.open`, `/one/${ONE}`)
  await locations.ship()
  assert.equal(recorded.at(-1), '00001 dir:/one 1 sealed')
  assert.equal(troubles.length, 2)
  room.set('/one', false)
  assert.equal(await locations.leave('/three', full), false, 'there is no other')
})

test('the only folder is not left', async () => {
  const { disk, record, journal } = opened()
  const alone = keptLocation({ name: 'keep', disk, folder: '/w', record, hasRoom: () => true, isOurs: () => true })
  const locations = locationList([alone], journal)
  assert.equal(await locations.leave('/w', new Error('no space left')), false)
})

test('a full folder is left for another folder, not for a location that is sent to from the same folder', async () => {
  const { disk, record, journal } = opened()
  const kept = (folder: string) =>
    keptLocation({ name: folder, disk, folder, record, hasRoom: () => true, isOurs: () => true })
  const sent = shippedLocation('dir:/away', disk, '/w', folderSink(disk, '/away', record), nothing)
  const full = new Error('no space left')
  const locations = locationList([kept('/w'), sent, kept('/two')], journal)
  assert.equal(await locations.leave('/w', full), true)
  assert.equal(locations.folder, '/two')
  const alike = locationList([kept('/w'), sent], journal)
  assert.equal(await alike.leave('/w', full), false)
})

test('volumes that stay in the archive when a folder takes over are recorded', async () => {
  const { disk, recorded, record, journal, write } = opened()
  const kept = (folder: string) =>
    keptLocation({ name: folder, disk, folder, record, hasRoom: () => true, isOurs: () => true })
  const refusing: VolumeSink = {
    append: () => Promise.reject(new LocationFailed('no room')),
    seal: () => Promise.reject(new LocationFailed('no room')),
  }
  const archive = kept('/w')
  const locations = locationList(
    [shippedLocation('upload', disk, '/w', refusing, archive.has), kept('/two')],
    journal,
    archive,
  )
  write(ONE, 1)
  write(`${TWO}.open`, 2)
  await locations.ship()
  assert.equal(locations.folder, '/two')
  await locations.ship()
  assert.deepEqual(recorded, ['00001 dir:/w 1 sealed', '00002 dir:/w 1'])
  disk.rename(`/w/${TWO}.open`, `/w/${TWO}`)
  await locations.ship()
  assert.equal(recorded.at(-1), '00002 dir:/w 1 sealed')
})

test('a disk that is gone is reported once, until it is back', async () => {
  const { disk, record, journal, troubles } = opened()
  let isGone = false
  const list = (folder: string): string[] => {
    if (isGone && folder === '/one') throw new Error('input/output error')
    return disk.list(folder)
  }
  const kept = (folder: string) =>
    keptLocation({
      ...{ name: folder, folder, record, isOurs: () => true },
      disk: { ...disk, list },
      hasRoom: () => folder === '/two',
    })
  const locations = locationList([kept('/one'), kept('/two')], journal)
  const shipTwice = async () => {
    await locations.ship()
    await locations.ship()
    return troubles.filter((what) => what.includes('cannot list the volumes')).length
  }
  assert.equal(await shipTwice(), 0)
  isGone = true
  assert.equal(await shipTwice(), 1)
  isGone = false
  assert.equal(await shipTwice(), 1)
  isGone = true
  assert.equal(await shipTwice(), 2)
})
