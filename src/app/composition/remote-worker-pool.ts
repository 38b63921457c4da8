/** The threads of a volunteer, from the first plan until all have ended and what they brought is told. */
import type { Worker } from 'node:worker_threads'
import { finishesWithin, type Millis, realClock } from '../../base/clock.ts'
import { isDiskFull, isOfDisk } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { RemoteServers } from '../../cluster/wire/remote-coordinator.ts'
import { DigestFilter } from '../../collection/captures/digest-filter.ts'
import type { Event } from '../../contracts/events.ts'
import type { Settings } from '../config/keys.ts'
import { tooManyDeaths } from './deaths.ts'
import { LivePlan } from './live-plan.ts'
import type { OpenLocations } from './open-locations.ts'
import { crawlPlanOf } from './plan-for-workers.ts'
import { sayFarewell } from './remote-worker-leave.ts'
import { goRounds } from './remote-worker-rounds.ts'
import { planReader, remoteWorkerSources } from './remote-worker-sources.ts'
import type { ThreadNotes } from './thread-notes.ts'
import { WorkerPool } from './worker-pool.ts'
import { loadThread } from './worker-thread.ts'

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
    await finishesWithin(realClock, LEAVING, locations.list.leave(folder, why)).catch(() => {})
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
      journal.record({ kind: 'worker-restarted', worker, why: String(error) })
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
