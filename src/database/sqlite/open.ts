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

/** How long a statement waits for another program's lock (a backup, a shell) before it is a trouble. */
const BUSY_MS = 10_000
/** With 16 or 64 MiB check-ins among 1 million URLs cost the same, within noise: what is not here the system has at hand. */
const CACHE_KIB = 32 * 1024
const LOG_BYTES_KEPT = 64 * 2 ** 20

/** `:memory:` is a database that ends with its process (the simulator's). Makes or migrates the schema as needed. */
export function openSqlite(path: string, steps: readonly Migration[] = migrations, syncLog = logSync): Database {
  const database = opened(path, () => new DatabaseSync(path, { enableForeignKeyConstraints: false, timeout: BUSY_MS }))
  try {
    // Asked before anything is written: somebody else's database stays as it was, byte for byte.
    checkOurs(database, path, steps)
    database.exec(`
      PRAGMA journal_mode = WAL;
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

/** Where there is a log (not in memory, nor on file systems where SQLite can have none) its syncs are ours from now on. */
function takesSyncs(database: DatabaseSync): boolean {
  if (database.prepare('PRAGMA journal_mode').get()?.journal_mode !== 'wal') return false
  database.exec('PRAGMA synchronous = NORMAL')
  return true
}

/** For other processes, also while a crawl writes (V23): sees what was committed when each `read` begins. */
export function openToRead(path: string, steps: readonly Migration[] = migrations): Database {
  if (!existsSync(path)) throw new Problem('no-collection', `there is no collection here: ${path} does not exist`)
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
    // On a medium that cannot be written no log can lie beside the file: then the file alone is the whole truth.
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

/** A database for work whose tables do not fit in memory: on the disk (TMPDIR), nameless, gone when it is closed. */

const SCRATCH_CACHE_KIB = 64 * 1024

/** `schema`: its tables. Nothing here survives, so nothing is synced. */
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
