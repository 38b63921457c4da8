/** The coordinator and its workers on a virtual clock, in one thread. It can be broken off at any moment and opened again. */

import { type Coordinator, type CoordinatorParts, openCoordinator } from '../../src/app/composition/coordinator.ts'
import { userAgentOf, workerTools } from '../../src/app/composition/worker-tools.ts'
import type { Settings } from '../../src/app/config/keys.ts'
import { scopeSeeds } from '../../src/app/seeds/stored-seeds.ts'
import { type Clock, every, type Millis } from '../../src/base/clock.ts'
import type { Disk } from '../../src/base/disk.ts'
import type { Journal } from '../../src/base/journal.ts'
import { seededRandom } from '../../src/base/random.ts'
import { openArchive } from '../../src/collection/volumes/volume-writer.ts'
import type { Event } from '../../src/contracts/events.ts'
import type { OpenSession, Resolve } from '../../src/contracts/exchange.ts'
import type { Archive, Frontier, ReportSink } from '../../src/contracts/ports.ts'
import { seal } from '../../src/contracts/sealed-part.ts'
import { runWorker, type WorkerOptions } from '../../src/crawl/worker/worker.ts'
import type { Database } from '../../src/database/database.ts'
import type { RefreshOptions } from '../../src/frontier/contract.ts'
import { testFetch, testResolve } from '../web/fetch.ts'
import type { RequestLedger } from '../web/ledger-of-requests.ts'
import type { TestWeb } from '../web/web.ts'

export interface VirtualParts {
  web: TestWeb
  ledger: RequestLedger
  clock: Clock
  database: Database
  disk: Disk
  settings: Settings
  seeds: readonly string[]
  randomSeed: number
  workers: number
  journal: Journal<Event>
  /** As in `CoordinatorParts`. A house that serves grants no leases ahead. */
  atOnceBytes?: number
  serves?: boolean
  lookEvery?: Millis
  refresh?: RefreshOptions
  /** Between the coordinator's ticks; default a second. */
  tickMs?: Millis
  /** Beside the coordinator's own work of every tick. */
  eachTick?(coordinator: Coordinator): Promise<void>
  /** Before the numbers of its workers; default `w`. */
  workerName?: string
  /** As in `CoordinatorParts`. */
  ledgerOver?: CoordinatorParts['ledgerOver']
  /** Faults and planted bugs come in here; each gets what the worker would have and gives what it has instead. */
  alter?: Alterations
}

export interface Alterations {
  archive?(archive: Archive, worker: string): Archive
  sink?(sink: ReportSink, worker: string): ReportSink
  frontier?(frontier: Frontier, worker: string): Frontier
  openSession?(openSession: OpenSession, worker: string): OpenSession
  resolve?(resolve: Resolve, worker: string): Resolve
  tools?(tools: WorkerOptions['tools'], worker: string): WorkerOptions['tools']
}

export const FOLDER = 'collection'
const VERSION = '0.0.0-simulated'
const TICK = 1000

/** Runs until the crawl is over, or until `stop` aborts and everything in flight has ended. */
export async function runVirtualCoordinator(parts: VirtualParts, stop: AbortSignal): Promise<Coordinator> {
  const { clock, journal, settings, database, disk, alter = {} } = parts
  const random = seededRandom(parts.randomSeed)
  const coordinator = await openCoordinator({
    database,
    disk,
    folder: FOLDER,
    clock,
    random,
    journal,
    settings,
    filterBits: 2 ** 20,
    atOnceBytes: parts.atOnceBytes,
    serves: parts.serves,
    lookEvery: parts.lookEvery,
    ledgerOver: parts.ledgerOver,
    ...(parts.refresh && { refresh: parts.refresh }),
  })
  await coordinator.seed(
    parts.seeds
      .map(coordinator.urls.parse)
      .flatMap((url) => (url === undefined ? [] : [{ url: url.href, key: url.key, site: url.site }])),
  )
  const { seeds } = await scopeSeeds({ database, settings })
  const plan = { settings, seeds, version: VERSION }
  const over = new AbortController()
  const keeping = keep(coordinator, parts, over.signal)
  const stopped = () => coordinator.frontier.stop()
  stop.addEventListener('abort', stopped)
  const workers = Array.from({ length: parts.workers }, (_, i) => {
    const worker = `${parts.workerName ?? 'w'}${i + 1}`
    const archive = openArchive({
      disk,
      folder: coordinator.archiveFolder,
      prefix: 'SIMULATED',
      hostname: 'virtual',
      worker,
      clock,
      random: seededRandom(random.integer(2 ** 31)),
      rollBytes: settings.volumeSize,
      info: { software: `orbweaver/${VERSION}`, userAgent: userAgentOf(settings, VERSION), robots: 'obey' },
      journal,
    })
    const openSession = testFetch(parts.web, clock, parts.ledger)
    const resolve = testResolve(parts.web, clock)
    const tools = workerTools(plan, {
      clock,
      journal,
      openSession: alter.openSession?.(openSession, worker) ?? openSession,
      resolve: alter.resolve?.(resolve, worker) ?? resolve,
      archive: alter.archive?.(archive, worker) ?? archive,
      findCopy: coordinator.calls.findCopy,
      watch: { begin() {}, end() {} },
    })
    const sink: ReportSink = { send: (_worker, reports) => coordinator.intake.accept(reports.map(seal)) }
    return runWorker(
      {
        id: worker,
        slots: settings.visits,
        frontier: alter.frontier?.(coordinator.calls, worker) ?? coordinator.calls,
        sink: alter.sink?.(sink, worker) ?? sink,
        tools: alter.tools?.(tools, worker) ?? tools,
        renewEvery: settings.lease / 3,
      },
      stop,
    )
  })
  try {
    await Promise.all(workers)
  } finally {
    over.abort()
    stop.removeEventListener('abort', stopped)
  }
  await keeping
  await coordinator.finish()
  return coordinator
}

function keep(
  coordinator: Coordinator,
  { clock, tickMs = TICK, eachTick }: VirtualParts,
  over: AbortSignal,
): Promise<void> {
  return every(clock, tickMs, over, async () => {
    await coordinator.tick()
    await eachTick?.(coordinator)
  })
}
