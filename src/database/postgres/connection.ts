/** One connection to PostgreSQL: the only place that knows which client library speaks for us. */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import type { PostgresAddress } from './address.ts'
import { type Bound, EXACT, PLAIN } from './values.ts'

export interface Answer {
  readonly rows: object[]
  /** Rows changed, or given. */
  readonly count: number
  /** What was done, in PostgreSQL's own word: a COMMIT that could not be is answered by ROLLBACK. */
  readonly command: string
}

export interface Connection {
  /** The process that serves us, as `pg_stat_activity` calls it. */
  readonly backend: number
  /** Nothing can be asked here any more. */
  readonly isLost: boolean
  /** Asked at once, answered in order. */
  ask(text: string, values?: readonly Bound[], how?: How): Promise<Answer>
  /** What others notify on channels that this session listens to. */
  heard(hear: (channel: string, payload: string) => void): void
  /** Called once, when the connection is lost without our asking. */
  lost(tell: () => void): void
  end(): Promise<void>
  /** At once and without a word: the server finds out and takes back what was under way. */
  cut(): void
}

export interface How {
  /** Prepared under this name, once. */
  readonly name?: string
  /** int8 as bigint. */
  readonly exact?: boolean
  /** May take as long as it takes. */
  readonly unbounded?: boolean
}

export interface SessionSettings {
  readonly clock: Clock
  /** 'write': a standby is not taken. */
  readonly access: 'write' | 'read'
  readonly connectMs: number
  readonly statementMs: number
  /** A transaction that waits longer for us than this is ended by the server: what it has locked is free again. */
  readonly idleInTransactionMs: number
}

const OLDEST_VERSION = 150_000
/** The server ends a statement that takes too long; this much later we no longer believe that there is a server. */
const GRACE_MS = 15_000
const FAREWELL_MS = 2_000
const SILENCE_MS = 10_000

/** The first host of the address that can be had and fits. Rejects with what the last one said. */
export async function connect(address: PostgresAddress, settings: SessionSettings): Promise<Connection> {
  let trouble: unknown
  for (const url of address.urls) {
    try {
      return await connectTo(url, address, settings)
    } catch (error) {
      trouble = error
    }
  }
  throw trouble
}

async function connectTo(url: string, address: PostgresAddress, settings: SessionSettings): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'orbweaver',
    connectionTimeoutMillis: settings.connectMs,
    // A peer that went away without a word is found out also when nothing is sent.
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_MS,
    pipeline: true,
  })
  const connection = connectionOf(client, settings)
  try {
    await client.connect()
    await prepareSession(connection, address, settings)
    return connection
  } catch (error) {
    connection.cut()
    throw error
  }
}

function connectionOf(client: pg.Client, { clock, statementMs }: SessionSettings): Connection {
  const socket = (client as unknown as { connection: { stream: Socket } }).connection
  let isLost = false
  let isEnding = false
  let tellLost = () => {}
  const lose = () => {
    if (isLost) return
    isLost = true
    if (!isEnding) tellLost()
  }
  /** What is asked before anybody waits goes out in one piece: a hundred statements in half the time. */
  let isGathering = false
  const gather = () => {
    if (isGathering) return
    isGathering = true
    const { stream } = socket
    stream.cork()
    queueMicrotask(() => {
      isGathering = false
      stream.uncork()
    })
  }
  client.on('error', lose)
  client.on('end', lose)
  return {
    get backend() {
      return (client as unknown as { processID: number | null }).processID ?? 0
    },
    get isLost() {
      return isLost
    },
    async ask(text, values, { name, exact = false, unbounded = false } = {}) {
      gather()
      const result = await client.query<object>({
        text,
        values: values as Bound[],
        name,
        types: exact ? EXACT : PLAIN,
        query_timeout: unbounded ? undefined : statementMs + GRACE_MS,
      } as pg.QueryConfig)
      // Several statements in one text: the last one's answer.
      const last = Array.isArray(result) ? (result as pg.QueryResult<object>[]).at(-1) : result
      return { rows: last?.rows ?? [], count: last?.rowCount ?? 0, command: last?.command ?? '' }
    },
    heard(hear) {
      client.on('notification', ({ channel, payload }) => hear(channel, payload ?? ''))
    },
    lost(tell) {
      tellLost = tell
    },
    async end() {
      isEnding = true
      const cancel = clock.after(FAREWELL_MS, () => socket.stream.destroy())
      await client.end()
      cancel()
    },
    cut() {
      isEnding = true
      isLost = true
      socket.stream.destroy()
    },
  }
}

/** Set by statements, not in the start packet: poolers between us and the server refuse what they do not know there. */
async function prepareSession(
  connection: Connection,
  { where }: PostgresAddress,
  { access, statementMs, idleInTransactionMs }: SessionSettings,
): Promise<void> {
  const set = connection.ask(`
    SET statement_timeout = ${Math.round(statementMs)};
    SET idle_in_transaction_session_timeout = ${Math.round(idleInTransactionMs)};
    SET client_min_messages = 'warning';
    SET bytea_output = 'hex';
    SET extra_float_digits = 1;
    SET TimeZone = 'UTC';
    SET jit = off;
  `)
  const look = connection.ask(`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS release,
           current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit,
           pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "onlyReads"
  `)
  // A statement whose asker died holds its locks until it ends; not every system can look for that.
  const watch = connection.ask(`SET client_connection_check_interval = '5s'`).catch(() => {})
  const [, { rows }] = await Promise.all([set, look, watch])
  const [server] = rows as {
    version: number
    release: string
    encoding: string
    commit: string
    onlyReads: boolean
  }[]
  if (server.version < OLDEST_VERSION)
    throw new Problem('unfit-database', `${where} is PostgreSQL ${server.release}: 15 or newer is needed`)
  if (server.encoding !== 'UTF8')
    throw new Problem('unfit-database', `${where} keeps texts in ${server.encoding}: make it with ENCODING 'UTF8'`)
  if (access === 'write' && server.onlyReads) throw new StandbyError(where)
  // Whoever switched it off did not mean us: what is acknowledged to a worker must be on the disk.
  if (server.commit === 'off') await connection.ask('SET synchronous_commit = on')
}

/** A standby, or a primary that was told to take no writes: another host may, or this one later. */
export class StandbyError extends Error {
  constructor(where: string) {
    super(`${where} takes no writes`)
    this.name = 'StandbyError'
  }
}
