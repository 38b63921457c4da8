import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Disk } from './disk.ts'
import { memoryDisk } from './memory-disk.ts'
import { seededRandom } from './random.ts'
import { replaceFile } from './replace-file.ts'

const text = (disk: Disk, path: string) => new TextDecoder().decode(disk.read(path, 0, 1000))

test('a file is replaced and survives a loss of power', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/a')
  await replaceFile(disk, '/a/b', 'first')
  await replaceFile(disk, '/a/b', 'second')
  disk.crash(seededRandom(1))
  assert.equal(text(disk, '/a/b'), 'second')
  assert.deepEqual(disk.list('/a'), ['b'])
})

test('what an earlier try left is not in the way', async () => {
  const disk = memoryDisk()
  disk.makeFolder('/a')
  disk.append('/a/b.new').write(new TextEncoder().encode('half a'))
  await replaceFile(disk, '/a/b', new TextEncoder().encode('whole'))
  assert.equal(text(disk, '/a/b'), 'whole')
})
