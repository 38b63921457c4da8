/**
 * Makes commits durable without blocking the thread: a commit writes to SQLite's log and returns, and Node's thread pool syncs
 * the log. SQLite itself would block in the commit: for half a millisecond on a good disk, 20 on a busy or spinning one.
 *
 * This is as safe. Recovery reads the log up to its first invalid frame, so a commit survives a power loss once a sync that began
 * after it has ended, and it is acknowledged only then. SQLite still does the syncs that checkpoints need.
 */
import { closeSync, fdatasync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { oneForAll } from '../../base/in-order.ts'

export interface LogSync {
  /** Resolves when everything written to the log before the call is durable. */
  synced(): Promise<void>
  /** After the last sync is over. */
  close(): void
}

const sync = promisify(fdatasync)

/** `path`: without symbolic links; the log is beside the real file. */
export function logSync(path: string): LogSync {
  // The file stays the same while the database is open: only the last connection to close removes it.
  const file = openSync(`${path}-wal`, 'r+')
  return { synced: oneForAll(() => sync(file)), close: () => closeSync(file) }
}

/** For databases in memory, for those that are only read, and for those that sync their commits themselves. */
export const NO_LOG_SYNC: LogSync = { async synced() {}, close() {} }
