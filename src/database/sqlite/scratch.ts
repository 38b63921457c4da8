/** A database for work whose tables do not fit in memory: on the disk (TMPDIR), nameless, gone when it is closed. */
import { DatabaseSync } from 'node:sqlite'
import type { Database } from '../database.ts'
import { serialized } from './serialized.ts'

const CACHE_KIB = 64 * 1024

/** `schema`: its tables. Nothing here survives, so nothing is synced. */
export function openScratch(schema: string): Database {
  // The empty name is SQLite's own for a private file that is removed at once.
  const database = new DatabaseSync('')
  // Sorts too go to the disk: with temp_store in memory they would not.
  database.exec(`
    PRAGMA synchronous = OFF;
    PRAGMA temp_store = FILE;
    PRAGMA cache_size = -${CACHE_KIB};
  `)
  database.exec(schema)
  return serialized(database, 'the scratch database', true)
}
