import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryDisk } from '../../../testkit/memory-disk.ts'
import { replaceFile } from '../../base/disk.ts'
import { MAX_PLAN_BYTES } from '../../cluster/wire/protocol.ts'
import { loadSettings } from './load.ts'
import { planForWorkers, settingsDigests } from './plan-for-workers.ts'

const load = (flags: string[]) => loadSettings(flags, 'crawl', { env: {}, readFile: () => undefined })

test('the error for a plan that is too large to send gives its size and its largest part', async () => {
  const disk = memoryDisk()
  await replaceFile(disk, '/black', 'a.test\n')
  const { settings, given } = load(['--blacklist-domains', '/black'])
  const plan = planForWorkers(settings, given, { seeds: ['http://a.test/'], alternates: [] }, '1', disk)
  assert.deepEqual(plan.files, { 'blacklist-domains': 'a.test\n' })
  const seeds = Array.from({ length: MAX_PLAN_BYTES / 1000 }, () => 'x'.repeat(1000))
  assert.throws(() => planForWorkers(settings, given, { seeds, alternates: [] }, '1', disk), {
    code: 'bad-config',
    message: /has 65 MB, seeds alone 65 MB; at most 64 MB/,
  })
  const large = { ...disk, size: (path: string) => (path === '/black' ? MAX_PLAN_BYTES : disk.size(path)) }
  assert.throws(() => planForWorkers(settings, given, { seeds: ['http://a.test/'], alternates: [] }, '1', large), {
    message: /--blacklist-domains alone 64 MB/,
  })
})

const keysOf = (...flags: string[]) => {
  const { settings } = loadSettings(flags, 'serve', { env: {}, readFile: () => undefined })
  return JSON.parse(settingsDigests(settings)) as Record<string, string>
}

test('settings of the crawl are published as digests; those of one machine, and secrets, are not', () => {
  assert.deepEqual(keysOf(), {})
  const mine = ['-c', 'x', '--port', '1', '--host', '0.0.0.0', '--join-secret', 'sesame-sesame-sesame', '--verbose']
  assert.deepEqual(keysOf(...mine), {})
  const told = keysOf(...mine, '--pause', '5s', '--include', 'news', '--contact', 'https://a.example/')
  assert.deepEqual(Object.keys(told).sort(), ['contact', 'include', 'pause'])
  assert.match(told['pause'], /^[\w-]{8}$/)
  assert.notEqual(keysOf('--include', 'news')['include'], keysOf('--include', 'sports')['include'])
  assert.deepEqual(keysOf('--pause', '5s'), keysOf('--pause', '5000ms'))
})
