import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askIfSeen } from './run-threads.ts'

test('the servers are asked for a payload only when it comes to this worker again', async () => {
  const asked: string[] = []
  const copy = { url: 'http://a.test/', at: 1 }
  const find = askIfSeen(async (digest) => {
    asked.push(digest)
    return digest === 'sha1:APPLIED' ? copy : undefined
  }, 2 ** 16)
  assert.equal(await find('sha1:APPLIED'), undefined)
  assert.equal(await find('sha1:REFUSED'), undefined)
  assert.deepEqual(asked, [])
  assert.equal(await find('sha1:APPLIED'), copy)
  assert.equal(await find('sha1:REFUSED'), undefined)
  assert.deepEqual(asked, ['sha1:APPLIED', 'sha1:REFUSED'])
})
