/** `orbweaver simulate crawl` (B2): a whole crawl of a synthetic web in virtual time, judged on the servers' side. */

import type { Settings } from '../../src/app/config/keys.ts'
import { loadSettings } from '../../src/app/config/load.ts'
import { type Clock, type Millis, realClock } from '../../src/base/clock.ts'
import { readCounters } from '../../src/collection/counters/counters.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { Frontier } from '../../src/contracts/ports.ts'
import type { Database } from '../../src/database/database.ts'
import { openSqlite, openUnjournaled } from '../../src/database/sqlite/open.ts'
import { sqliteTx } from '../../src/database/sqlite/tx.ts'
import { type MemoryDisk, memoryDisk } from '../memory-disk.ts'
import { type VirtualClock, virtualClock } from '../virtual-clock.ts'
import { RequestLedger } from '../web/ledger-of-requests.ts'
import type { WebOptions } from '../web/options.ts'
import { makeWeb } from '../web/web.ts'
import { type CrawledWeb, type Judgement, judge } from './judge.ts'
import { type Pace, paceOf } from './pace.ts'
import { type Alterations, runVirtualCoordinator } from './virtual-coordinator.ts'

export interface SimulateOptions {
  sites: number
  pages: number
  seed: number
  web?: Partial<WebOptions>
  /** Default: the home pages of all sites. */
  seeds?: readonly string[]
  settings?: Partial<Settings>
  workers?: number
  /** Longest wait first instead of the order of the settings, one URL a visit. */
  lwf?: boolean
  /** Default: SQLite in memory. */
  database?: Database
  alter?: Alterations
  journal?: (event: Event) => void
  /** Of the virtual clock. Default: none, every instant counts. */
  tick?: Millis
}

export interface SimulationReport extends Judgement {
  sites: number
  documents: number
  requests: number
  virtualMs: Millis
  realMs: Millis
  pace: Pace
}

/** What is simulated is the order and the time of requests: small pages show it as well and take half the time to read. */
const SMALL_PAGES: Partial<WebOptions> = { pageBytes: 4_000, linksPerPage: 20 }

/** A turn of the event loop of a busy crawl; its timers are late by as much. With it a request takes a tenth less CPU. */
export const TURN: Millis = 20

/** A web, and a machine with nothing on it. */
export interface Stage extends CrawledWeb {
  clock: VirtualClock
  disk: MemoryDisk
  options: SimulateOptions
}

export async function simulateCrawl(options: SimulateOptions): Promise<SimulationReport> {
  const begun = realClock.elapsed()
  const stage = setStage({ tick: TURN, ...options, database: options.database ?? openUnjournaled() })
  await crawlOn(stage)
  const counters = await stage.database.read((tx) => readCounters(tx))
  const judgement = await judge(stage)
  const pace = await paceOf(stage, collectorsOf(stage))
  await stage.database.close()
  return {
    ...judgement,
    sites: options.sites,
    documents: counters.get('documents') ?? 0,
    requests: counters.get('requests') ?? 0,
    virtualMs: stage.clock.elapsed(),
    realMs: realClock.elapsed() - begun,
    pace,
  }
}

export function setStage(options: SimulateOptions): Stage {
  const { seed, sites, pages } = options
  const web = makeWeb({ ...SMALL_PAGES, seed, sites, pagesPerSite: pages, ...options.web })
  const clock = virtualClock(web.plan.epoch, options.tick)
  return {
    options,
    web,
    clock,
    ledger: new RequestLedger(clock),
    database: options.database ?? openSqlite(':memory:'),
    disk: memoryDisk(),
    settings: settingsWith(options.lwf ? { ...options.settings, slicePages: 1 } : options.settings),
    seeds: options.seeds ?? web.homes(),
  }
}

/** Until the crawl is over or has been stopped. Called again on the same stage, it goes on from there. */
export async function crawlOn(stage: Stage, stop: AbortSignal = new AbortController().signal): Promise<void> {
  const { options, clock, database } = stage
  const lwf = (frontier: Frontier) => longestWaitFirst(frontier, database, clock, collectorsOf(stage))
  const run = runVirtualCoordinator(
    {
      ...stage,
      randomSeed: options.seed,
      workers: workersOf(options),
      alter: options.lwf ? { ...options.alter, frontier: lwf } : options.alter,
      // Leases granted ahead would be of sites whose URLs are not the oldest.
      serves: options.lwf,
      journal: { record: (event) => options.journal?.(event) },
    },
    stop,
  )
  await clock.run(run)
}

function workersOf({ workers = 2 }: SimulateOptions): number {
  return workers
}

/** Places for visits: as many requests may be under way. */
function collectorsOf({ options, settings }: Stage): number {
  return workersOf(options) * settings.visits
}

/** The defaults of `orbweaver crawl`, and what is changed of them. */
export function settingsWith(changes: Partial<Settings> = {}): Settings {
  const { settings } = loadSettings([], 'crawl', { env: {}, readFile: () => undefined })
  return { ...settings, ...changes }
}

/**
 * Longest wait first, as the CoBWeb paper sets it against KLWF: every collector takes the oldest URL of the whole queue that no
 * other has taken, and waits for its server. So a URL may be asked for only while it is among the first N, N being the number of
 * collectors; with KLWF it may always. For comparison only: it wraps what the worker would ask.
 */

/** The first URLs belong to sites that are being visited: when one of them ends is not known. */
const LOOK_AGAIN: Millis = 50

const FIRST = `
  SELECT DISTINCT s.key, s.state, s.not_before FROM (
    SELECT site FROM url WHERE mark = 0 AND due_at <= ? ORDER BY max(enqueued_at, due_at), seq LIMIT ?) u
  JOIN site s ON s.key = u.site`

function longestWaitFirst(frontier: Frontier, database: Database, clock: Clock, collectors: number): Frontier {
  return {
    ...frontier,
    async checkOut(worker, atMost) {
      const now = clock.now()
      const first = await database.read(async (tx) =>
        sqliteTx(tx).allExact<{ state: string; not_before: bigint }>(FIRST, now, collectors),
      )
      // The frontier gives the sites with the oldest URLs first: they are these.
      const ready = first.filter(
        ({ state, not_before }) => state === 'free' || (state === 'waiting' && not_before <= now),
      )
      if (first.length === 0 || ready.length > 0)
        return frontier.checkOut(worker, Math.min(atMost, Math.max(1, ready.length)))
      const waits = first.filter(({ state }) => state === 'waiting').map(({ not_before }) => Number(not_before) - now)
      return { visits: [], next: waits.length === first.length ? Math.min(...waits) : Math.min(LOOK_AGAIN, ...waits) }
    },
  }
}
