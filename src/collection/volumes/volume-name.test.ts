import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isVolume, volumeName } from './volume-name.ts'

const at = Date.UTC(2026, 10, 15, 12)

test('a name contains the time and the writer', () => {
  assert.equal(volumeName('crawl', at, 7, 'host.test~w1'), 'crawl-20261115120000000-00007-host.test~w1.warc.gz')
  assert.equal(volumeName('', at, 7, 'a b/c'), 'x-20261115120000000-00007-a_b_c.warc.gz')
})

test('two threads of a host with a long name write volumes of two names', () => {
  const [one, two] = ['w1', 'w2'].map((worker) => volumeName('crawl', at, 1, `${'h'.repeat(64)}~${worker}`))
  assert.notEqual(one, two)
  assert.ok(isVolume(one) && one.length < 128)
})
