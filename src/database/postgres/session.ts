/** What a connection is told before it is used, and whether its server will do. */
import { Problem } from '../../base/errors.ts'
import type { Connection, SessionSettings } from './connection.ts'

const OLDEST_VERSION = 150_000

/** By which the server finds out that we are dead, and frees what we had locked. Not every system knows all of them. */
const WATCHES = [
  `SET client_connection_check_interval = '5s'`,
  'SET tcp_keepalives_idle = 10',
  'SET tcp_keepalives_interval = 5',
  'SET tcp_keepalives_count = 3',
  `SET tcp_user_timeout = '30s'`,
]

/**
 * A statement is planned once, not each time: with arrays and LIMITs PostgreSQL does not believe that one plan does for all
 * values, and planning took longer than the statements themselves. A plan made for a table that was empty must do when it
 * has grown, until the next ANALYZE: so not by reading the whole of it. Citus must see the values. Not for those who only
 * read: reports go over whole tables, each in its own way.
 */
const PLAN_ONCE = `
  SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false)
  WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`

/** The primary's line of history, one more with each fail-over: the first digits of what it writes its log to. */
const READ_TIMELINE = `
  SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline`

export interface Session {
  /** 0: not known. Services that keep no log of their own have none. */
  readonly timeline: number
}

/** Set by statements, not in the start packet: poolers between us and the server refuse what they do not know there. */
export async function prepareSession(
  connection: Pick<Connection, 'ask'>,
  where: string,
  { access, statementMs, idleInTransactionMs }: SessionSettings,
): Promise<Session> {
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
  const plans = access === 'write' ? connection.ask(PLAN_ONCE) : undefined
  // A standby writes no log.
  const history = connection.ask(READ_TIMELINE).catch(() => ({ rows: [{ timeline: 0 }] }))
  const watches = WATCHES.map((sql) => connection.ask(sql).catch(() => {}))
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
  // Whoever switched it off did not mean us: what is acknowledged to a worker must be on the disk.
  if (server.commit === 'off') await connection.ask('SET synchronous_commit = on')
  const [{ timeline }] = past.rows as { timeline: number }[]
  return { timeline }
}

/** A standby, or a primary that must not be written to: another host may, or this one later. */
export class StandbyError extends Error {
  /** As the end of a sentence about it. */
  readonly why: string

  constructor(where: string, why = 'takes no writes (a standby?)') {
    super(`${where} ${why}`)
    this.name = 'StandbyError'
    this.why = why
  }
}
