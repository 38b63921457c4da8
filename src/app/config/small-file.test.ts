import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Problem } from '../../base/errors.ts'
import { type PipePatience, readSmallFile } from './small-file.ts'

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

/** A pipe by name, as `<(…)` of a shell makes one, and a program that writes to it; undefined where there is no mkfifo. */
function piped(script: string): { pipe: string; end(): void } | undefined {
  const pipe = join(folder, 'pipe')
  rmSync(pipe, { force: true })
  if (spawnSync('mkfifo', [pipe]).status !== 0) return undefined
  const writer = spawn('sh', ['-c', script, 'sh', pipe], { stdio: 'ignore' })
  return { pipe, end: () => void writer.kill('SIGKILL') }
}

test('a pipe is read to its end, though it begins late and stops for a while', (t) => {
  const writer = piped('exec > "$1"; printf "pause: "; sleep 0.2; printf "3s\\n"')
  if (writer === undefined) return t.skip('mkfifo is not here')
  assert.equal(readSmallFile(writer.pipe, 10), 'pause: 3s\n')
  writer.end()
})

test('a pipe without a writer, without an end, or with too much data is refused in time', (t) => {
  const soon = { open: 500, alone: 5000 }
  const readFrom = (script: string, patience: PipePatience, pattern: RegExp) => {
    const writer = piped(script)
    if (writer === undefined) return t.skip('mkfifo is not here')
    assert.throws(() => readSmallFile(writer.pipe, 10, patience), refused(pattern))
    writer.end()
  }
  readFrom('exec true', { open: 5000, alone: 50 }, /no data arrived in time/)
  readFrom('exec > "$1"; exec sleep 100', soon, /no data arrived in time/)
  readFrom('exec > "$1"; printf pause; exec sleep 100', soon, /it did not end in time/)
  readFrom('exec yes > "$1"', { open: 5000, alone: 5000 }, /more than 10 bytes/)
})
