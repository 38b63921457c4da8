/**
 * Workers for a house elsewhere: the crew of an embedded crawl, with the doors of a server over HTTP instead of those of
 * this process. What cannot be delivered is kept on this machine's disk; the folder of the worker is all that it has.
 */
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { type Millis, realClock } from '../base/clock.ts'
import { isDiskFull, Problem } from '../base/errors.ts'
import { Readers } from '../base/journal.ts'
import { freshId, freshSeed, type Random, seededRandom } from '../base/random.ts'
import { realDisk } from '../base/real-disk.ts'
import { replaceFile } from '../base/replace-file.ts'
import { DigestFilter } from '../collection/captures/digest-filter.ts'
import { repairVolumes } from '../collection/volumes/repair.ts'
import type { Settings } from '../config/keys.ts'
import { type Lock, lockCollection } from '../database/lock.ts'
import type { Event } from '../visit/events.ts'
import type { HouseCalls } from '../wire/calls.ts'
import { joinServers, type RemoteServers, reachServers } from '../wire/http/remote-house.ts'
import { anotherThread } from './another-thread.ts'
import { Crew } from './crew.ts'
import { tooManyDeaths } from './deaths.ts'
import { LivePlan } from './live-plan.ts'
import { type OpenPlaces, openPlaces } from './open-places.ts'
import { crawlPlanOf } from './plan-for-workers.ts'
import { loadThread } from './worker-thread.ts'

export interface WorkerStart {
  version: string
  journal?: (event: Event) => void
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
  placesReplaced: number
  /** How long no server has answered; undefined when the last one did. */
  lostMs: Millis | undefined
  slow: { site: string; why: string }[]
  lateMs: Millis
}

export interface WorkerHandle {
  name: string
  done: Promise<{ why: 'complete' | 'interrupted'; undelivered: number }>
  snapshot(): WorkerSnapshot
  stop(): void
}

const OUTBOX_BYTES = 2 ** 30
/** How long a check-out waits at the server for a site to become free. */
const POLL: Millis = 20_000
const TICK: Millis = 1000
const ALIVE_EVERY: Millis = 10_000
const PLAN_EVERY: Millis = 60_000
/** At the end, reports that are left have this long to be delivered; then they wait for the next start. */
const FAREWELL: Millis = 20_000
/** That it leaves is told if a server hears it within this. */
const LAST_WORD: Millis = 2000
/** And so long volumes have to be shipped. */
const SHIPPING: Millis = 60_000
const LIFE_LETTERS = 8
/** A crawl that is over may get more to do. */
const IDLE_REST: Millis = 1000
const IDENTITY_FILE = 'worker.json'
/** Payloads that others have brought are not known here: those are stored twice, and that is counted. */
const NO_FILTER = DigestFilter.ofBits(1024)
NO_FILTER.markFilled()

/** `thread`: the first worker thread, if that was loaded already; from here on it belongs to the worker. */
export async function startWorker(
  settings: Settings,
  options: WorkerStart,
  thread: Worker = loadThread(),
): Promise<WorkerHandle> {
  try {
    return await openWorker(settings, options, thread)
  } catch (error) {
    await thread.terminate()
    throw error
  }
}

async function openWorker(settings: Settings, options: WorkerStart, thread: Worker): Promise<WorkerHandle> {
  const folder = settings.collection
  for (const inside of ['', 'archive']) realDisk.makeFolder(join(folder, inside))
  await realDisk.syncFolder(folder)
  await realDisk.syncFolder(dirname(resolve(folder)))
  const lock = lockCollection(folder)
  const journal = new Readers<Event>()
  if (options.journal !== undefined) journal.read(options.journal)
  let remote: RemoteServers | undefined
  try {
    const name = settings.name ?? plainHostname()
    const random = seededRandom(freshSeed())
    const identity = await identityIn(folder, settings, name, options.version, random)
    const archive = join(folder, 'archive')
    // What a kill left: the catalogue is not here, so each volume is looked through from its beginning.
    await repairVolumes(realDisk, archive, journal)
    const volumes: RemoteServers['volumes'] = {
      append: (...args) => remote!.volumes.append(...args),
      seal: (...args) => remote!.volumes.seal(...args),
      placed: (...args) => remote!.volumes.placed(...args),
    }
    const places = await openPlaces({ settings, disk: realDisk, archive, volumes, journal })
    remote = reachServers({
      servers: settings.server,
      identity,
      life: freshId().slice(0, LIFE_LETTERS),
      clock: realClock,
      random,
      journal,
      disk: realDisk,
      outboxFolder: join(folder, 'outbox'),
      outboxBytes: OUTBOX_BYTES,
      pollMs: POLL,
      ready: () => places.list.ship(),
    })
    const host = `${name}-${identity.worker.slice(0, LIFE_LETTERS)}`
    return await runCrew({ settings, options, thread, folder, host, remote, journal, lock, random, places })
  } catch (error) {
    await remote?.close(0)
    lock.release()
    throw error
  }
}

interface Openings {
  settings: Settings
  options: WorkerStart
  thread: Worker
  folder: string
  /** For the names of volumes: no other worker has it. */
  host: string
  remote: RemoteServers
  journal: Readers<Event>
  lock: Lock
  random: Random
  places: OpenPlaces
}

async function runCrew(openings: Openings): Promise<WorkerHandle> {
  const { settings, options, folder, host, remote, journal, random } = openings
  const { workers, visits, verbose, quiet, dnsServers } = settings
  const own = { collection: folder, workers, visits, verbose, quiet, dnsServers }
  const readPlan = async () => crawlPlanOf(await remote.plan(), own, folder, realDisk)
  const stopped = new AbortController()
  const live = new LivePlan(await readPlan(), {
    clock: realClock,
    journal,
    read: readPlan,
    renew: () => crew.renew(),
    stop: stopped.signal,
  })
  const done = { pages: 0, bytes: 0 }
  journal.read((event) => {
    if (event.kind !== 'checked-in') return
    done.pages += event.pages
    done.bytes += event.bytes
  })
  const ahead = new SharedArrayBuffer(8)
  const over = new AbortController()
  let failure: unknown
  let why: 'complete' | 'interrupted' = 'complete'
  const isTooMany = tooManyDeaths(realClock)
  const fault = (error: unknown) => {
    failure ??= error
    void crew.end()
  }
  const crew: Crew = new Crew({
    loaded: openings.thread,
    load: loadThread,
    house: byPlan(untilDone(remote, settings.untilDone), live),
    clock: realClock,
    journal,
    silentMs: settings.watchdog,
    dataFor: (worker, slot) => ({
      plan: live.plan,
      worker,
      archive: join(folder, 'archive'),
      host,
      ahead,
      slot,
      filter: NO_FILTER.shared,
      randomSeed: random.integer(2 ** 31),
    }),
    async hung(worker, reading) {
      await remote.unreadable(worker, reading)
      await remote.leave(worker)
    },
    async died(worker, error) {
      if (isDiskFull(error) || failure !== undefined) return fault(error)
      journal.tell({ kind: 'worker-restarted', worker, why: String(error) })
      if (isTooMany()) return fault(error)
      await remote.leave(worker)
    },
    fault,
  })
  const tellAhead = () => Atomics.store(new BigInt64Array(ahead), 0, BigInt(Math.round(remote.clock.offset())))
  tellAhead()
  crew.start()

  const snapshot = (): WorkerSnapshot => ({
    visits: crew.visits,
    ...done,
    undelivered: remote.undelivered,
    placesReplaced: openings.places.list.failures,
    lostMs: remote.lostMs,
    slow: crew.slow,
    lateMs: crew.lateMs,
  })
  const isWorthIt = anotherThread()
  const keepCrew = every(TICK, over.signal, async () => {
    tellAhead()
    await crew.watch()
    // How many sites wait is the servers' to know: those that are out here must say it.
    const look = { threads: crew.size, full: crew.isFull(visits), free: 0, leased: crew.visits }
    if (crew.size > 0 && crew.size < workers && isWorthIt(look)) crew.start()
  }).catch(fault)
  let told = done.pages
  const tellServers = every(ALIVE_EVERY, over.signal, async () => {
    const pagesPerSecond = Math.max(0, done.pages - told) / (ALIVE_EVERY / 1000)
    told = done.pages
    const state = why === 'complete' ? 'working' : 'ending'
    await remote.alive({ visits: crew.visits, lateMs: crew.lateMs, pagesPerSecond, state, version: options.version })
  }).catch(fault)
  // Black lists, too: the files that the plan names are written anew when they have changed, and the threads see it.
  const readAgain = every(PLAN_EVERY, over.signal, async () => {
    await live.readAgain().catch((error) => {
      if (!stopped.signal.aborted) journal.tell({ kind: 'trouble', what: `the plan cannot be read again: ${error}` })
    })
  })

  const finish = async () => {
    try {
      await crew.ended()
    } finally {
      over.abort()
      await Promise.all([keepCrew, tellServers, readAgain])
    }
    const { list, close } = openings.places
    const waits = (error: unknown) => journal.tell({ kind: 'trouble', what: `volumes wait here: ${error}` })
    const shipAll = async () => {
      await list.ship().catch(waits)
      await list.settled()
      // Whole volumes whose place failed at the end: once more, to the next.
      await list.ship().catch(waits)
      await list.settled()
    }
    // Over a slow line a volume takes longer than anybody waits for an end: the rest is shipped at the next start.
    const isShipped = new AbortController()
    void shipAll()
      .catch(waits)
      .finally(() => isShipped.abort())
    await realClock.sleep(SHIPPING, isShipped.signal)
    // Else it would be missed: status says of who falls silent that it may be dead.
    const gone = { visits: 0, lateMs: 0, pagesPerSecond: 0, state: 'ending', version: options.version } as const
    const told = new AbortController()
    void remote
      .alive(gone)
      .catch(() => {})
      .finally(() => told.abort())
    await realClock.sleep(LAST_WORD, told.signal)
    const undelivered = await remote.close(FAREWELL)
    close()
    openings.lock.release()
    if (failure !== undefined) throw failure
    return { why, undelivered }
  }
  return {
    name: host,
    done: finish(),
    snapshot,
    stop() {
      why = 'interrupted'
      stopped.abort()
      remote.stopAsking()
      crew.stop()
    },
  }
}

/** Who is to wait for more when the crawl is over does not hear that it is. */
function untilDone(remote: RemoteServers, isToEnd: boolean): HouseCalls {
  if (isToEnd) return remote
  return {
    ...remote,
    async checkOut(worker, atMost) {
      const { visits, next } = await remote.checkOut(worker, atMost)
      return { visits, next: next === 'over' ? IDLE_REST : next }
    },
  }
}

/** What is visited is visited by the servers' plan of now. */
function byPlan(calls: HouseCalls, live: LivePlan): HouseCalls {
  return {
    ...calls,
    async checkOut(worker, atMost) {
      const out = await calls.checkOut(worker, atMost)
      await live.check(out.visits)
      return out
    },
  }
}

/** The worker that this folder was before, or a new one. */
async function identityIn(folder: string, settings: Settings, name: string, version: string, random: Random) {
  const path = join(folder, IDENTITY_FILE)
  const size = realDisk.size(path)
  if (size !== undefined) return readIdentity(path, size)
  const { joinSecret: join_, region } = settings
  const who = { name, version, ...(region && { region }), ...(join_ && { join: join_ }) }
  const identity = await joinServers(settings.server, who, { clock: realClock, random })
  await replaceFile(realDisk, path, `${JSON.stringify(identity)}\n`, 0o600)
  return identity
}

function readIdentity(path: string, size: number): { worker: string; secret: string } {
  try {
    const { worker, secret } = JSON.parse(new TextDecoder().decode(realDisk.read(path, 0, Math.min(size, 10_000))))
    if (typeof worker === 'string' && typeof secret === 'string') return { worker, secret }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Problem(
    'unreadable',
    `${path} is damaged; remove it, and the worker joins anew (reports in its outbox are then no longer its own)`,
  )
}

/** What a name of a worker may hold. */
function plainHostname(): string {
  return (
    hostname()
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 40) || 'worker'
  )
}

async function every(ms: Millis, over: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!over.aborted) {
    await realClock.sleep(ms, over)
    if (!over.aborted) await work()
  }
}
