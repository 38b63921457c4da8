/** PostgreSQL for tests: a server of one's own, and a new, empty, migrated database for whoever asks. */
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { realClock } from '../../src/base/clock.ts'
import type { Database } from '../../src/database/database.ts'
import { postgresAddress } from '../../src/database/postgres/address.ts'
import { migrations } from '../../src/database/postgres/baseline.ts'
import type { Connection } from '../../src/database/postgres/connection.ts'
import { primaryConnector } from '../../src/database/postgres/find-primary.ts'
import { openPostgres, type PostgresDatabase, type PostgresOptions } from '../../src/database/postgres/open.ts'
import { openSqlite } from '../../src/database/sqlite/open.ts'
import { type Nodes, nodesOf } from './citus.test-tools.ts'
import { type StartedServer, startServer } from './server.test-tools.ts'

/** Set by `test/run.ts`, so that all test files share one server. */
export const SERVER_VARIABLE = 'ORBWEAVER_TEST_POSTGRES'

export interface PostgresForTests {
  /** A new database, migrated and empty. */
  make(options?: PostgresOptions): Promise<PostgresDatabase>
  /** The address of a new database with nothing in it, not even a schema; `migrated`: with ours. */
  newDatabase(migrated?: boolean): Promise<string>
  /** As `make`, opened so many times: for each of several servers. Whoever asks closes them. */
  makeShared(times: number): Promise<PostgresDatabase[]>
  /** The server's own database, for those who look from outside. */
  readonly url: string
  /** Closes what was made here and drops it. */
  end(): Promise<void>
}

let files = 0

export async function postgresForTests(): Promise<PostgresForTests | { skipped: string }> {
  const shared = process.env[SERVER_VARIABLE]
  if (shared?.startsWith('skipped: ')) return { skipped: shared.slice('skipped: '.length) }
  const started = shared === undefined ? await startServer() : undefined
  if (started !== undefined && 'skipped' in started) return started
  return onServer(shared ?? (started as StartedServer).url, started)
}

/** Registers a test twice: with a new SQLite database, and with a new one of PostgreSQL. */
export async function bothDatabases(): Promise<(name: string, body: (database: Database) => Promise<void>) => void> {
  const postgres = await postgresForTests()
  after(async () => {
    if (!('skipped' in postgres)) await postgres.end()
  })
  return (name, body) => {
    test(`${name}, on SQLite`, async () => {
      const database = openSqlite(':memory:')
      await body(database)
      await database.close()
    })
    test(`${name}, on PostgreSQL`, { skip: 'skipped' in postgres && postgres.skipped }, async () => {
      if (!('skipped' in postgres)) await body(await postgres.make())
    })
  }
}

async function onServer(url: string, own: StartedServer | undefined): Promise<PostgresForTests> {
  const settings = {
    clock: realClock,
    access: 'write',
    connectMs: 10_000,
    statementMs: 60_000,
    idleInTransactionMs: 60_000,
  } as const
  const open = (at: string) => primaryConnector(postgresAddress(at), settings)()
  const outside = await open(url)
  const made: string[] = []
  const opened: Database[] = []
  const addressOf = (name: string, node?: { host: string; port: number }) => {
    const address = new URL(url)
    address.pathname = `/${name}`
    if (node !== undefined) address.host = `${node.host}:${node.port}`
    return address.href
  }
  const nodes = await nodesOf(outside, addressOf, open)

  let template: Promise<string> | undefined
  const newDatabase = async (migrated = false) => {
    if (migrated) template ??= templateOn(outside, nodes, addressOf)
    const name = `test_${process.pid}_${++files}`
    made.push(name)
    // Copied as files: mostly cheaper than the default way through the log (in memory 8 ms of CPU instead of 28).
    const from = migrated ? await template : 'template0'
    await nodes.everywhere(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`)
    return addressOf(name)
  }

  return {
    url,
    newDatabase,
    async make(options) {
      const database = await openPostgres(await newDatabase(true), options)
      opened.push(database)
      return database
    },
    async makeShared(times) {
      const address = await newDatabase(true)
      return Promise.all(Array.from({ length: times }, () => openPostgres(address)))
    },
    async end() {
      await Promise.all(opened.map((database) => database.close()))
      if (own === undefined)
        for (const name of made) await nodes.everywhere(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await nodes.end()
      await own?.stop()
    },
  }
}

/** A database with the schema of today, made once per server: a copy of it takes 20 ms, the migrations 200. */
async function templateOn(outside: Connection, nodes: Nodes, addressOf: (name: string) => string): Promise<string> {
  const today = createHash('sha1').update(JSON.stringify(migrations)).digest('hex').slice(0, 12)
  const name = `template_${today}`
  await outside.query('SELECT pg_advisory_lock(1)')
  try {
    const { rows } = await outside.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (rows.length > 0) return name
    // Made under another name: whoever finds the right one finds it whole.
    await nodes.everywhere(`DROP DATABASE IF EXISTS ${name}_new`)
    await nodes.everywhere(`CREATE DATABASE ${name}_new TEMPLATE template0`)
    await nodes.join(`${name}_new`)
    await (await openPostgres(addressOf(`${name}_new`))).close()
    await nodes.leaveAlone(`${name}_new`)
    await nodes.everywhere(`ALTER DATABASE ${name}_new RENAME TO ${name}`)
    return name
  } finally {
    await outside.query('SELECT pg_advisory_unlock(1)')
  }
}
