/**
 * Transactions that run again, within bounds, after a conflict or a lost connection. If the connection is lost during COMMIT,
 * the server is asked whether it was committed.
 */
import { assert } from '../../base/assert.ts'
import type { Clock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { Random } from '../../base/random.ts'
import type { Outage, Tx } from '../database.ts'
import type { Connection } from './connection.ts'
import { breaksConnection, codeOf, problemOf, type RetryKind, retryKind } from './errors.ts'
import type { Pool } from './pool.ts'
import { type Statements, statementsOf } from './tx.ts'

export type Work<T> = (tx: Tx) => Promise<T> | T

export interface TransactionTools {
  readonly pool: Pool
  /** For messages. */
  readonly where: string
  readonly clock: Clock
  readonly random: Random
  /** How long to wait for an unreachable database, over all tries of one transaction. */
  readonly patienceMs: number
  /** Whether reads may run again once they have begun: not when they have already printed something. */
  readonly readsAgain: boolean
  /** Called for each try that did not reach the database, with the error, and for each that did. */
  readonly reached?: (error?: unknown) => void
}

/** Conflicts end soon or never: after this many, the work itself is at fault. */
const MAX_CONFLICTS = 12
const MAX_SLOW = 2
const FIRST_WAIT_MS = 5
const LONGEST_WAIT_MS = 1000

interface TryAgain {
  readonly kind: 'again'
  readonly why: Exclude<RetryKind, 'no'>
  readonly error: unknown
}
type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | TryAgain
  /** COMMIT was sent and not answered. */
  | { readonly kind: 'in doubt'; readonly value: T; readonly sent: Sent; readonly error: unknown }

/** A transaction whose COMMIT was sent. */
interface Sent {
  readonly xid: string
  /** Of the server: on another timeline the same number may be another transaction. */
  readonly timeline: number
}

export async function transact<T>(tools: TransactionTools, work: Work<T>): Promise<T> {
  return retried(tools, async () => {
    const attempt = await attemptOf(tools, true, work)
    if (attempt.kind !== 'in doubt') return attempt
    const committed = await wasCommitted(tools, attempt.sent, attempt.error)
    return committed ? { kind: 'done', value: attempt.value } : { kind: 'again', why: 'away', error: attempt.error }
  })
}

export async function read<T>(tools: TransactionTools, work: Work<T>): Promise<T> {
  let hasBegun = false
  const noted: Work<T> = (tx) => {
    hasBegun = true
    return work(tx)
  }
  return retried(tools, async () => {
    const attempt = await attemptOf(tools, false, noted)
    if (attempt.kind === 'again') {
      // The work itself writes; this is not a standby.
      if (codeOf(attempt.error) === '25006') throw attempt.error
      if (hasBegun && !tools.readsAgain) throw problemOf(attempt.error, tools.where, attempt.why === 'away')
    }
    // Nothing was written, so it does not matter.
    return attempt.kind === 'in doubt' ? { kind: 'done', value: attempt.value } : attempt
  })
}

/** Tries until it is done, a bound is reached, or another try cannot help. */
async function retried<T>(
  tools: TransactionTools,
  attempt: () => Promise<Exclude<Attempt<T>, { kind: 'in doubt' }>>,
): Promise<T> {
  const since = tools.clock.elapsed()
  const tries = { conflict: 0, slow: 0, away: 0 }
  for (;;) {
    const result = await attempt()
    if (result.kind === 'done' || result.why === 'conflict') tools.reached?.()
    else if (result.why === 'away') tools.reached?.(result.error)
    if (result.kind === 'done') return result.value
    tries[result.why]++
    const isOver =
      tries.conflict >= MAX_CONFLICTS ||
      tries.slow > MAX_SLOW ||
      (result.why === 'away' && tools.clock.elapsed() - since >= tools.patienceMs)
    if (isOver) throw problemOf(result.error, tools.where, result.why === 'away')
    await backOff(tools, tries[result.why])
  }
}

/** Remembers since when the database has been unreachable, and until when. */
export function outageTracker(where: string, clock: Clock) {
  let last: Outage | undefined
  return {
    outage: () => last,
    reached(error?: unknown): void {
      const isOpen = last !== undefined && last.until === undefined
      if (error === undefined) {
        if (isOpen) last = { ...last!, until: clock.elapsed() }
      } else if (!isOpen) {
        const trouble = problemOf(error, where, true)
        last = { what: trouble instanceof Error ? trouble.message : String(trouble), since: clock.elapsed() }
      }
    },
  }
}

/** Doubles each time, with jitter, so that two transactions do not conflict again. */
export function backOff(
  { clock, random }: Pick<TransactionTools, 'clock' | 'random'>,
  tries: number,
  signal?: AbortSignal,
): Promise<void> {
  const max = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 16))
  return clock.sleep(max * (0.5 + random.next() / 2), signal)
}

async function attemptOf<T>(tools: TransactionTools, writable: boolean, work: Work<T>): Promise<Attempt<T>> {
  let connection: Connection
  try {
    connection = await tools.pool.acquire()
  } catch (error) {
    return notConnected(tools, error)
  }
  try {
    return await attemptOn(tools, connection, writable, work)
  } finally {
    tools.pool.release(connection)
  }
}

async function attemptOn<T>(
  tools: TransactionTools,
  connection: Connection,
  writable: boolean,
  work: Work<T>,
): Promise<Attempt<T>> {
  const statements = statementsOf(connection, writable)
  // Not awaited: sent together with the first statement of the work.
  const begun = begin(connection, writable)
  begun.catch(() => {})
  let value: T
  try {
    value = await work(statements.tx)
    statements.end()
  } catch (error) {
    statements.end()
    return rollBack(tools, connection, statements, error, begun)
  }
  let xid: string
  try {
    xid = await begun
  } catch (error) {
    return rollBack(tools, connection, statements, error, begun)
  }
  // Even if the work ignored it.
  const failure = statements.failure()
  if (failure !== undefined) return rollBack(tools, connection, statements, failure.error, begun)
  try {
    const { command } = await connection.query('COMMIT')
    if (command === 'COMMIT') return { kind: 'done', value }
  } catch (error) {
    if (connection.isLost || codeOf(error) === undefined || breaksConnection(error)) {
      connection.destroy()
      return { kind: 'in doubt', value, sent: { xid, timeline: connection.session.timeline }, error }
    }
    return retryOrThrow(tools, error, false)
  }
  // A statement failed that the work had not awaited.
  const missed = statements.failure()
  assert(missed !== undefined, 'PostgreSQL rolled back a transaction in which nothing had failed')
  return retryOrThrow(tools, missed.error, connection.isLost)
}

const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED'
const READ_XID = 'SELECT pg_current_xact_id()::text AS xid'
const BEGIN_READING = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** The transaction's number, by which its fate can be asked for; '' for one that only reads. Prepared, to go with what follows. */
async function begin(connection: Connection, writable: boolean): Promise<string> {
  const [, { rows }] = await Promise.all(
    writable
      ? [connection.query(BEGIN, [], { name: 'begin' }), connection.query(READ_XID, [], { name: 'read_xid' })]
      : [connection.query(BEGIN_READING, [], { name: 'begin_reading' }), { rows: [{ xid: '' }] }],
  )
  return (rows[0] as { xid: string }).xid
}

async function rollBack<T>(
  tools: TransactionTools,
  connection: Connection,
  statements: Statements,
  thrown: unknown,
  begun: Promise<string>,
): Promise<Attempt<T>> {
  // The first statement that failed says why, whatever the work threw.
  const beginning = await begun.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )
  const { error } = beginning ?? statements.failure() ?? { error: thrown }
  const rolledBack = await connection.query('ROLLBACK').then(
    () => true,
    () => false,
  )
  if (!rolledBack || breaksConnection(error)) connection.destroy()
  return retryOrThrow(tools, error, !rolledBack)
}

function retryOrThrow(tools: TransactionTools, error: unknown, isLost: boolean): TryAgain {
  const why = retryKind(error, isLost)
  if (why === 'no') throw problemOf(error, tools.where)
  return { kind: 'again', why, error }
}

function notConnected(tools: TransactionTools, error: unknown): TryAgain {
  if (retryKind(error, false) === 'no') throw problemOf(error, tools.where, true)
  return { kind: 'again', why: 'away', error }
}

/** The fate of a transaction whose COMMIT was not answered. The server remembers it for much longer than we wait. */
async function wasCommitted(tools: TransactionTools, sent: Sent, cause: unknown): Promise<boolean> {
  const since = tools.clock.elapsed()
  for (let tries = 1; ; tries++) {
    const status = await statusOf(tools, sent)
    if (status === 'committed') return true
    if (status === 'aborted') return false
    if (status === 'lost' || tools.clock.elapsed() - since >= tools.patienceMs)
      throw new Problem(
        'database-unreachable',
        `the connection to ${tools.where} was lost during a COMMIT, and it cannot be determined whether the transaction was committed`,
        { cause },
      )
    await backOff(tools, tries)
  }
}

/** Invalid_parameter_value: this server has not used the number yet. A standby took over that never received our work. */
const IN_THE_FUTURE = '22023'

type Status = 'committed' | 'aborted' | 'in progress'

/** 'lost': it cannot be known any more. */
async function statusOf(tools: TransactionTools, { xid, timeline }: Sent): Promise<Status | 'lost' | undefined> {
  let connection: Connection
  try {
    connection = await tools.pool.acquire()
  } catch {
    return undefined
  }
  try {
    const { rows } = await connection.query('SELECT pg_xact_status($1::xid8) AS status', [xid])
    const [{ status }] = rows as { status: Status | null }[]
    if (connection.session.timeline === timeline) return status ?? undefined
    // Another server took over and counts on from the last transaction it received, so it may reuse our number. If the number
    // is not committed there, ours is gone; if it is, that may be another transaction.
    return status === 'committed' ? 'lost' : 'aborted'
  } catch (error) {
    if (codeOf(error) === IN_THE_FUTURE) return 'aborted'
    if (retryKind(error, connection.isLost) === 'no') throw problemOf(error, tools.where)
    return undefined
  } finally {
    tools.pool.release(connection)
  }
}
