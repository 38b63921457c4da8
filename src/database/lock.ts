/**
 * One crawl at a time per collection. The lock is the operating system's, taken through a tiny SQLite file beside the
 * database: it ends with the process that holds it, however that ends, so nothing stale has ever to be cleared away.
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
/** A lock that nobody refers to would end when its memory is collected: these are referred to until they are released. */
const held = new Set<DatabaseSync>()

/** Throws 'collection-in-use' when another process (or another part of this one) holds it. */
export function lockCollection(folder: string): Lock {
  const path = join(folder, LOCK_FILE)
  let file: DatabaseSync | undefined
  try {
    // `isLocked` of another process looks for microseconds: that is no crawl.
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

/** Whether a crawl works on the collection now. Looks and writes nothing; a folder that cannot be written is as good. */
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
