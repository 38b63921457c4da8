/** Checkpoints on a connection and a thread of its own, so that writers do not wait for its syncs. */
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../../base/assert.ts'

/** A log restarts only when nothing is left over. Each pass takes what was committed during the one before, in ever less time. */
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
    // A full disk or a reader's lock: the log stays, and the next commit that fails reports why.
  }
  port.postMessage('carried')
})
