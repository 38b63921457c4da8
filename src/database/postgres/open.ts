/** Opens a collection's PostgreSQL database, for any number of processes at once. */
import { type Clock, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { freshSeed, type Random, seededRandom } from '../../base/random.ts'
import type { Database } from '../database.ts'
import { type PostgresAddress, postgresAddress } from './address.ts'
import { type Connection, connect, type SessionSettings } from './connection.ts'
import { migrations } from './migrations/index.ts'
import type { PostgresMigration } from './migrations/migration.ts'
import { poolOf } from './pool.ts'
import { bringUpToDate, versionOf } from './schema.ts'
import { read, type TransactionTools, transact } from './transactions.ts'
import { again, troubleOf } from './troubles.ts'

export interface PostgresOptions {
  readonly clock?: Clock
  readonly random?: Random
  /** Connections of this process. */
  readonly connections?: number
  /** How long a database that is away is waited for before a transaction fails. */
  readonly patienceMs?: number
  readonly connectMs?: number
  readonly statementMs?: number
  readonly idleInTransactionMs?: number
  readonly steps?: readonly PostgresMigration[]
}

const DEFAULTS = {
  connections: 10,
  patienceMs: 30_000,
  connectMs: 5_000,
  statementMs: 60_000,
  idleInTransactionMs: 60_000,
} as const

/** `address`: as `postgresAddress` reads it. Makes or migrates the schema as needed. */
export async function openPostgres(address: string, options: PostgresOptions = {}): Promise<Database> {
  return opened(postgresAddress(address), 'write', options, bringUpToDate)
}

/** For commands that only read: a standby will do, and no schema is changed. */
export async function openPostgresToRead(address: string, options: PostgresOptions = {}): Promise<Database> {
  return opened(postgresAddress(address), 'read', options, async (connection, where, steps) => {
    const version = await versionOf(connection, where, steps)
    if (version === 0) throw new Problem('no-collection', `there is no collection in ${where}: it is empty`)
    if (version < steps.length)
      throw new Problem('unreadable', `${where} was made by an older orbweaver: run serve on it once, which updates it`)
  })
}

async function opened(
  address: PostgresAddress,
  access: SessionSettings['access'],
  options: PostgresOptions,
  ready: (connection: Connection, where: string, steps: readonly PostgresMigration[]) => Promise<void>,
): Promise<Database> {
  const { clock = realClock, random = seededRandom(freshSeed()), steps = migrations } = options
  const settings = { ...DEFAULTS, ...options, clock, access }
  const { where } = address
  const pool = poolOf(settings.connections, () => connect(address, settings))
  const tools: TransactionTools = { pool, where, clock, random, patienceMs: settings.patienceMs }
  try {
    await whenReady(tools, (connection) => ready(connection, where, steps))
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
    close() {
      closed ??= pool.close()
      return closed
    },
  }
}

/** The first connection. A server that starts just now is waited for; one that is not there at all says so at once. */
async function whenReady(tools: TransactionTools, ready: (connection: Connection) => Promise<void>): Promise<void> {
  let connection: Connection | undefined
  try {
    connection = await tools.pool.take()
    await ready(connection)
  } catch (error) {
    throw troubleOf(error, tools.where, connection === undefined || again(error, connection.isLost) === 'away')
  } finally {
    if (connection !== undefined) tools.pool.give(connection)
  }
}
