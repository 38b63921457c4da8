/** Errors of SQLite that are the machine's or the operator's fault, as a `Problem` that says what to do. */
import { isDiskFull, Problem } from '../../base/errors.ts'

const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
/** The WAL's index could not grow: SQLite's error on a full disk, where other files give FULL. */
const IOERR_SHMSIZE = IOERR | (19 << 8)
const CANTOPEN = 14
const NOTADB = 26

/** SQLite's primary result code; its extended ones carry it in the low byte. */
export function sqliteCode(error: unknown): number | undefined {
  const code = extendedCode(error)
  return code === undefined ? undefined : code & 0xff
}

function extendedCode(error: unknown): number | undefined {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : undefined
}

/** Our own bugs are returned unchanged. */
export function problemOf(error: unknown, path: string): unknown {
  if (error instanceof Problem) return error
  const cause = { cause: error }
  switch (sqliteCode(error)) {
    case FULL:
      return diskFull(path, error)
    case CORRUPT:
    case NOTADB:
      return new Problem(
        'damaged-database',
        `${path} is damaged or not an SQLite database: move it away, or put back a copy`,
        cause,
      )
    case BUSY:
    case LOCKED:
      return new Problem('collection-in-use', `${path} is locked by another program: end it and try again`, cause)
    case READONLY:
    case CANTOPEN:
      return new Problem('unreadable', `${path} cannot be opened: look at its permissions and its folder's`, cause)
    case IOERR:
      if (isDiskFull(error) || extendedCode(error) === IOERR_SHMSIZE) return diskFull(path, error)
      return diskFails(path, error)
    default:
      return isDiskFull(error) ? diskFull(path, error) : error
  }
}

/** A commit that did not reach the disk. */
export function notSynced(error: unknown, path: string): Problem {
  return isDiskFull(error) ? diskFull(path, error) : diskFails(path, error)
}

/** A read-only folder or medium: SQLite can make no files beside the database. */
export function cannotMakeFiles(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === CANTOPEN || code === READONLY
}

/** Another process holds the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY
}

function diskFull(path: string, cause: unknown): Problem {
  return new Problem('disk-full', `the disk of ${path} is full: free some space and run the same command again`, {
    cause,
  })
}

function diskFails(path: string, cause: unknown): Problem {
  return new Problem('database-unreachable', `${path} cannot be read or written: the disk reports an error`, { cause })
}
