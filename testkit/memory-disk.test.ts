import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '../src/base/random.ts'
import { memoryDisk } from './memory-disk.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const text = (data: Uint8Array) => new TextDecoder().decode(data)

test('what was synced, file and folder, survives every crash', async () => {
  for (let seed = 0; seed < 200; seed++) {
    const disk = memoryDisk()
    const file = disk.append('a/one')
    file.write(bytes('kept'))
    await file.sync()
    await disk.syncFolder('a')
    file.write(bytes('maybe'))
    disk.crash(seededRandom(seed))
    assert.equal(text(disk.read('a/one', 0, 4)), 'kept')
  }
})

test('what was not synced is lost by some crash: the file, its name, a rename', async () => {
  const lost = { file: 0, name: 0, rename: 0 }
  for (let seed = 0; seed < 100; seed++) {
    const disk = memoryDisk()
    const unsynced = disk.append('a/file')
    await disk.syncFolder('a')
    unsynced.write(bytes('gone'))
    const unnamed = disk.append('a/name')
    unnamed.write(bytes('x'))
    await unnamed.sync()
    const moved = disk.append('b/old')
    await moved.sync()
    await disk.syncFolder('b')
    disk.rename('b/old', 'b/new')
    disk.crash(seededRandom(seed))
    if (text(disk.read('a/file', 0, 9)) !== 'gone') lost.file++
    if (disk.size('a/name') === undefined) lost.name++
    if (disk.size('b/new') === undefined) lost.rename++
  }
  for (const [what, times] of Object.entries(lost)) assert.ok(times > 10 && times < 100, `${what}: ${times} of 100`)
})

test('a sync promises only what was written before it', async () => {
  let survived = 0
  for (let seed = 0; seed < 100; seed++) {
    const disk = memoryDisk()
    const file = disk.append('f')
    await disk.syncFolder('.')
    file.write(bytes('one'))
    const syncing = file.sync()
    file.write(bytes('two'))
    await syncing
    disk.crash(seededRandom(seed))
    const left = text(disk.read('f', 0, 9))
    assert.ok(left.startsWith('one'))
    if (left === 'onetwo') survived++
  }
  assert.ok(survived < 90)
})

test('a sync that is under way when the power goes never arrives', async () => {
  let lost = 0
  for (let seed = 0; seed < 50; seed++) {
    let arrive = () => {}
    const disk = memoryDisk(() => new Promise((resolve) => (arrive = resolve)))
    const file = disk.append('a/f')
    file.write(bytes('one'))
    const syncing = disk.syncFolder('a')
    disk.crash(seededRandom(seed))
    const left = disk.list('a')
    arrive()
    await syncing
    disk.crash(seededRandom(seed))
    assert.deepEqual(disk.list('a'), left)
    if (left.length === 0) lost++
  }
  assert.ok(lost > 5 && lost < 45, `${lost}`)
})
