/** The threads of a volunteer, from the first plan until all have ended and what they brought is told. */
import type { Worker } from 'node:worker_threads'
import type { CrawlPlan } from '../../app/composition/plan.ts'
import { crawlPlanOf } from '../../app/composition/plan-for-workers.ts'
import { loadThread } from '../../app/composition/worker-thread.ts'
import type { Settings } from '../../app/config/keys.ts'
import { type Millis, realClock } from '../../base/clock.ts'
import { isDiskFull, isOfDisk } from '../../base/errors.ts'
import { inTime } from '../../base/in-time.ts'
import type { Journal, Readers } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { DigestFilter } from '../../collection/captures/digest-filter.ts'
import type { OpenLocations } from '../../collection/locations/volume-locations.ts'
import type { CoordinatorCalls, PlanForWorkers } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { ThreadNotes } from '../../crawl/worker/worker-pool.ts'
import { anotherThread, tooManyDeaths, WorkerPool } from '../../crawl/worker/worker-pool.ts'
import type { RemoteServers } from '../wire/remote-coordinator.ts'
import { LivePlan } from './live-plan.ts'

export interface RemoteWorkerParts {
  settings: Settings
  version: string
  /** The first worker thread. */
  thread: Worker
  /** For the names of volumes: no other worker has it. */
  host: string
  remote: RemoteServers
  journal: Readers<Event>
  random: Random
  locations: OpenLocations
  threads: ThreadNotes
}

export interface WorkerSnapshot {
  /** Sites that it visits now. */
  visits: number
  /** Since it was started. */
  pages: number
  bytes: number
  /** Parts of reports that wait here for a server. */
  undelivered: number
  /** How often a place for volumes failed and the next of the list took over. */
  locationsReplaced: number
  /** How long no server has answered; undefined when the last one did. */
  lostMs: Millis | undefined
  slow: { site: string; why: string }[]
  lateMs: Millis
}

export interface RunningWorker {
  done: Promise<{ why: 'complete' | 'interrupted'; undelivered: number }>
  snapshot(): WorkerSnapshot
  stop(): void
}

/** Payloads that others have brought are not known here: those are stored twice, and that is counted. */
const NO_FILTER = DigestFilter.ofBits(1024)
NO_FILTER.markFilled()

/** What is still to be sent to the next place may take long over a slow line: so long threads wait for it before they begin there. */
const LEAVING: Millis = 20_000

export async function runRemoteWorker(parts: RemoteWorkerParts): Promise<RunningWorker> {
  const { settings, version, host, remote, journal, random, locations, threads } = parts
  const stopped = new AbortController()
  const live = await openPlan(parts, stopped.signal, () => workerPool.renew())
  const done = { pages: 0, bytes: 0 }
  journal.read((event) => {
    if (event.kind !== 'checked-in') return
    done.pages += event.pages
    done.bytes += event.bytes
  })
  const ahead = new SharedArrayBuffer(8)
  const tellAhead = () => Atomics.store(new BigInt64Array(ahead), 0, BigInt(Math.round(remote.clock.offset())))
  let failure: unknown
  const isTooMany = tooManyDeaths(realClock, settings.workers)
  const fault = (error: unknown) => {
    failure ??= error
    void workerPool.end()
  }
  /** Where each thread writes. */
  const folders = new Map<string, string>()
  // What keeps volumes from the next place is met again with the next report.
  const leave = async (folder: string, why: unknown) => {
    await inTime(realClock, LEAVING, locations.list.leave(folder, why)).catch(() => {})
    return locations.list.folder !== folder
  }
  const workerPool: WorkerPool = new WorkerPool({
    loaded: parts.thread,
    load: loadThread,
    coordinator: remoteWorkerSources(remote, live, settings.untilDone),
    clock: realClock,
    journal,
    silentMs: settings.watchdog,
    dataFor(worker, slot) {
      const archive = locations.list.folder
      folders.set(worker, archive)
      threads.begin(remote.nameOf(worker))
      const randomSeed = random.integer(2 ** 31)
      return { plan: live.plan, worker, archive, host, ahead, slot, filter: NO_FILTER.shared, randomSeed }
    },
    async hung(worker, reading) {
      await remote.unreadable(worker, reading)
      await remote.leave(worker)
    },
    async died(worker, error) {
      const isElsewhere = isOfDisk(error) && (await leave(folders.get(worker)!, error))
      if ((isDiskFull(error) && !isElsewhere) || failure !== undefined) return fault(error)
      journal.tell({ kind: 'worker-restarted', worker, why: String(error) })
      if (isTooMany()) return fault(error)
      await remote.leave(worker)
    },
    fault,
  })
  tellAhead()
  workerPool.start()

  const over = new AbortController()
  const isStopping = () => stopped.signal.aborted
  const { workers, visits } = settings
  const isStale = (worker: string) => folders.get(worker) !== locations.list.folder
  const tools = { workerPool, isStale, workers, visits, remote, live, journal, version, pages: () => done.pages }
  const rounds = goRounds({ ...tools, isStopping, tellAhead, fault }, over.signal)
  const finish = async () => {
    try {
      await workerPool.ended()
    } finally {
      over.abort()
      await rounds
    }
    const undelivered = await sayFarewell({ remote, locations, journal, version })
    if (failure !== undefined) throw failure
    if (undelivered === 0) threads.clear()
    return { why: isStopping() ? ('interrupted' as const) : ('complete' as const), undelivered }
  }
  return {
    done: finish(),
    snapshot: () => ({
      visits: workerPool.visits,
      ...done,
      undelivered: remote.undelivered,
      locationsReplaced: locations.list.failures,
      lostMs: remote.lostMs,
      slow: workerPool.slow,
      lateMs: workerPool.lateMs,
    }),
    stop() {
      stopped.abort()
      remote.stopAsking()
      workerPool.stop()
    },
  }
}

async function openPlan(
  { settings, remote, journal }: RemoteWorkerParts,
  stop: AbortSignal,
  renew: () => void,
): Promise<LivePlan> {
  const { collection, workers, visits, verbose, quiet, dnsServers } = settings
  const own = { collection, workers, visits, verbose, quiet, dnsServers }
  const read = planReader(remote, (plan) => crawlPlanOf(plan, own, collection, realDisk))
  return new LivePlan(await read(), { clock: realClock, journal, read, renew, stop })
}

/** The end of a volunteer: volumes are brought where they belong, servers hear that it leaves, reports are delivered. */

interface Leaving {
  remote: RemoteServers
  locations: OpenLocations
  journal: Journal<Event>
  version: string
}

/** Over a slow line a volume takes longer than anybody waits for an end: the rest is shipped at the next start. */
const SHIPPING: Millis = 60_000
/** That it leaves is told if a server hears it within this. */
const LAST_WORD: Millis = 2000
/** Reports that are left have this long to be delivered; then they wait for the next start. */
const FAREWELL: Millis = 20_000

/** Says how many parts of reports wait here. */
async function sayFarewell({ remote, locations, journal, version }: Leaving): Promise<number> {
  await inTime(realClock, SHIPPING, shipAll(locations, journal))
  // Else it would be missed: status says of who falls silent that it may be dead.
  const gone = { visits: 0, lateMs: 0, pagesPerSecond: 0, state: 'ending', version } as const
  await inTime(realClock, LAST_WORD, remote.alive(gone)).catch(() => {})
  const undelivered = await remote.close(FAREWELL)
  locations.close()
  return undelivered
}

async function shipAll({ list }: OpenLocations, journal: Journal<Event>): Promise<void> {
  const waits = (error: unknown) => journal.tell({ kind: 'trouble', what: `volumes wait here: ${error}` })
  // Whole volumes whose place failed at the end: once more, to the next.
  for (let round = 1; round <= 2; round++) {
    await list.ship().catch(waits)
    await list.settled().catch(waits)
  }
}

/** What a volunteer does every so often, beside visiting: its threads are watched, servers told, the plan is read again. */

interface Rounds {
  workerPool: WorkerPool
  /** A thread that writes where nothing is to be written any more. */
  isStale(worker: string): boolean
  /** The most threads, and the most sites of one. */
  workers: number
  visits: number
  remote: RemoteServers
  live: LivePlan
  journal: Journal<Event>
  version: string
  /** Pages since it was started. */
  pages(): number
  isStopping(): boolean
  /** The servers' time is so far ahead: told to the threads. */
  tellAhead(): void
  /** Nothing can go on. */
  fault(error: unknown): void
}

const TICK: Millis = 1000
const ALIVE_EVERY: Millis = 10_000
const PLAN_EVERY: Millis = 60_000

async function goRounds(tools: Rounds, over: AbortSignal): Promise<void> {
  await Promise.all([
    every(TICK, over, watching(tools)).catch(tools.fault),
    every(ALIVE_EVERY, over, telling(tools)).catch(tools.fault),
    every(PLAN_EVERY, over, readingAgain(tools)),
  ])
}

function watching({ workerPool, isStale, workers, visits, tellAhead }: Rounds): () => Promise<void> {
  const isWorthIt = anotherThread()
  return async () => {
    tellAhead()
    await workerPool.watch()
    workerPool.renew(isStale)
    // How many sites wait is the servers' to know: those that are out here must say it.
    const view = { threads: workerPool.size, full: workerPool.isFull(visits), free: 0, leased: workerPool.visits }
    if (workerPool.size > 0 && workerPool.size < workers && isWorthIt(view)) workerPool.start()
  }
}

function telling({ workerPool, remote, version, pages, isStopping }: Rounds): () => Promise<void> {
  let told = pages()
  return async () => {
    const now = pages()
    const pagesPerSecond = Math.max(0, now - told) / (ALIVE_EVERY / 1000)
    told = now
    const state = isStopping() ? 'ending' : 'working'
    await remote.alive({ visits: workerPool.visits, lateMs: workerPool.lateMs, pagesPerSecond, state, version })
  }
}

/** Black lists, too: the files that the plan names are written anew when they have changed, and the threads see it. */
function readingAgain({ live, journal, isStopping }: Rounds): () => Promise<void> {
  return async () => {
    await live.readAgain().catch((error) => {
      if (!isStopping()) journal.tell({ kind: 'trouble', what: `the plan cannot be read again: ${error}` })
    })
  }
}

async function every(ms: Millis, over: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!over.aborted) {
    await realClock.sleep(ms, over)
    if (!over.aborted) await work()
  }
}

/** The servers' doors as the threads of a volunteer see them. */

/** A crawl that is over may get more to do. */
const IDLE_REST: Millis = 1000

/** What is visited is visited by the servers' plan of now. Who is not to end with the crawl does not hear that it is over. */
function remoteWorkerSources(remote: RemoteServers, live: LivePlan, endsWithCrawl: boolean): CoordinatorCalls {
  return {
    ...remote,
    async checkOut(worker, atMost) {
      const { visits, next } = await remote.checkOut(worker, atMost)
      await live.check(visits)
      return { visits, next: next === 'over' && !endsWithCrawl ? IDLE_REST : next }
    },
  }
}

/** Reads the plan anew only when it is another: it may name millions of seeds, and is asked for every minute. */
function planReader(
  remote: Pick<RemoteServers, 'plan'>,
  read: (plan: PlanForWorkers) => Promise<CrawlPlan>,
): () => Promise<CrawlPlan> {
  let last: { told: PlanForWorkers; plan: CrawlPlan } | undefined
  return async () => {
    const told = await remote.plan()
    if (last?.told !== told) last = { told, plan: await read(told) }
    return last.plan
  }
}
