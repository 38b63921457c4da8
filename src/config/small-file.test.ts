import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Problem } from '../base/errors.ts'
import { readSmallFile } from './small-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-small-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === 'unreadable' && pattern.test(error.message)

test('up to the bound a file is read whole; one byte more is too much', () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'pause: 3s\n')
  assert.equal(readSmallFile(path, 10), 'pause: 3s\n')
  assert.throws(() => readSmallFile(path, 9), refused(/more than 9 bytes/))
  assert.equal(readSmallFile(join(folder, 'none'), 10), undefined)
  assert.equal(readSmallFile(join(path, 'none'), 10), undefined)
})

test('a folder, a device without an end and a pipe to which nobody writes are refused at once', (t) => {
  assert.throws(() => readSmallFile(folder, 10), refused(/it is a folder/))
  assert.throws(() => readSmallFile('/dev/zero', 10), refused(/no ordinary file/))
  const pipe = join(folder, 'pipe')
  if (spawnSync('mkfifo', [pipe]).status !== 0) return t.skip('mkfifo is not here')
  assert.throws(() => readSmallFile(pipe, 10), refused(/no ordinary file/))
})
