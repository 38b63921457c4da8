/**
 * Makes what was committed durable without keeping the thread: a commit writes to SQLite's log and returns, and the log is synced
 * here, by a thread of Node's pool. By itself SQLite waits for the disk inside the commit, and with it everything else that the
 * thread does: half a millisecond on a good disk, 20 on a busy or turning one.
 *
 * Nothing is weaker for it. A log is read up to its first frame that does not add up, so once a sync that began after a commit is
 * over, the commit will be found after a loss of power, and nobody is told of it before. What SQLite itself must sync to keep the file
 * whole (the log before it is carried over, the file after) it does in any case.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'

export interface LogSync {
  /** What was written to the log before the call is on the disk when it resolves. */
  synced(): Promise<void>
  /** After the last sync is over. */
  close(): void
}

const sync = promisify(fdatasync)

/** Of the database at `path`, where it really lies: SQLite follows links, and its log is beside what they lead to. */
export function logSync(path: string): LogSync {
  // It stays the same file for as long as the database is open: only the last to close it removes it.
  const file = openSync(`${path}-wal`, 'r+')
  return { synced: oneForAll(() => sync(file)), close: () => closeSync(file) }
}

/** Who comes while one is under way, which may have begun before what matters to him, shares the next. */
export function oneForAll(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = () => {
    next = undefined
    running = work().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (running === undefined && next === undefined) return run()
    next ??= (running ?? Promise.resolve()).then(run, run)
    return next
  }
}

/** For databases in memory, for those that are only read, and for those that sync their commits themselves. */
export const NO_LOG_SYNC: LogSync = { async synced() {}, close() {} }
