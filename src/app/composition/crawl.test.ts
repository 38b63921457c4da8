import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { scratchFolder } from '../../base/real-disk.ts'
import { isLocked } from '../../database/lock.ts'
import { loadSettings } from '../config/load.ts'
import { startCrawl } from './crawl.ts'
import { openForWriting } from './open-for-writing.ts'

test("a worker's folder is refused: what it has not delivered is not the collection's", async () => {
  using folder = scratchFolder('crawl')
  writeFileSync(join(folder.path, 'worker.json'), '{}')
  const { settings } = loadSettings(['-c', folder.path], 'crawl', { env: {}, readFile: () => undefined })
  await assert.rejects(openForWriting(settings, { seeds: [], version: '0' }), {
    code: 'bad-flag',
    message: /is the folder of a worker, .* a folder of its own: -c DIR$/,
  })
  assert.deepEqual(readdirSync(folder.path), ['worker.json'], 'nothing is written')
})

test('what a start has opened is closed when a later step fails, and the failure is told', async () => {
  using folder = scratchFolder('crawl')
  const world = { env: {}, readFile: () => undefined }
  const { settings } = loadSettings(['-c', folder.path], 'crawl', world)
  const thread = new Worker('setInterval(() => {}, 1000)', { eval: true })
  const ended = new Promise((resolve) => thread.once('exit', resolve))
  await assert.rejects(startCrawl(settings, { seeds: [], version: '0' }, thread), { code: 'no-seeds' })
  assert.equal(isLocked(folder.path), false)
  await ended
})
