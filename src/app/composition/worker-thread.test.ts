import { test } from 'node:test'
import { endThread, loadThread } from './worker-thread.ts'

test('a thread is ended when it has loaded, and once more without waiting', async () => {
  const thread = loadThread()
  await endThread(thread)
  await endThread(thread)
})
