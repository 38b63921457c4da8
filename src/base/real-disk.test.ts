import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { realDisk } from './real-disk.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-real-disk-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const code = (expected: string) => (error: unknown) => (error as NodeJS.ErrnoException).code === expected

test('a folder is made with those above it; again is no error; a file in its place is one', () => {
  const deep = join(folder, 'a/b/c')
  realDisk.makeFolder(deep)
  realDisk.makeFolder(deep)
  writeFileSync(join(deep, 'file'), '')
  assert.deepEqual(realDisk.list(deep), ['file'])
  assert.throws(() => realDisk.makeFolder(join(deep, 'file')), code('EEXIST'))
  assert.throws(() => realDisk.makeFolder(join(deep, 'file/inside')), code('ENOTDIR'))
})

test('where none can be made the error is told, and does not take for ever', {
  skip: process.platform !== 'linux' && 'there is no /proc',
}, () => {
  assert.throws(() => realDisk.makeFolder('/proc/orbweaver/archive'), code('ENOENT'))
})
