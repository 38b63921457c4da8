/** The threads of a remote worker, from the first plan until all have ended and their reports are delivered. */
import type { Worker } from 'node:worker_threads'
import { every, finishesWithin, type Millis, realClock } from '../../base/clock.ts'
import { watchComputer } from '../../base/computer.ts'
import type { Readers } from '../../base/journal.ts'
import type { Random } from '../../base/random.ts'
import { DigestFilter } from '../../collection/captures/digest-filter.ts'
import type { OpenLocations } from '../../collection/locations/volume-locations.ts'
import type { PlanForWorkers } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { FindCopy } from '../../contracts/ports.ts'
import { type ThreadNotes, WorkerPool } from '../../crawl/worker/worker-pool.ts'
import type { Computer } from '../wire/calls.ts'
import type { RemoteServers } from '../wire/remote-coordinator.ts'
import { livePlan } from './live-plan.ts'

/** What threads do, as composition decides. */
export interface ThreadOptions<Plan> {
  /** The first worker thread, loaded already, and every other one. */
  thread: Worker
  loadThread(): Worker
  readPlan(plan: PlanForWorkers): Promise<Plan>
  /** Whether a plan wants a URL. */
  wantedBy(plan: Plan): (url: string) => boolean
  /** Limits: threads, and sites of one. */
  workers: number
  visits: number
  /** A thread that is silent for this long is replaced. */
  silentMs: Millis
  /** It ends with the crawl instead of waiting for more. */
  untilDone: boolean
}

export interface RunParts<Plan> extends ThreadOptions<Plan> {
  version: string
  /** In the names of its volumes; no other worker has it. */
  host: string
  remote: RemoteServers
  journal: Readers<Event>
  random: Random
  locations: OpenLocations
  notes: ThreadNotes
}

/**
 * `visits`: sites that it visits now. `pages`, `bytes`: since it was started. `undelivered`: report parts that wait here for a server.
 * `locationsReplaced`: how often a location for volumes failed and the next one took over. `lostMs`: how long no server has answered;
 * undefined when the last one did.
 */
export type WorkerSnapshot = ReturnType<Awaited<ReturnType<typeof runThreads>>['snapshot']>

/** It is not filled, so threads ask this process about every payload. */
const NO_FILTER = DigestFilter.ofBits(1024)
/** 2 MB: of a million payloads, one in a hundred is asked for in vain. */
const SEEN_BITS = 2 ** 24

/**
 * Asks the servers only for payloads that came to this worker before: their catalogue says whether that report was applied.
 * Payloads that came to other workers only are not known here. They are stored twice, and counted.
 */
export function askIfSeen(find: FindCopy, bits = SEEN_BITS): FindCopy {
  const seen = DigestFilter.ofBits(bits)
  seen.markFilled()
  return async (digest) => {
    if (seen.mayHave(digest)) return find(digest)
    seen.add(digest)
    return undefined
  }
}

/** Threads wait this long for volumes to reach the next location: over a slow line it may take longer. */
const LEAVE_WITHIN: Millis = 20_000

export async function runThreads<Plan extends { version: string }>(parts: RunParts<Plan>) {
  const { host, remote, journal, random, locations, notes } = parts
  const stopped = new AbortController()
  const live = await openPlan(parts, stopped.signal, () => threads.renew())
  // Threads begin visits only by the servers' current plan.
  remote.onVisits = (visits) => live.check(visits)
  const done = { pages: 0, bytes: 0 }
  journal.read((event) => {
    if (event.kind !== 'checked-in') return
    done.pages += event.pages
    done.bytes += event.bytes
  })
  const threads = new WorkerPool<Plan>({
    loaded: parts.thread,
    load: parts.loadThread,
    coordinator: {
      checkOut: (worker, atMost) => remote.checkOut(worker, atMost),
      enter: (worker, visit, address) => remote.enter(worker, visit, address),
      renew: (worker, visits) => remote.renew(worker, visits),
      accept: (worker, sealed) => remote.accept(worker, sealed),
      findCopy: askIfSeen(remote.findCopy),
    },
    clock: realClock,
    journal,
    silentMs: parts.silentMs,
    workers: parts.workers,
    visits: parts.visits,
    plan: () => live.plan,
    host,
    filter: NO_FILTER.shared,
    random,
    offset: () => remote.clock.offset(),
    folder: () => locations.list.folder,
    leaveFolder: (folder, why) => leaveFolder(locations, folder, why),
    begin: (worker) => notes.begin(remote.nameOf(worker)),
    async unreadable(worker, reading) {
      await remote.unreadable(worker, reading)
      await remote.leave(worker)
    },
    lose: (worker) => remote.leave(worker),
  })
  const { fault } = threads
  const followOrders = await startSteered(remote, threads)

  const over = new AbortController()
  const isStopping = () => stopped.signal.aborted
  const watch = async () => {
    await threads.watch()
    // Only the servers know how many sites wait; those leased here must do.
    threads.grow({ free: 0, leased: threads.visits })
  }
  const rounds = Promise.all([
    every(realClock, SECOND, over.signal, watch).catch(fault),
    every(
      realClock,
      ALIVE_EVERY,
      over.signal,
      reportAlive(parts, threads, () => done, isStopping),
    ).catch(fault),
    followOrders(AbortSignal.any([over.signal, stopped.signal])).catch(fault),
    // Blacklists too: the files that the plan names are written again when they have changed, and the threads see it.
    every(realClock, PLAN_EVERY, over.signal, () =>
      live.readAgain().catch((error) => {
        if (!isStopping()) journal.record({ kind: 'trouble', what: `the plan cannot be read again: ${error}` })
      }),
    ),
  ])
  const finish = async () => {
    try {
      await threads.ended()
    } finally {
      over.abort()
      // A poll for orders would hold the end up for 20 s, and the servers may be gone before the volumes are shipped.
      remote.stopAsking()
      await rounds
    }
    const undelivered = await leaveServers(parts)
    if (threads.failure !== undefined) throw threads.failure
    if (undelivered === 0) notes.clear()
    return { why: isStopping() ? ('interrupted' as const) : ('complete' as const), undelivered }
  }
  return {
    done: finish(),
    snapshot: () => ({
      visits: threads.visits,
      ...done,
      undelivered: remote.undelivered,
      locationsReplaced: locations.list.failures,
      lostMs: remote.lostMs,
      slow: threads.slow,
      lateMs: threads.lateMs,
    }),
    stop() {
      stopped.abort()
      remote.stopAsking()
      threads.stop()
    },
  }
}

async function leaveFolder({ list }: OpenLocations, folder: string, why: unknown): Promise<boolean> {
  // The obstacle to the next location will show again with the next report.
  await finishesWithin(realClock, LEAVE_WITHIN, list.leave(folder, why)).catch(() => {})
  return list.folder !== folder
}

const ORDERS_POLL: Millis = 20_000
const ORDERS_REST: Millis = 1000

/** The threads know what operators decided before their first visit, as far as a server answers. Returns what follows the rest. */
async function startSteered(
  remote: RemoteServers,
  pool: WorkerPool<unknown>,
): Promise<(over: AbortSignal) => Promise<void>> {
  let since = 0
  const learn = async (waitMs: Millis): Promise<'news' | 'nothing' | 'lost'> => {
    const orders = await remote.orders(since, waitMs)
    if (orders === undefined) return 'lost'
    if (orders.version <= since) return 'nothing'
    pool.order(orders)
    since = orders.version
    return 'news'
  }
  while ((await learn(0)) === 'news');
  pool.start()
  return async (over) => {
    while (!over.aborted) if ((await learn(ORDERS_POLL)) === 'lost') await realClock.sleep(ORDERS_REST, over)
  }
}

/** The plan is parsed again only when it has changed: it may name millions of seeds, and is asked for every minute. */
async function openPlan<Plan extends { version: string }>(
  { remote, journal, readPlan, wantedBy }: RunParts<Plan>,
  stop: AbortSignal,
  renew: () => void,
) {
  let last: { received: PlanForWorkers; plan: Plan } | undefined
  const read = async () => {
    const received = await remote.plan()
    if (last?.received !== received) last = { received, plan: await readPlan(received) }
    return last.plan
  }
  return livePlan(await read(), { clock: realClock, journal, read, wantedBy, renew, stop })
}

const SECOND: Millis = 1000
const ALIVE_EVERY: Millis = 10_000
const PLAN_EVERY: Millis = 60_000

function reportAlive(
  { remote, version, locations }: Pick<RunParts<unknown>, 'remote' | 'version' | 'locations'>,
  pool: WorkerPool<unknown>,
  done: () => { pages: number; bytes: number },
  isStopping: () => boolean,
): () => Promise<void> {
  let before = { ...done() }
  let fastest = 0
  const look = watchComputer()
  return async () => {
    const now = { ...done() }
    const perSecond = (of: 'pages' | 'bytes') => Math.max(0, now[of] - before[of]) / (ALIVE_EVERY / 1000)
    const [pagesPerSecond, bytesPerSecond] = [perSecond('pages'), perSecond('bytes')]
    before = now
    fastest = Math.max(fastest, bytesPerSecond)
    const state = isStopping() ? 'ending' : 'working'
    const speed = { bytesPerSecond, fastestBytesPerSecond: fastest }
    const computer: Computer = { ...look(locations.list.folder), ...speed }
    const figures = { visits: pool.visits, lateMs: pool.lateMs, pagesPerSecond, state, version } as const
    await remote.alive({ ...figures, computer, clockOffsetMs: remote.clock.offset() })
  }
}

/** The rest is shipped at the next start: over a slow line a volume may take longer. */
const SHIP_WITHIN: Millis = 60_000
const GOODBYE_WITHIN: Millis = 2000
/** Reports that are not delivered by then wait for the next start. */
const DELIVER_WITHIN: Millis = 20_000

/** Ships volumes, says goodbye, delivers reports. Returns how many report parts wait here. */
async function leaveServers({
  remote,
  locations,
  journal,
  version,
}: Pick<RunParts<never>, 'remote' | 'locations' | 'journal' | 'version'>): Promise<number> {
  const shipAll = async () => {
    const waits = (error: unknown) => journal.record({ kind: 'trouble', what: `volumes wait here: ${error}` })
    // Complete volumes whose location failed at the end go to the next one in a second round.
    for (let round = 1; round <= 2; round++) {
      await locations.list.ship().catch(waits)
      await locations.list.settled().catch(waits)
    }
  }
  await finishesWithin(realClock, SHIP_WITHIN, shipAll())
  // Without it `status` would show a silent worker that may be dead.
  const gone = { visits: 0, lateMs: 0, pagesPerSecond: 0, state: 'ending', version } as const
  await finishesWithin(realClock, GOODBYE_WITHIN, remote.alive(gone)).catch(() => {})
  const undelivered = await remote.close(DELIVER_WITHIN)
  locations.close()
  return undelivered
}
