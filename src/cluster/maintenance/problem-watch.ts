/**
 * Finds out every ten seconds what is wrong (`problems.ts`), and keeps it in the table `problem`, for the overview,
 * `status` and the mail. Each process watches itself and its machine; one elected server watches the whole crawl. No
 * process declares a problem over: it is over when no process has seen it for a minute, so a dead one leaves none behind.
 */
import { type Clock, every, type Instant, type Millis } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database, Dialect, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { readChoice, WHOLE_CRAWL } from '../../frontier/decisions.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { partsWaiting } from '../../intake/report-parts.ts'
import { differingSettings, readServers, readWorkers } from '../server/worker-table.ts'
import {
  type ClusterFacts,
  type CrawlFacts,
  type DiskFacts,
  GONE_AFTER,
  isLocal,
  type LocalFacts,
  problemsOf,
  type Recent,
  type RunningProblem,
  SILENT_AFTER,
  STALLED_AFTER,
} from './problems.ts'

export interface NamedProblem extends RunningProblem {
  /** Unique among all servers. */
  name: string
}

/** What a process knows of itself at one moment. */
export interface LocalLook extends Pick<LocalFacts, 'clockOffsetMs' | 'outage' | 'restarts'> {
  disks: readonly Pick<DiskFacts, 'folder' | 'free' | 'total'>[]
  lateMs: Millis
}

export interface WatchParts {
  database: Database
  clock: Clock
  journal: Journal<Event>
  /** Of one of several servers. */
  server: { id: string; url: string } | undefined
  /** Workers are on other machines. */
  isServed: boolean
  /** The sums of what visits counted, as last read. */
  counters(): ReadonlyMap<string, number>
  local(): LocalLook
  /** Whether this process looks after the whole crawl. */
  isOurs(): Promise<boolean>
}

export type ProblemWatch = ReturnType<typeof watchProblems>

const LOOK_EVERY: Millis = 10_000
/** A problem that nobody has seen for this long is over. */
export const OVER_AFTER: Millis = 60_000
/** At most one mail in this time about one problem, so its row stays as long. */
export const MAIL_EVERY: Millis = 3_600_000
/** Measured over less time, the pace of a disk is chance. */
const PACE_FROM: Millis = 300_000
const MAX_WORKERS = 200
const MAX_WHAT = 1000

export function watchProblems(parts: WatchParts) {
  const over = new AbortController()
  const looks = new ProblemLooks(parts)
  const looking = every(parts.clock, LOOK_EVERY, over.signal, () => looks.look())
  return {
    /** As this process saw them last, also when the database cannot be reached. */
    now: () => looks.found,
    /** What the process knows of itself, at this moment. */
    local: () => parts.local(),
    async stop() {
      over.abort()
      await looking
    },
  }
}

interface Sample {
  at: Millis
  requests: number
  failures: ReadonlyMap<string, number>
  inbox: number
  lateMs: Millis
  disks: LocalLook['disks']
}

export class ProblemLooks {
  readonly #parts: WatchParts
  /** Of the last ten minutes, oldest first. */
  readonly #samples: Sample[] = []
  #inbox = 0
  #isTroubled = false
  found: readonly NamedProblem[] = []

  constructor(parts: WatchParts) {
    this.#parts = parts
  }

  /** Never throws: a crawl must not end because its problems could not be recorded. */
  async look(): Promise<void> {
    const { database, clock, journal, isOurs, isServed } = this.#parts
    const look = this.#parts.local()
    // Before the database is asked, for it may not answer. What was known of the crawl stays meanwhile: a scrape in between
    // would take it for over, and an alert on it would begin anew.
    const before = this.found.filter((problem) => !isLocal(problem))
    this.#found(undefined, look)
    const local = this.found
    this.found = [...before, ...local]
    let isRead = false
    try {
      const isAll = await isOurs()
      const now = clock.now()
      const read = await database.read(async (tx) => ({
        crawl: isAll ? await readCrawl(tx, now, isServed) : undefined,
        hasRows: (await queries(tx).get('SELECT 1 AS yes FROM problem LIMIT 1')) !== undefined,
      }))
      this.#inbox = read.crawl?.inbox ?? 0
      this.#found(read.crawl, look)
      isRead = true
      if (this.found.length > 0 || (isAll && read.hasRows))
        await database.transact(async (tx) => {
          await noteProblems(tx, this.found, now)
          if (isAll) await forgetProblems(tx, now)
        })
      this.#isTroubled = false
    } catch (error) {
      // It is unknown whether the rest still holds.
      if (!isRead) this.found = local
      if (!this.#isTroubled) journal.record({ kind: 'trouble', what: `cannot record what is wrong: ${error}` })
      this.#isTroubled = true
    }
  }

  #found(crawl: Omit<CrawlFacts, 'recent'> | undefined, look: LocalLook): void {
    const { recent, disks, lateMs } = this.#sampled(look)
    const problems = problemsOf({ crawl: crawl && { ...crawl, recent }, local: { ...look, disks, lateMs } })
    this.found = problems.map((problem) => ({ ...problem, ...this.#named(problem) }))
  }

  #named(problem: RunningProblem): Pick<NamedProblem, 'name' | 'what'> {
    const { kind, subject, what } = problem
    const server = isLocal(problem) ? this.#parts.server : undefined
    return {
      name: [kind, server?.id, subject].filter((part) => part !== undefined).join(':'),
      what: server === undefined ? what : `${server.url}: ${what}`,
    }
  }

  /** What changed since the oldest sample. Looking twice at one moment adds one. */
  #sampled({ disks, lateMs }: LocalLook): { recent: Recent; disks: DiskFacts[]; lateMs: Millis } {
    const samples = this.#samples
    const at = this.#parts.clock.elapsed()
    if (samples.at(-1)?.at === at) samples.pop()
    samples.push({ at, ...countsOf(this.#parts.counters()), inbox: this.#inbox, lateMs, disks })
    while (samples.length > 2 && samples[1].at <= at - STALLED_AFTER) samples.shift()
    const [first] = samples
    const last = samples[samples.length - 1]
    const overMs = at - first.at
    const failures = new Map(
      [...last.failures].map(([kind, n]) => [kind, Math.max(0, n - (first.failures.get(kind) ?? 0))]),
    )
    const minute = samples.filter((one) => one.at >= at - OVER_AFTER)
    return {
      recent: { overMs, requests: Math.max(0, last.requests - first.requests), failures, inboxThen: first.inbox },
      disks: disks.map((disk) => {
        const before = first.disks.find(({ folder }) => folder === disk.folder)?.free ?? disk.free
        const perSecond = overMs < PACE_FROM ? 0 : Math.max(0, ((before - disk.free) / overMs) * 1000)
        return { ...disk, perSecond }
      }),
      lateMs: overMs < OVER_AFTER ? 0 : Math.min(...minute.map((one) => one.lateMs)),
    }
  }
}

function countsOf(counters: ReadonlyMap<string, number>): Pick<Sample, 'requests' | 'failures'> {
  const failures = [...counters].filter(([name]) => name.startsWith('failure:'))
  return {
    requests: counters.get('requests') ?? 0,
    failures: new Map(failures.map(([name, n]) => [name.slice('failure:'.length), n])),
  }
}

/** Visits hold addresses, so there are no more rows than leases and pauses. */
const BUSIEST_ADDRESS: Record<Dialect, string> = {
  sqlite: `SELECT a.address, a.visits, coalesce(s.sites, a.visits) AS sites FROM address a
    LEFT JOIN address_sites s ON s.address = a.address WHERE a.visits > 0 ORDER BY a.visits DESC, a.address LIMIT 1`,
  postgres: `SELECT a.address, a.visits, coalesce(s.sites, a.visits) AS sites FROM address a
    LEFT JOIN address_sites s ON s.shard = a.shard AND s.address = a.address
    WHERE a.visits > 0 ORDER BY a.visits DESC, a.address LIMIT 1`,
}

async function readCrawl(tx: Tx, now: Instant, isServed: boolean): Promise<Omit<CrawlFacts, 'recent'>> {
  const sql = queries(tx)
  const { sites, urls } = await frontierQueries.totals(tx)
  const [due] = await frontierQueries.nextDue(tx, 1)
  const { paused, stopped } = await readChoice(tx, WHOLE_CRAWL)
  const corrupt = await sql.get<{ n: number }>('SELECT count(*) AS n FROM inbox WHERE corrupt IS NOT NULL')
  return {
    sites,
    waiting: urls.waiting,
    isPaused: paused !== undefined || stopped !== undefined,
    unreserved: (await frontierQueries.nextFree(tx, 1)).length,
    address: await sql.get<NonNullable<CrawlFacts['address']>>(BUSIEST_ADDRESS[tx.dialect]),
    nextDueMs: due === undefined ? undefined : Math.max(0, due.notBefore - now),
    inbox: await partsWaiting(tx),
    corruptParts: corrupt?.n ?? 0,
    heldDomains: sites.held === 0 ? 0 : await frontierQueries.heldDomains(tx),
    cluster: isServed ? await readCluster(tx, now) : undefined,
  }
}

async function readCluster(tx: Tx, now: Instant): Promise<ClusterFacts> {
  const since = now - GONE_AFTER
  const workers = (await readWorkers(tx, MAX_WORKERS)).filter(({ seenAt }) => seenAt >= since)
  const servers = await readServers(tx, since)
  const silentMs = ({ seenAt }: { seenAt: Instant }) => Math.max(0, now - seenAt)
  const alive = servers.filter((one) => silentMs(one) < SILENT_AFTER)
  return {
    workers: workers.map((row) => ({ ...row, silentMs: silentMs(row) })),
    servers: servers.map((row) => ({ url: row.url, silentMs: silentMs(row) })),
    differing: differingSettings(alive.map(({ settings }) => settings)),
  }
}

/**
 * One that is seen again after it was over begins anew, unless a mail about it still has to be followed by one that it is over
 * (`mailed_at >= since`).
 */
const NOTE = `
  INSERT INTO problem (name, what, since, seen_at) VALUES (?1, ?2, ?3, ?3)
  ON CONFLICT (name) DO UPDATE SET what = excluded.what, seen_at = excluded.seen_at,
    since = CASE WHEN problem.seen_at < excluded.seen_at - ${OVER_AFTER} AND coalesce(problem.mailed_at < problem.since, true)
      THEN excluded.since ELSE problem.since END`
/** A problem about which a mail was sent waits for the mail that it is over, for a day at most: mails may have been switched off. */
const FORGET = `
  DELETE FROM problem WHERE seen_at < ?1 AND (mailed_at IS NULL OR mailed_at < since AND mailed_at < ?2 OR seen_at < ?3)`

export async function noteProblems(tx: Tx, found: readonly NamedProblem[], now: Instant): Promise<void> {
  // Always in the same order, so that two servers don't deadlock.
  for (const { name, what } of [...found].sort((a, b) => (a.name < b.name ? -1 : 1)))
    await queries(tx).run(NOTE, name, what.slice(0, MAX_WHAT), now)
}

async function forgetProblems(tx: Tx, now: Instant): Promise<void> {
  await queries(tx).run(FORGET, now - OVER_AFTER, now - MAIL_EVERY, now - GONE_AFTER)
}

export interface ProblemRow {
  name: string
  what: string
  since: Instant
  seenAt: Instant
  mailedAt: Instant | null
}

/** Every row: what is wrong, and what is over but not yet reported so. */
export function readProblemRows(tx: Tx): Promise<ProblemRow[]> {
  const sql = 'SELECT name, what, since, seen_at AS "seenAt", mailed_at AS "mailedAt" FROM problem ORDER BY since, name'
  return queries(tx).all<ProblemRow>(sql)
}

/** What is wrong now, the longest first. */
export async function readProblems(tx: Tx, now: Instant): Promise<ProblemRow[]> {
  return (await readProblemRows(tx)).filter(({ seenAt }) => seenAt >= now - OVER_AFTER)
}

/** A mail was sent about these. What is over begins anew when it is seen again. */
export async function markMailed(tx: Tx, begun: readonly ProblemRow[], over: readonly ProblemRow[], now: Instant) {
  const sql = queries(tx)
  for (const { name } of begun) await sql.run('UPDATE problem SET mailed_at = ? WHERE name = ?', now, name)
  for (const { name } of over) await sql.run('UPDATE problem SET since = mailed_at + 1 WHERE name = ?', name)
}
