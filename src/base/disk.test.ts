import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryDisk } from '../../testkit/memory-disk.ts'
import type { Disk } from './disk.ts'
import { replaceFile } from './disk.ts'
import { seededRandom } from './random.ts'
import { realDisk } from './real-disk.ts'

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

test('a secret can be read by its owner only, already while it is written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-'))
  try {
    const path = join(folder, 'secret')
    const modes: number[] = []
    const watched: Disk = {
      ...realDisk,
      append(at, mode) {
        const file = realDisk.append(at, mode)
        modes.push(statSync(at).mode & 0o777)
        return file
      },
    }
    await replaceFile(watched, path, 'x', 0o600)
    assert.deepEqual([...modes, statSync(path).mode & 0o777], [0o600, 0o600])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
