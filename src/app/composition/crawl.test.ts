import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orElse } from './crawl.ts'

test('what a start has opened is closed when a later step fails, innermost first, and the failure is told', async () => {
  const closed: string[] = []
  const failure = new Error('the intake is closed')
  const begun = orElse(
    orElse(Promise.reject(failure), () => closed.push('volumes')),
    async () => closed.push('coordinator'),
  )
  await assert.rejects(begun, failure)
  assert.deepEqual(closed, ['volumes', 'coordinator'])
  assert.equal(await orElse(Promise.resolve(1), () => assert.fail('nothing failed')), 1)
})
