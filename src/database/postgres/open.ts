/** Opens a collection's PostgreSQL database, for any number of processes at once. */
import { type Clock, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { freshSeed, type Random, seededRandom } from '../../base/random.ts'
import type { Database, Migration } from '../database.ts'
import { type PostgresAddress, postgresAddress } from './address.ts'
import { migrations } from './baseline.ts'
import type { Connection, SessionSettings } from './connection.ts'
import { problemOf, retryKind } from './errors.ts'
import { primaryConnector } from './find-primary.ts'
import { bringUpToDate, versionOf } from './migrate.ts'
import { poolOf } from './pool.ts'
import { refuseSharedSessions } from './pooler.ts'
import { backOff, outageTracker, read, type TransactionTools, transact } from './transactions.ts'
import { statementCounts } from './tx.ts'

export interface PostgresDatabase extends Database {
  readonly dialect: 'postgres'
  /** A connection outside the pool, for session state: locks, LISTEN. The caller ends it. */
  session(): Promise<Connection>
}

export interface PostgresOptions {
  readonly clock?: Clock
  readonly random?: Random
  /** Connections of this process. */
  readonly connections?: number
  /** How long a transaction waits for an unreachable database, and for a free connection. */
  readonly patienceMs?: number
  /** The same for the first connection. */
  readonly startPatienceMs?: number
  readonly connectMs?: number
  readonly statementMs?: number
  readonly idleInTransactionMs?: number
  readonly steps?: readonly Migration[]
}

const DEFAULTS = {
  connections: 10,
  patienceMs: 30_000,
  startPatienceMs: 5_000,
  connectMs: 5_000,
  statementMs: 60_000,
  idleInTransactionMs: 60_000,
} as const

/** `address`: as `postgresAddress` reads it. Makes or migrates the schema as needed. */
export async function openPostgres(address: string, options: PostgresOptions = {}): Promise<PostgresDatabase> {
  return opened(postgresAddress(address), 'write', options, bringUpToDate)
}

/** For commands that only read: a standby will do, and the schema is not changed. */
export async function openPostgresToRead(address: string, options: PostgresOptions = {}): Promise<PostgresDatabase> {
  return opened(postgresAddress(address), 'read', options, async (connection, where, steps) => {
    const version = await versionOf(connection, where, steps)
    if (version === 0)
      throw new Problem(
        'no-collection',
        `there is no collection in ${where}: it is empty; begin one with 'orbweaver serve' or 'orbweaver crawl'`,
      )
    if (version < steps.length)
      throw new Problem('unreadable', `${where} was made by an older orbweaver: run serve on it once, which updates it`)
  })
}

async function opened(
  address: PostgresAddress,
  access: SessionSettings['access'],
  options: PostgresOptions,
  ready: (connection: Connection, where: string, steps: readonly Migration[]) => Promise<void>,
): Promise<PostgresDatabase> {
  const { clock = realClock, random = seededRandom(freshSeed()), steps = migrations } = options
  const settings = { ...DEFAULTS, ...options, clock, access }
  const { where } = address
  const connect = primaryConnector(address, settings)
  const { connections: max, patienceMs: longestWaitMs } = settings
  const pool = poolOf({ max, clock, longestWaitMs, where, make: connect })
  // Commands that only read print as they go, and must not print lines twice.
  const readsAgain = access === 'write'
  const { patienceMs } = settings
  const { outage, reached } = outageTracker(where, clock)
  const tools: TransactionTools = { pool, where, clock, random, patienceMs, readsAgain, reached }
  try {
    const first = () => refuseSharedSessions(address, settings)
    await whenReady(tools, settings.startPatienceMs, first, (connection) => ready(connection, where, steps))
  } catch (error) {
    await pool.close()
    throw error
  }
  let closed: Promise<void> | undefined
  const unlessClosed = <T>(work: () => Promise<T>): Promise<T> =>
    closed === undefined
      ? work()
      : Promise.reject(new Problem('database-unreachable', `the connection to ${where} was closed`))
  return {
    dialect: 'postgres',
    transact: (work) => unlessClosed(() => transact(tools, work)),
    read: (work) => unlessClosed(() => read(tools, work)),
    session: () =>
      unlessClosed(() =>
        connect().catch((error: unknown) => {
          throw problemOf(error, where, true)
        }),
      ),
    outage,
    statements: () => statementCounts,
    close() {
      closed ??= pool.close()
      return closed
    },
  }
}

/** Opens the first connection: `first` runs before it, `ready` on it. */
async function whenReady(
  tools: TransactionTools,
  patienceMs: number,
  first: () => Promise<void>,
  ready: (connection: Connection) => Promise<void>,
): Promise<void> {
  const since = tools.clock.elapsed()
  for (let tries = 1; ; tries++) {
    let connection: Connection | undefined
    try {
      await first()
      connection = await tools.pool.acquire()
      return await ready(connection)
    } catch (error) {
      const why = retryKind(error, connection?.isLost ?? false)
      const isOver = tools.clock.elapsed() - since >= patienceMs
      if (why === 'no' || isOver) throw problemOf(error, tools.where, connection === undefined || why === 'away')
      await backOff(tools, tries)
    } finally {
      if (connection !== undefined) tools.pool.release(connection)
    }
  }
}
