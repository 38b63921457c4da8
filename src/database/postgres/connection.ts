/** One connection to PostgreSQL: the only file that knows the client library. */
import type { Socket } from 'node:net'
import pg from 'pg'
import type { Clock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { Batch, type BatchedStatement, type Prepared, type QueryResult } from './batch.ts'
import { StandbyError } from './errors.ts'
import { tlsOf } from './tls.ts'
import { type Bound, PLAIN } from './values.ts'

export interface Connection {
  /** The server process, as announced on connecting. Behind a pooler it differs from the real one. */
  readonly backend: number
  session: Session
  /** No query can be sent any more. */
  readonly isLost: boolean
  /** Sent at once, answered in order. */
  query(text: string, values?: readonly Bound[], how?: QueryOptions): Promise<QueryResult>
  /** Notifications on channels this session listens to. */
  onNotification(hear: (channel: string, payload: string) => void): void
  /** Called once, when the connection is lost or destroyed. */
  onLost(tell: () => void): void
  end(): Promise<void>
  /** Closes the socket at once. The server notices and rolls back what was under way. */
  destroy(): void
}

export interface QueryOptions {
  /**
   * Prepared once, under this name, and sent together with others of the turn. Only inside a transaction: outside, they are
   * one, and are answered before it commits.
   */
  readonly name?: string
  /** With a name: int8 as bigint. */
  readonly exact?: boolean
  /** Without a name: no time limit. */
  readonly unbounded?: boolean
}

export interface SessionSettings {
  readonly clock: Clock
  /** 'write': a standby is refused. */
  readonly access: 'write' | 'read'
  readonly connectMs: number
  readonly statementMs: number
  /** The server ends a transaction that waits longer than this for us, and frees its locks. */
  readonly idleInTransactionMs: number
}

/** The server ends a statement that takes too long. This much later we give the server up. */
const GRACE_MS = 15_000
const MAX_CLOSE_MS = 2_000
const SILENCE_MS = 10_000
/** The server begins with the first statements while the rest is made. */
const MAX_BATCHED = 64

/** `where`: for messages. */
export async function connectTo(url: string, where: string, settings: SessionSettings): Promise<Connection> {
  const connection = await connectBare(url, settings)
  try {
    connection.session = await prepareSession(connection, where, settings)
    return connection
  } catch (error) {
    connection.destroy()
    throw error
  }
}

/** Without preparing the session. */
export async function connectBare(address: string, settings: SessionSettings): Promise<Connection> {
  const { url, ssl } = tlsOf(address)
  const client = new pg.Client({
    connectionString: url,
    ssl,
    application_name: 'orbweaver',
    connectionTimeoutMillis: settings.connectMs,
    // Detects a peer that vanished, even if nothing is sent.
    keepAlive: true,
    keepAliveInitialDelayMillis: SILENCE_MS,
    pipeline: true,
  })
  const connection = connectionOf(client, settings)
  try {
    await client.connect()
    return connection
  } catch (error) {
    connection.destroy()
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
  /** Prepared statements of one turn are sent in one piece. */
  const prepared: Prepared = new Map()
  let batch: Batch | undefined
  const send = () => {
    const full = batch
    batch = undefined
    if (full !== undefined) client.query(full)
  }
  const batched = (statement: Omit<BatchedStatement, 'resolve' | 'reject'>) =>
    new Promise<QueryResult>((resolve, reject) => {
      if (batch === undefined) {
        batch = new Batch(prepared, statementMs + GRACE_MS)
        queueMicrotask(send)
      }
      batch.add({ ...statement, resolve, reject })
      if (batch.size === MAX_BATCHED) send()
    })
  client.on('error', lose)
  client.on('end', lose)
  return {
    session: { timeline: 0 },
    get backend() {
      return (client as unknown as { processID: number | null }).processID ?? 0
    },
    get isLost() {
      return isLost
    },
    async query(text, values = [], { name, exact = false, unbounded = false } = {}) {
      if (name !== undefined) return batched({ text, name, values, exact })
      // In the order of the calls.
      send()
      const result = await client.query<object>({
        text,
        values: values as Bound[],
        types: PLAIN,
        query_timeout: unbounded ? undefined : statementMs + GRACE_MS,
      } as pg.QueryConfig)
      // Several statements in one text: the last one's answer.
      const last = Array.isArray(result) ? (result as pg.QueryResult<object>[]).at(-1) : result
      return { rows: last?.rows ?? [], count: last?.rowCount ?? 0, command: last?.command ?? '' }
    },
    onNotification(hear) {
      client.on('notification', ({ channel, payload }) => hear(channel, payload ?? ''))
    },
    onLost(tell) {
      tellLost = tell
    },
    async end() {
      isEnding = true
      const cancel = clock.after(MAX_CLOSE_MS, () => socket.stream.destroy())
      await client.end()
      cancel()
    },
    destroy() {
      lose()
      socket.stream.destroy()
    },
  }
}

const OLDEST_VERSION = 150_000

/** Let the server notice that we are dead and free our locks. Not every system supports all of them. */
const WATCHES = [
  `SET client_connection_check_interval = '5s'`,
  'SET tcp_keepalives_idle = 10',
  'SET tcp_keepalives_interval = 5',
  'SET tcp_keepalives_count = 3',
  `SET tcp_user_timeout = '30s'`,
]

/**
 * Plan each statement once: with arrays and LIMITs PostgreSQL plans anew for each call, and planning took longer than
 * the statements themselves. A plan made while a table was empty must still do when it has grown, so no sequential scans.
 * Not on Citus, which must see the values, and not for readers: reports go over whole tables, each in its own way.
 */
const PLAN_ONCE = `
  SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false)
  WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`

/** The primary's timeline, which grows with each fail-over: the first digits of its log file's name. */
const READ_TIMELINE = `
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline`

export interface Session {
  /** 0: not known. Some managed services have none. */
  readonly timeline: number
}

/** By statements, not in the start packet: poolers refuse unknown parameters there. */
export async function prepareSession(
  connection: Pick<Connection, 'query'>,
  where: string,
  { access, statementMs, idleInTransactionMs }: SessionSettings,
): Promise<Session> {
  const set = connection.query(`
    SET statement_timeout = ${Math.round(statementMs)};
    SET idle_in_transaction_session_timeout = ${Math.round(idleInTransactionMs)};
    SET client_min_messages = 'warning';
    SET bytea_output = 'hex';
    SET extra_float_digits = 1;
    SET TimeZone = 'UTC';
    SET jit = off;
  `)
  const look = connection.query(`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS release,
           current_setting('server_encoding') AS encoding, current_setting('synchronous_commit') AS commit,
           pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS "onlyReads"
  `)
  const plans = access === 'write' ? connection.query(PLAN_ONCE) : undefined
  // A standby writes no log.
  const history = connection.query(READ_TIMELINE).catch(() => ({ rows: [{ timeline: 0 }] }))
  const watches = WATCHES.map((sql) => connection.query(sql).catch(() => {}))
  const [, { rows }, past] = await Promise.all([set, look, history, plans, ...watches])
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
  // A part that is acknowledged to a worker must be durable.
  if (server.commit === 'off') await connection.query('SET synchronous_commit = on')
  const [{ timeline }] = past.rows as { timeline: number }[]
  return { timeline }
}
