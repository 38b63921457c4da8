/**
 * One crawl at a time per collection. It is an operating system lock on a tiny SQLite file beside the database, so it ends
 * with the process that holds it, and no stale lock is ever left behind.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Problem } from '../base/errors.ts'
import { isBusy, problemOf } from './sqlite/errors.ts'

export interface Lock {
  release(): void
}

export const LOCK_FILE = 'lock.db'
const LOOK_MS = 200
/** Keeps locks from being garbage-collected, which would end them. */
const held = new Set<DatabaseSync>()

/** Throws 'collection-in-use' when another process (or another part of this one) holds it. */
export function lockCollection(folder: string): Lock {
  const path = join(folder, LOCK_FILE)
  let file: DatabaseSync | undefined
  try {
    // `isLocked` of another process holds it for microseconds.
    file = new DatabaseSync(path, { timeout: LOOK_MS })
    file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    file?.close()
    if (!isBusy(error)) throw problemOf(error, path)
    throw new Problem(
      'collection-in-use',
      `another process (a crawl, a server, a worker) is working on ${folder}: wait for its end, or stop it`,
      {
        cause: error,
      },
    )
  }
  const lock = file
  held.add(lock)
  return {
    release() {
      if (held.delete(lock)) lock.close()
    },
  }
}

/** Whether a crawl works on the collection now. Writes nothing, so a read-only folder is fine. */
export function isLocked(folder: string): boolean {
  const path = join(folder, LOCK_FILE)
  if (!existsSync(path)) return false
  let file: DatabaseSync | undefined
  try {
    file = new DatabaseSync(path, { readOnly: true, timeout: 0 })
    file.prepare('SELECT count(*) FROM sqlite_schema').get()
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw problemOf(error, path)
  } finally {
    file?.close()
  }
}
