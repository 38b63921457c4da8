/** The tables of servers and workers: credentials, last seen, and the ticket key. */
import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Instant, Millis } from '../../base/clock.ts'
import type { ThisComputer } from '../../base/computer.ts'
import { Problem } from '../../base/errors.ts'
import { noteLost } from '../../collection/counters/last-visits.ts'
import type { WorkerId } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import type { KnownWorkers, Ledger, Post } from '../../frontier/contract.ts'
import type { Computer, WorkerNews } from '../wire/calls.ts'

export type WorkerState = 'working' | 'ending' | 'barred'

export interface WorkerRow {
  id: string
  name: string
  region: string | null
  version: string
  state: WorkerState
  registeredAt: Instant
  seenAt: Instant
  visits: number
  lateMs: Millis
  pagesPerSecond: number
  computer: Computer | null
  /** The servers' time minus that of its machine. */
  clockOffsetMs: Millis | null
}

export type WorkerPost = Pick<WorkerRow, 'id' | 'region'>

export interface ServerRow {
  id: string
  url: string
  version: string
  startedAt: Instant
  seenAt: Instant
  /** As `differingSettings` reads it. */
  settings: string
  computer: ThisComputer | null
}

/** What a caller must present. */
export interface Credentials {
  secretHash: Uint8Array
  state: WorkerState
}

export const hashOf = (secret: Uint8Array): Uint8Array => createHash('sha256').update(secret).digest()

export type WorkerTable = ReturnType<typeof workerTable>

const SEEN = 'UPDATE worker SET seen_at = CASE WHEN seen_at > ? THEN seen_at ELSE ? END WHERE id = ?'
const NEWS = `
  UPDATE worker SET seen_at = CASE WHEN seen_at > ? THEN seen_at ELSE ? END, visits = ?, late_ms = ?, pages_per_second = ?,
    version = ?, computer = coalesce(?, computer), clock_offset_ms = coalesce(?, clock_offset_ms),
    state = CASE WHEN state = 'barred' THEN state ELSE ? END
  WHERE id = ?`
const JOIN = `
  INSERT INTO worker (id, name, region, secret_hash, version, state, registered_at, seen_at)
  VALUES (?, ?, ?, ?, ?, 'working', ?, ?)`
const PRESENT = "SELECT id, region FROM worker WHERE seen_at >= ? AND state = 'working' ORDER BY id LIMIT ?"
const MAX_PRESENT = 10_000
const COORDINATOR = `
  INSERT INTO server (id, url, version, started_at, seen_at, settings, computer) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET url = excluded.url, version = excluded.version, started_at = excluded.started_at,
    seen_at = excluded.seen_at, settings = excluded.settings, computer = excluded.computer`

export function workerTable(database: Database) {
  return {
    /** Created by the first server and the same for all servers from then on. `fresh`: used if there is none. */
    ticketKey: (fresh: Uint8Array): Promise<Uint8Array> =>
      database.transact(async (tx) => {
        const sql = queries(tx)
        await sql.run('INSERT INTO cluster_key (one, key) VALUES (1, ?) ON CONFLICT (one) DO NOTHING', fresh)
        const row = await sql.get<{ key: Uint8Array }>('SELECT key FROM cluster_key WHERE one = 1')
        return row!.key
      }),
    async register(
      { id, name, region, version }: Pick<WorkerRow, 'id' | 'name' | 'version'> & { region: string | undefined },
      secret: Uint8Array,
      at: Instant,
    ): Promise<void> {
      const values = [id, name, region ?? null, hashOf(secret), version, at, at]
      await database.transact((tx) => queries(tx).run(JOIN, ...values))
    },
    credentials: (worker: string): Promise<Credentials | undefined> =>
      database.read((tx) =>
        queries(tx).get<Credentials>('SELECT secret_hash AS "secretHash", state FROM worker WHERE id = ?', worker),
      ),
    /** In one transaction; a worker that only called brings no news. */
    async seen(workers: ReadonlyMap<string, { at: Instant; news: WorkerNews | undefined }>): Promise<void> {
      if (workers.size === 0) return
      // Always in the same order, so that two servers that update the same workers don't deadlock.
      const sorted = [...workers].sort(([a], [b]) => (a < b ? -1 : 1))
      await database.transact(async (tx) => {
        for (const [id, { at, news }] of sorted) {
          if (news === undefined) await queries(tx).run(SEEN, at, at, id)
          else {
            const { visits, lateMs, pagesPerSecond, version, state } = news
            const computer = news.computer === undefined ? null : JSON.stringify(news.computer)
            const offset = news.clockOffsetMs ?? null
            await queries(tx).run(NEWS, at, at, visits, lateMs, pagesPerSecond, version, computer, offset, state, id)
          }
        }
      })
    },
    /** Workers at work and seen since then, by id. */
    present: (since: Instant): Promise<WorkerPost[]> =>
      database.read((tx) => queries(tx).all<WorkerPost>(PRESENT, since, MAX_PRESENT)),
    async serverSeen({ id, url, version, startedAt, seenAt, settings, computer }: ServerRow): Promise<void> {
      const values = [id, url, version, startedAt, seenAt, settings, computer && JSON.stringify(computer)]
      await database.transact((tx) => queries(tx).run(COORDINATOR, ...values))
    },
    async serverGone(id: string): Promise<void> {
      await database.transact((tx) => queries(tx).run('DELETE FROM server WHERE id = ?', id))
    },
    servers: (since: Instant): Promise<ServerRow[]> => database.read((tx) => readServers(tx, since)),
  }
}

/** For `status` and for workers, latest first. */
export async function readServers(tx: Tx, since: Instant, atMost = 1000): Promise<ServerRow[]> {
  const rows = await queries(tx).all<WithText<ServerRow>>(
    `SELECT id, url, version, started_at AS "startedAt", seen_at AS "seenAt", settings, computer FROM server
     WHERE seen_at >= ? ORDER BY seen_at DESC, id LIMIT ?`,
    since,
    atMost,
  )
  return rows.map(withComputer)
}

type WithText<Row> = Omit<Row, 'computer'> & { computer: string | null }
const withComputer = <Row>(row: WithText<Row>): Row =>
  ({ ...row, computer: row.computer === null ? null : JSON.parse(row.computer) }) as Row

/** For `status` and the dashboard, latest first. */
export async function readWorkers(tx: Tx, atMost: number, skip = 0): Promise<WorkerRow[]> {
  const rows = await queries(tx).all<WithText<WorkerRow>>(
    `SELECT id, name, region, version, state, registered_at AS "registeredAt", seen_at AS "seenAt", visits,
       late_ms AS "lateMs", pages_per_second AS "pagesPerSecond", computer, clock_offset_ms AS "clockOffsetMs"
     FROM worker ORDER BY seen_at DESC, id LIMIT ? OFFSET ?`,
    atMost,
    skip,
  )
  return rows.map(withComputer)
}

/** By thread, for those who know only that. */
export async function workerNames(tx: Tx, threads: readonly WorkerId[]): Promise<Map<WorkerId, string>> {
  const names = await Promise.all(
    threads.map(async (thread) => {
      const row = await queries(tx).get<{ name: string }>('SELECT name FROM worker WHERE id = ?', workerOf(thread))
      return row === undefined ? [] : [[thread, row.name] as const]
    }),
  )
  return new Map(names.flat())
}

export interface WorkerSums {
  alive: number
  silent: number
  pagesPerSecond: number
}

/** Workers seen since then, silent workers that never signed off, and the totals of the former. Those not seen since `knownSince` are gone. */
export async function sumWorkers(tx: Tx, aliveSince: Instant, knownSince: Instant): Promise<WorkerSums> {
  const row = await queries(tx).get<WorkerSums>(
    `SELECT count(*) FILTER (WHERE seen_at >= ?1) AS alive,
       count(*) FILTER (WHERE seen_at < ?1 AND seen_at >= ?2 AND state = 'working') AS silent,
       coalesce(sum(CASE WHEN seen_at >= ?1 THEN pages_per_second END), 0.0) AS "pagesPerSecond"
     FROM worker`,
    aliveSince,
    knownSince,
  )
  return row!
}

/**
 * A worker that called since then may still be at its sites: two workers at one site break its pause. One that is only cut off
 * is there until its leases expire, which silence does not tell: that its process has ended is the operator's word.
 */
const MAY_BE_AT_WORK: Millis = 60_000
const THREADS = 'SELECT DISTINCT worker FROM site WHERE worker > ? AND worker < ? LIMIT 10000'

/** The leases of a silent worker are lost now instead of expiring. Returns how many visits that ends. */
export async function freeWorker(tx: Tx, ledger: Pick<Ledger, 'lose'>, worker: string, now: Instant): Promise<number> {
  if (!/^[0-9a-f]{16}$/.test(worker))
    throw new Problem('bad-flag', 'a worker has an id of 16 hexadecimal digits: orbweaver status --json shows them')
  const row = await queries(tx).get<{ seenAt: Instant; state: WorkerState }>(
    'SELECT seen_at AS "seenAt", state FROM worker WHERE id = ?',
    worker,
  )
  if (row === undefined)
    throw new Problem('not-found', `there is no worker ${worker}: orbweaver status shows those there are`)
  if (row.state === 'working' && now - row.seenAt < MAY_BE_AT_WORK)
    throw new Problem(
      'bad-flag',
      `worker ${worker} called less than a minute ago and may be at its sites: end its process first`,
    )
  const threads = await queries(tx).all<{ worker: WorkerId }>(THREADS, threadOf(worker, ''), `${worker}/`)
  let freed = 0
  for (const thread of threads) {
    const lost = await ledger.lose(tx, thread.worker)
    await noteLost(tx, lost, now)
    freed += lost.length
  }
  return freed
}

/** Keys that differ, in alphabetical order. `reported`: the settings of each server, digests by key, as JSON; invalid JSON is ignored. */
export function differingSettings(reported: readonly string[]): string[] {
  const all = reported.map(readSettings).filter((one) => one !== undefined)
  const keys = new Set(all.flatMap((one) => Object.keys(one)))
  return [...keys].filter((key) => new Set(all.map((one) => one[key])).size > 1).sort()
}

function readSettings(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The workers present, from the worker table. The frontier sends a site to its last worker or a near one. */
export class Roster implements KnownWorkers {
  #present: readonly Post[] = []
  #posts: ReadonlyMap<string, Post> = new Map()

  /** All workers present, by id. */
  update(workers: readonly WorkerPost[]): void {
    const posts = workers.map(({ id, region }): Post => ({ process: id, region: region ?? id }))
    if (isDeepStrictEqual(posts, this.#present)) return
    this.#present = posts
    this.#posts = new Map(posts.map((post) => [post.process, post]))
  }

  present(): readonly Post[] {
    return this.#present
  }

  postOf(worker: WorkerId): Post | undefined {
    return this.#posts.get(workerOf(worker))
  }
}

/** Each thread has its own leases and addresses, and no worker can name another worker's thread. */
export const threadOf = (worker: string, thread: string): WorkerId => `${worker}.${thread}`

/** The worker of a thread. Worker ids contain no dot. */
export const workerOf = (thread: WorkerId): string => thread.split('.', 1)[0]
