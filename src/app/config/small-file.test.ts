import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import { readSmallFile } from './small-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'orbweaver-small-file-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const refused = (pattern: RegExp) => (error: unknown) =>
  error instanceof Problem && error.code === 'unreadable' && pattern.test(error.message)

test('a file of the maximum size is read; one byte more is refused', () => {
  const path = join(folder, 'file')
  writeFileSync(path, 'pause: 3s\n')
  assert.equal(readSmallFile(path, 10), 'pause: 3s\n')
  assert.throws(() => readSmallFile(path, 9), refused(/more than 9 bytes/))
  assert.equal(readSmallFile(join(folder, 'none'), 10), undefined)
  assert.equal(readSmallFile(join(path, 'none'), 10), undefined)
})

test('a folder and a device without an end are refused at once; /dev/null is empty', () => {
  assert.throws(() => readSmallFile(folder, 10), refused(/it is a folder/))
  assert.throws(() => readSmallFile('/dev/zero', 10), refused(/more than 10 bytes/))
  assert.equal(readSmallFile('/dev/null', 10), '')
})

test('a pipe is read to its end, though it begins late and stops for a while', (t) => {
  const pipe = join(folder, 'pipe')
  if (spawnSync('mkfifo', [pipe]).status !== 0) return t.skip('mkfifo is not here')
  const script = 'exec > "$1"; printf "pause: "; sleep 0.2; printf "3s\\n"'
  const writer = spawn('sh', ['-c', script, 'sh', pipe], { stdio: 'ignore' })
  assert.equal(readSmallFile(pipe, 10), 'pause: 3s\n')
  writer.kill('SIGKILL')
})
