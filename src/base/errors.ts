/**
 * The operator's mistakes and the machine's failures: each has a code, an exit code and a message that says what to do.
 * The web's failures are values (`contracts/outcome.ts`), bugs are assertions (`assert.ts`).
 */

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  diskFull: 3,
  databaseUnreachable: 4,
  interrupted: 11,
  pageLimit: 14,
  timeLimit: 15,
  sizeLimit: 16,
} as const

/** Every code, and the exit code of a command that ends with it. */
const EXIT_OF = {
  'bad-flag': EXIT.usage,
  'bad-config': EXIT.usage,
  'bad-seed': EXIT.usage,
  'no-seeds': EXIT.usage,
  'no-collection': EXIT.usage,
  'foreign-database': EXIT.usage,
  'newer-database': EXIT.usage,
  'unfit-database': EXIT.usage,
  'damaged-database': EXIT.failed,
  'collection-in-use': EXIT.failed,
  'not-found': EXIT.failed,
  unreadable: EXIT.usage,
  'disk-full': EXIT.diskFull,
  'database-unreachable': EXIT.databaseUnreachable,
  'server-unreachable': EXIT.databaseUnreachable,
  'server-refused': EXIT.usage,
  'store-failed': EXIT.failed,
  'verify-failed': EXIT.failed,
  'mail-failed': EXIT.failed,
} as const

export type ProblemCode = keyof typeof EXIT_OF

export class Problem extends Error {
  readonly code: ProblemCode
  constructor(code: ProblemCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'Problem'
    this.code = code
  }
  get exit(): number {
    return EXIT_OF[this.code]
  }
}

/** The first failure, not one of closing what it left open. */
export function firstFailure(error: unknown): unknown {
  while (error instanceof SuppressedError) error = error.suppressed
  return error
}

/** What was thrown, in its own words. */
export function reasonOf(thrown: unknown): string {
  const error = firstFailure(thrown)
  return error instanceof Error ? error.message : String(error)
}

/** Errors of the file system that are not bugs. */
const FILE_ERRORS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file of that name exists already',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its symbolic links form a loop',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the device reports an error',
}

/** What a failed call to the file system means; undefined for every other error. */
export function fileErrorText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as NodeJS.ErrnoException
  return code === undefined || syscall === undefined ? undefined : FILE_ERRORS[code]
}

/** Errors of sockets and name look-ups, as the end of a sentence about a host. */
const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host has no address',
  EAI_AGAIN: 'the name of its host cannot be looked up now',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'no route to its host',
  ENETUNREACH: 'no route to its host',
}

export function networkErrorText(error: unknown): string | undefined {
  return NETWORK_ERRORS[(error as NodeJS.ErrnoException | undefined)?.code ?? '']
}

/** True for the errors of a file system or SQLite that mean a full disk. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOSPC' || code === 'EDQUOT' || /database or disk is full/i.test(error.message)
}

/** A file system that cannot be written to for any reason; another one may be fine. */
const OF_DISK = new Set([
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'ENODEV',
  'ENXIO',
  'ESTALE',
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENOTDIR',
])

export function isOfDisk(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  return syscall !== undefined && OF_DISK.has(code ?? '')
}
