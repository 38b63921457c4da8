import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endThread, isLoaded, loadThread } from './worker-thread.ts'

test('a thread is ended, but not before it has loaded; once more without waiting', async () => {
  const thread = loadThread()
  assert.equal(isLoaded(thread), false)
  await endThread(thread)
  assert.equal(isLoaded(thread), true)
  assert.equal(thread.threadId, -1)
  await endThread(thread)
})
