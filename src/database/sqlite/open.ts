/** Opens a collection's SQLite database: for the one process that writes it, or for any number that read. */
import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { Problem } from '../../base/errors.ts'
import type { Database, Migration } from '../database.ts'
import { migrations } from './baseline.ts'
import { checkpointsOf, LONG_LOG } from './checkpoints.ts'
import { cannotMakeFiles, problemOf } from './errors.ts'
import { logSync, NO_LOG_SYNC } from './log-sync.ts'
import { bringUpToDate, checkOurs } from './migrate.ts'
import { serialized } from './transactions.ts'

/** How long a statement waits for another program's lock (a backup, a shell) before it fails. */
const BUSY_MS = 10_000
/** With 16 or 64 MiB, check-ins among 1 million URLs cost the same: the system's cache has the rest. */
const CACHE_KIB = 32 * 1024
const LOG_BYTES_KEPT = 64 * 2 ** 20

/** Makes or migrates the schema as needed. `:memory:` is a database that ends with its process (the simulator's). */
export function openSqlite(
  path: string,
  steps: readonly Migration[] = migrations,
  syncLog = logSync,
  journal: 'WAL' | 'OFF' = 'WAL',
): Database {
  const database = opened(path, () => new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: BUSY_MS }))
  try {
    // Before anything is written: a foreign database stays unchanged, byte for byte.
    checkOurs(database, path, steps)
    database.exec(`
      PRAGMA journal_mode = ${journal};
      PRAGMA synchronous = FULL;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${CACHE_KIB};
      PRAGMA wal_autocheckpoint = ${LONG_LOG};
      PRAGMA journal_size_limit = ${LOG_BYTES_KEPT};
    `)
    bringUpToDate(database, steps)
    const log = takesSyncs(database) ? syncLog(database.location() ?? path) : NO_LOG_SYNC
    return serialized(database, path, true, checkpointsOf(database, path), log)
  } catch (error) {
    database.close()
    throw problemOf(error, path)
  }
}

/**
 * In memory, for a run that ends with its first failed transaction: there is no journal to roll it back. A journal in memory
 * would copy each page that a transaction touches.
 */
export function openUnjournaled(): Database {
  return openSqlite(':memory:', migrations, logSync, 'OFF')
}

/** If there is a log (not in memory, nor on file systems without shared memory), we sync it ourselves. */
function takesSyncs(database: DatabaseSync): boolean {
  if (database.prepare('PRAGMA journal_mode').get()?.journal_mode !== 'wal') return false
  database.exec('PRAGMA synchronous = NORMAL')
  return true
}

/** For other processes, also while a crawl writes (V23): sees what was committed when each `read` begins. */
export function openToRead(path: string, steps: readonly Migration[] = migrations): Database {
  if (!existsSync(path))
    throw new Problem(
      'no-collection',
      `there is no collection here: ${path} does not exist; name the folder of one with -c DIR, or begin one with 'orbweaver crawl URL'`,
    )
  const options = { readOnly: true, enableForeignKeyConstraints: false, timeout: BUSY_MS }
  const checked = (database: DatabaseSync) => {
    try {
      const { version } = checkOurs(database, path, steps)
      if (version < steps.length)
        throw new Problem(
          'unreadable',
          `${path} was made by an older orbweaver: run crawl on it once, which updates it`,
        )
      return serialized(database, path, false)
    } catch (error) {
      database.close()
      throw error
    }
  }
  try {
    return checked(new DatabaseSync(path, options))
  } catch (error) {
    // On a read-only medium there can be no log: the file alone is complete.
    if (!cannotMakeFiles(error) || existsSync(path + '-wal')) throw problemOf(error, path)
  }
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return opened(path, () => checked(new DatabaseSync(url, options)))
}

function opened<T>(path: string, open: () => T): T {
  try {
    return open()
  } catch (error) {
    throw problemOf(error, path)
  }
}

const SCRATCH_CACHE_KIB = 64 * 1024

/** A temporary database for tables that do not fit in memory: a nameless file in TMPDIR, never synced, gone when it is closed. */
export function openScratch(schema: string): Database {
  // The empty name is SQLite's own for a private file that is removed at once.
  const database = new DatabaseSync('')
  // Sorts too go to the disk: with temp_store in memory they would not.
  database.exec(`
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = FILE;
    PRAGMA cache_size = -${SCRATCH_CACHE_KIB};
  `)
  database.exec(schema)
  return serialized(database, 'the scratch database', true)
}
