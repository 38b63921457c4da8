/** Errors of PostgreSQL and of the network: whether to try again, and the `Problem` that says what to do. */
import { networkErrorText, Problem } from '../../base/errors.ts'

/** A standby, or a primary that takes no writes: another host may, or this one later. */
export class StandbyError extends Error {
  /** As the end of a sentence about it. */
  readonly why: string

  constructor(where: string, why = 'takes no writes (a standby?)') {
    super(`${where} ${why}`)
    this.name = 'StandbyError'
    this.why = why
  }
}

/** SQLSTATE, or the system's code (`ECONNREFUSED`). */
export function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/**
 * - conflict: with another transaction; a retry may succeed at once.
 * - slow: a statement hit its time limit; the machine may have been busy.
 * - away: the connection is lost or the server takes no work; retry later on another connection.
 * - no: a retry changes nothing.
 */
export type RetryKind = 'conflict' | 'slow' | 'away' | 'no'

const AGAIN: Readonly<Record<string, RetryKind>> = {
  '40001': 'conflict', // serialization_failure
  '40P01': 'conflict', // deadlock_detected
  '55P03': 'conflict', // lock_not_available
  '57014': 'slow', // query_canceled: statement_timeout
  '25P03': 'away', // idle_in_transaction_session_timeout ended the session
  '25006': 'away', // read_only_sql_transaction: the primary became a standby
  '26000': 'away', // a prepared statement that this session does not have (a pooler gave us another)
  '53200': 'away', // out_of_memory
  '53300': 'away', // too_many_connections
  '57P01': 'away', // admin_shutdown
  '57P02': 'away', // crash_shutdown
  '57P03': 'away', // cannot_connect_now: it starts or recovers
  '57P05': 'away', // idle_session_timeout
}

export function retryKind(error: unknown, connectionIsLost: boolean): RetryKind {
  if (error instanceof StandbyError) return 'away'
  if (error instanceof Problem) return 'no'
  const code = codeOf(error)
  const known = code === undefined ? undefined : AGAIN[code]
  if (known !== undefined) return known
  // 08: connection exceptions. A table changed under a prepared statement: another connection prepares it anew.
  if (code?.startsWith('08') || isStalePlan(error)) return 'away'
  if (isOfTheServer(error)) return 'no'
  return connectionIsLost || isOfTheNetwork(error) ? 'away' : 'no'
}

/** The connection must not be used again, though it still answers. */
export function breaksConnection(error: unknown): boolean {
  return error instanceof StandbyError || retryKind(error, false) === 'away'
}

function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && (error as { routine?: unknown }).routine === 'RevalidateCachedQuery'
}

/** PostgreSQL's own errors have a severity. */
function isOfTheServer(error: unknown): boolean {
  return typeof (error as { severity?: unknown } | null)?.severity === 'string'
}

/** Socket and DNS errors have system codes; the client library's own have only a message. */
function isOfTheNetwork(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isOfTheNetwork)
  const { syscall } = error as NodeJS.ErrnoException
  return (
    syscall !== undefined ||
    /^(Connection terminated|timeout expired|Query read timeout|Client (has|was) )/.test(error.message)
  )
}

/** Our own bugs are returned unchanged. `isAway`: there is no connection, whatever the reason. */
export function problemOf(error: unknown, where: string, isAway = false): unknown {
  if (error instanceof Problem) return error
  const because = { cause: error }
  const code = codeOf(error)
  switch (code) {
    case '53100':
      return new Problem(
        'disk-full',
        `the disk of the database ${where} is full: free some space and run the same command again`,
        because,
      )
    case '28P01':
    case '28000':
      return new Problem('unfit-database', `${where} ${whyNotIn(error)}`, because)
    case '3D000':
      return new Problem('unfit-database', `there is no such database: ${where}. Make it with createdb`, because)
    case '42501':
      return new Problem(
        'unfit-database',
        `${where} does not allow this user to ${missingRight(error)}: make the user owner of the database`,
        because,
      )
    case '58030':
    case 'XX001':
    case 'XX002':
      return new Problem('damaged-database', `${where} cannot read its own files: look at its log`, because)
    case '57014':
      return new Problem('database-unreachable', `${where} took too long for a statement, several times`, because)
  }
  const untrusted = (code === undefined ? undefined : UNTRUSTED[code]) ?? SPOKEN.get((error as Error | null)?.message)
  if (untrusted !== undefined) return new Problem('unfit-database', `${where} ${untrusted}`, because)
  if (isAway || retryKind(error, false) === 'away')
    return new Problem('database-unreachable', `the database ${where} cannot be reached: ${reasonOf(error)}`, because)
  return error
}

const UNKNOWN_CA = 'shows a certificate of an authority that we do not trust: name it with sslrootcert=FILE'
const WRONG_DATE = 'shows a certificate that is not valid today: renew it, or look at the date here'
/** Certificate errors of OpenSSL and Node.js. */
const UNTRUSTED: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_CA,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_CA,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_CA,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_CA,
  CERT_SIGNATURE_FAILURE: UNKNOWN_CA,
  CERT_HAS_EXPIRED: WRONG_DATE,
  CERT_NOT_YET_VALID: WRONG_DATE,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'shows a certificate for another name: write the host as the certificate has it, or say sslmode=verify-ca',
}
/** Messages of the client library that have no code. */
const SPOKEN: ReadonlyMap<unknown, string> = new Map([
  ['The server does not support SSL connections', 'does not speak TLS: set ssl = on there, or say sslmode=disable'],
])

function whyNotIn(error: unknown): string {
  return /no encryption/.test((error as Error).message)
    ? 'requires TLS: add sslmode=verify-full to its address'
    : 'does not let us in: look at user and password'
}

function missingRight(error: unknown): string {
  const said = /permission denied for (\w+ [^\n]+)/.exec((error as Error).message)
  return said === null ? 'make its tables' : `use ${said[1]}`
}

const PLAIN: Readonly<Record<string, string>> = {
  ENOENT: 'its socket is not there',
  EACCES: 'its socket may not be used by this user',
  '53300': 'it has no connection left: raise max_connections',
  '57P03': 'it is starting or stopping',
  '25006': 'it takes no writes (a standby?)',
}

function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const code = codeOf(error)
  const plain = PLAIN[code ?? ''] ?? networkErrorText(error)
  if (plain !== undefined) return plain
  if (error instanceof StandbyError) return `it ${error.why}`
  const said = error instanceof Error ? error.message : String(error)
  return /time(d )?out/.test(said) ? 'no answer in time' : said
}
