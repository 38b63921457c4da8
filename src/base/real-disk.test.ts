import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
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

test('several threads make the same folders at the same moment', async () => {
  const [rounds, threads] = [30, 2]
  const here = new SharedArrayBuffer(4 * rounds)
  const body = `
    const { workerData: { module, base, here, threads } } = require('node:worker_threads')
    import(module).then(({ realDisk }) => {
      const seen = new Int32Array(here)
      for (let i = 0; i < seen.length; i++) {
        Atomics.add(seen, i, 1)
        while (Atomics.load(seen, i) < threads);
        realDisk.makeFolder(base + i + '/a/b')
      }
    })`
  const module = new URL('./real-disk.ts', import.meta.url).href
  const workerData = { module, base: `${folder}/at-once-`, here, threads }
  const started = Array.from({ length: threads }, () => new Worker(body, { eval: true, workerData }))
  const ended = started.map(
    (thread) => new Promise((resolve, reject) => thread.on('error', reject).on('exit', resolve)),
  )
  try {
    assert.deepEqual(await Promise.all(ended), [0, 0])
  } finally {
    for (const thread of started) await thread.terminate()
  }
})
