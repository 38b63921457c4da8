/** Carries the log into the main file, on a connection and in a thread of its own: nobody who writes waits for its syncs. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'

/**
 * What is committed meanwhile is left over, and a log begins anew only when nothing is: each pass takes what the one
 * before left, the last ones a millisecond.
 */
const MAX_PASSES = 5

assert(parentPort !== null, 'not a thread')
const port = parentPort
const database = new DatabaseSync(workerData as string)
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')

function carry(): void {
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const { log, checkpointed } = checkpoint.get() as { log: number; checkpointed: number }
    if (log === checkpointed) return
  }
}

port.on('message', (word: 'carry' | 'close') => {
  if (word === 'close') {
    database.close()
    port.close()
    return
  }
  try {
    carry()
  } catch {
    // A full disk, a reader's lock: the log stays as it is, and the next commit that fails says why.
  }
  port.postMessage('carried')
})
