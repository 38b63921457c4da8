/** Where a collection stands: complete, unfinished or being crawled; and the servers and workers of a shared crawl; what the mail about a day says. */
import { basename, resolve } from 'node:path'
import type { Clock, Instant, Millis } from '../../base/clock.ts'
import { type Freshness, measureFreshness, recordedFreshness } from '../../cluster/maintenance/measure-freshness.ts'
import { readProblems } from '../../cluster/maintenance/problem-watch.ts'
import { GONE_AFTER, SILENT_AFTER, SLOW } from '../../cluster/maintenance/problems.ts'
import { differingSettings, readServers, readWorkers, type WorkerRow } from '../../cluster/server/worker-table.ts'
import { findingsBefore } from '../../collection/browse/findings.ts'
import { type Progress, readCounter, readLooks, spanOf } from '../../collection/counters/counters.ts'
import { dayFigures } from '../../collection/day-figures.ts'
import { progressSince } from '../../collection/figures.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { Totals } from '../../frontier/contract.ts'
import { countStopped, readAudit, readChoice, WHOLE_CRAWL } from '../../frontier/decisions.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { readRechecks } from '../../intake/rechecks.ts'
import { partsWaiting } from '../../intake/report-parts.ts'
import type { DayReport } from '../../report/crawl-mail.ts'
import { pausesOf } from '../composition/plan.ts'
import type { Settings } from '../config/keys.ts'

export type CollectionStatus = Awaited<ReturnType<typeof collectionStatus>>

/** The trend covers the last hour in which the crawl ran. */
const TREND_SPAN: Millis = 3_600_000

export async function collectionStatus(tx: Tx, running: boolean, clock: Clock) {
  const { sites: recorded, urls } = await frontierQueries.totals(tx)
  const sites = running ? recorded : atRest(recorded)
  const inbox = await partsWaiting(tx)
  const over = urls.waiting === 0 && recorded.leased + recorded.returning === 0 && inbox === 0
  const [due] = await frontierQueries.nextDue(tx, 1)
  const untilDue = due === undefined ? undefined : Math.max(0, due.notBefore - clock.now())
  return {
    state: running ? ('running' as const) : over ? ('complete' as const) : ('unfinished' as const),
    /** The run, or the last one, is a refresh. */
    isRefresh: await frontierQueries.isRefreshing(tx),
    ...(await spanOf(tx)),
    documents: await readCounter(tx, 'documents'),
    bytes: await readCounter(tx, 'bytes'),
    /** `refreshing`: known pages that are looked at again. */
    urls: { known: urls.known, done: urls.marked, waiting: urls.waiting, refreshing: urls.refreshing },
    looks: await readLooks(tx),
    sites,
    heldDomains: recorded.held === 0 ? 0 : await frontierQueries.heldDomains(tx),
    trend: await trendOf(tx),
    nextDueMs: sites.free > 0 ? 0 : untilDue,
    /** Parts that are durable and not yet applied. */
    inbox,
    /** Who paused the crawl, and how many sites operators stopped. */
    paused: (await readChoice(tx, WHOLE_CRAWL)).paused,
    stopped: await countStopped(tx),
    /** Undefined when no server was ever started on it. */
    cluster: await clusterStatus(tx, clock.now()),
  }
}

/** For this long, the measurement by the server or process that refreshes is used instead of a new one. */
const RECENT: Millis = 3 * 60_000
/** More pages than this `status` does not read itself. */
const STATUS_PAGES = 100_000

/** Undefined before the first refresh. */
export async function freshnessNow(
  database: Database,
  clock: Clock,
  settings: Settings,
): Promise<Freshness | undefined> {
  const recorded = await database.read(recordedFreshness)
  if (recorded !== undefined && Math.abs(clock.now() - recorded.at) < RECENT) return recorded
  return measureFreshness({
    database,
    clock,
    ...pausesOf(settings),
    capacity: settings.refreshRate,
    minGain: settings.refreshMinGain,
    maxPages: STATUS_PAGES,
  })
}

const DAY_OF_MINUTES = 1440
const RECENT_ROWS = 10

/** What the overview shows: read every second or two, so nothing that grows with the collection. */
export async function overviewFigures(tx: Tx, now: Instant) {
  return {
    totals: await frontierQueries.totals(tx),
    documents: await readCounter(tx, 'documents'),
    bytes: await readCounter(tx, 'bytes'),
    isRefresh: await frontierQueries.isRefreshing(tx),
    freshness: await recordedFreshness(tx),
    progress: await progressSince(tx, now - GONE_AFTER, DAY_OF_MINUTES),
    problems: await readProblems(tx, now),
    findings: await findingsBefore(tx, undefined, undefined, RECENT_ROWS),
    actions: await readAudit(tx, undefined, RECENT_ROWS),
  }
}

/** Without a crawl, a lease was left by a crash: its site waits. */
function atRest({ leased, returning, ...sites }: Totals['sites']): Totals['sites'] {
  return { ...sites, waiting: sites.waiting + leased + returning, leased: 0, returning: 0 }
}

async function trendOf(tx: Tx): Promise<Progress[]> {
  const last = (await progressSince(tx, 0, 1)).at(0)
  return last === undefined ? [] : progressSince(tx, last.at - TREND_SPAN)
}

export type ClusterStatus = NonNullable<Awaited<ReturnType<typeof clusterStatus>>>
export type WorkerStatus = ClusterStatus['workers'][number]

const MAX_WORKERS = 200

/** Workers, latest first: `atMost` after the first `skip`. */
export async function clusterStatus(tx: Tx, now: Instant, { atMost, skip } = { atMost: MAX_WORKERS, skip: 0 }) {
  const servers = await readServers(tx, now - GONE_AFTER)
  const workers = await readWorkers(tx, atMost, skip)
  if (servers.length + workers.length === 0) return undefined
  const ago = (at: Instant) => Math.max(0, now - at)
  return {
    /** Captures that were fetched again through another worker; null when there are none. */
    rechecks: (await readRechecks(tx, MAX_WORKERS)) ?? null,
    /** Settings in which running servers differ. */
    differing: differingSettings(
      servers.filter(({ seenAt }) => ago(seenAt) < SILENT_AFTER).map(({ settings }) => settings),
    ),
    servers: servers.map(({ url, version, seenAt, computer }) => ({
      url,
      version,
      seenMs: ago(seenAt),
      alive: ago(seenAt) < SILENT_AFTER,
      computer,
    })),
    /** `computer`: as it says; null before its first report, and of an older version. */
    workers: workers.map((row) => {
      const { id, name, region, version, visits, pagesPerSecond, lateMs, computer, clockOffsetMs } = row
      const figures = { visits, pagesPerSecond, lateMs, seenMs: ago(row.seenAt) }
      return { name, id, region, version, state: stateOf(row, figures.seenMs), ...figures, computer, clockOffsetMs }
    }),
  }
}

/** slow: its event loop is late, so its pauses are longer than needed. silent: it may be dead, and its leases expire. */
function stateOf({ state, lateMs }: WorkerRow, seenMs: Millis): 'alive' | 'slow' | 'silent' | 'left' | 'barred' {
  if (state === 'barred') return 'barred'
  if (state === 'ending') return 'left'
  if (seenMs >= SILENT_AFTER) return 'silent'
  return lateMs >= SLOW ? 'slow' : 'alive'
}

/** Of a collection, for the subjects of mails. */
export const mailName = ({ collection, database }: Pick<Settings, 'collection' | 'database'>): string =>
  database === undefined ? basename(resolve(collection)) : new URL(database).pathname.slice(1)

/** Of the last day. `ended`: the crawl is over, and how. */
export async function dayReport(tx: Tx, name: string, now: Instant, ended: string | undefined): Promise<DayReport> {
  const { sites, urls } = await frontierQueries.totals(tx)
  const freshness = await recordedFreshness(tx)
  return {
    name,
    ended,
    figures: await dayFigures(tx, now),
    urls,
    sites,
    freshness: freshness && { freshness: freshness.freshness, bound: freshness.bound },
    problems: await readProblems(tx, now),
  }
}
