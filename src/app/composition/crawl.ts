/** A whole crawl on this machine: the coordinator in this thread, workers in theirs, until it is over or told to stop. */
import { hostname } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { realClock } from '../../base/clock.ts'
import { isDiskFull, isOfDisk, Problem } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import { freshId } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { Event } from '../../contracts/events.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import type { Settings } from '../config/keys.ts'
import { anotherThread } from './another-thread.ts'
import { blacklistPaths, readBlacklists } from './blacklist-files.ts'
import type { Coordinator } from './coordinator.ts'
import { type CrawlSnapshot, CrawlView, TICK } from './crawl-view.ts'
import { openCrawlVolumes } from './crawl-volumes.ts'
import { type CrawlWhy, exitOf } from './crawl-why.ts'
import { tooManyDeaths } from './deaths.ts'
import { mirrorFileOf, readMirrorFile } from './mirror-file.ts'
import type { LeftMirror } from './mirror-maintenance.ts'
import { openForWriting, type WritingOptions } from './open-for-writing.ts'
import { type SeedsInTheEnd, seedsInTheEnd } from './open-seeds.ts'
import { type CrawlPlan, urlsOf } from './plan.ts'
import { scopeFor } from './scope-for.ts'
import { scopeSeeds } from './scope-seeds.ts'
import { ThreadNotes } from './thread-notes.ts'
import { recordUnreadable } from './watchdog.ts'
import { WorkerPool } from './worker-pool.ts'
import { loadThread } from './worker-thread.ts'

export interface CrawlEnd {
  why: CrawlWhy
  exit: number
  documents: number
  seeds: SeedsInTheEnd
  /** Pairs of the list of mirrors that are none any more. */
  mirrorsLeft: readonly LeftMirror[]
}

export interface CrawlHandle {
  done: Promise<CrawlEnd>
  snapshot(): CrawlSnapshot
  stop(): void
}

export type CrawlOptions = WritingOptions

/** `thread`: its first worker thread, if that was loaded already; from here on it belongs to the crawl. */
export async function startCrawl(
  settings: Settings,
  options: CrawlOptions,
  thread: Worker = loadThread(),
): Promise<CrawlHandle> {
  try {
    return await openCrawl(settings, options, thread)
  } catch (error) {
    await thread.terminate()
    throw error
  }
}

async function openCrawl(settings: Settings, options: CrawlOptions, thread: Worker): Promise<CrawlHandle> {
  const folder = settings.collection
  readBlacklists(blacklistPaths(settings), realDisk)
  const mirrors = mirrorFileOf(settings, folder, realDisk)
  if (mirrors !== undefined) readMirrorFile(realDisk, mirrors)
  const { coordinator, journal, close } = await openForWriting(settings, options)
  try {
    const { seeds, alternates } = await scopeSeeds(coordinator.parts)
    if (seeds.length === 0) {
      throw new Problem(
        'no-seeds',
        `nothing to collect in ${folder}: name seeds, for instance orbweaver crawl https://www.example.org/`,
      )
    }
    const plan: CrawlPlan = { settings, seeds, alternates, version: options.version }
    checkSeedsInScope(plan)
    return await runCrawl(
      plan,
      options.seeds.map(({ href }) => href),
      coordinator,
      journal,
      thread,
      close,
    )
  } catch (error) {
    await close()
    throw error
  }
}

/** Nothing could ever be collected: the operator should hear that before the crawl, not wonder after it. */
function checkSeedsInScope(plan: CrawlPlan): void {
  const seeds = plan.seeds.map(urlsOf(plan.settings).parse).filter((seed) => seed !== undefined)
  const scope = scopeFor(plan.settings, seeds, () => emptyBlacklist)()
  let first: string | undefined
  for (const seed of seeds) {
    const finding = scope.judge(seed, 0)
    if (finding.yes) return
    first ??= `${seed.href}: ${finding.rule}`
  }
  throw new Problem('no-seeds', `none of the seeds is in the scope (${first}); change --scope, --include or --exclude`)
}

/** Adds seeds without crawling. */
export async function addSeeds(settings: Settings, options: CrawlOptions): Promise<{ added: number; known: number }> {
  const { fresh, close } = await openForWriting(settings, options)
  await close()
  return { added: fresh, known: options.seeds.length - fresh }
}

async function runCrawl(
  plan: CrawlPlan,
  /** The seeds of this command. */
  named: readonly string[],
  coordinator: Coordinator,
  journal: Readers<Event>,
  thread: Worker,
  close: () => Promise<void>,
): Promise<CrawlHandle> {
  const { settings } = plan
  const { database, folder, random } = coordinator.parts
  const volumes = await openCrawlVolumes(coordinator, journal)
  /** Where each thread writes. */
  const folders = new Map<string, string>()
  const over = new AbortController()
  // The coordinator goes by its database's time, which may not be this machine's.
  const ahead = new SharedArrayBuffer(8)
  const tellAhead = () => {
    const ms = Math.round(coordinator.parts.clock.now() - realClock.now())
    Atomics.store(new BigInt64Array(ahead), 0, BigInt(ms))
  }
  tellAhead()
  let why: CrawlWhy = 'complete'
  let failure: unknown
  const lose = async (worker: string) => {
    await coordinator.frontier.filled(worker)
    await database.transact((tx) => coordinator.frontier.ledger.lose(tx, worker))
  }
  const fault = (error: unknown) => {
    failure ??= error
    void workerPool.end()
  }
  // Over a shared database leases outlive a process that is killed, unless the next one in its folder gives them back.
  const threads = database.dialect === 'postgres' ? new ThreadNotes(coordinator.parts.disk, folder) : undefined
  await coordinator.intake.idle()
  for (const thread of threads?.earlier ?? []) await lose(thread)
  threads?.clear()
  const isTooMany = tooManyDeaths(realClock, settings.workers)
  const workerPool: WorkerPool = new WorkerPool({
    loaded: thread,
    load: loadThread,
    ...(threads && { prefix: `${freshId()}-` }),
    coordinator: volumes.calls,
    clock: realClock,
    journal,
    silentMs: settings.watchdog,
    dataFor(worker, slot) {
      const archive = volumes.folder
      folders.set(worker, archive)
      threads?.begin(worker)
      const { shared } = coordinator.filter
      const randomSeed = random.integer(2 ** 31)
      return { plan, worker, archive, host: hostname(), ahead, slot, filter: shared, randomSeed }
    },
    async hung(worker, reading) {
      await recordUnreadable(reading, {
        database,
        ledger: coordinator.frontier.ledger,
        intake: coordinator.intake,
        clock: coordinator.parts.clock,
        urls: coordinator.urls,
      })
      await lose(worker)
    },
    async died(worker, error) {
      const isElsewhere = isOfDisk(error) && (await volumes.leave(folders.get(worker)!, error))
      if ((isDiskFull(error) && !isElsewhere) || failure !== undefined) return fault(error)
      journal.record({ kind: 'worker-restarted', worker, why: String(error) })
      if (isTooMany()) return fault(error)
      await coordinator.intake.idle()
      await lose(worker)
    },
    fault,
  })
  const stop = (reason: CrawlWhy) => {
    if (why === 'complete') why = reason
    coordinator.frontier.stop()
    workerPool.stop()
  }
  const view = new CrawlView(coordinator, workerPool)
  await view.refresh().catch((error) => {
    volumes.close()
    throw error
  })
  journal.record({ kind: 'crawl-begun', resumed: view.totals.urls.marked > 0 })
  workerPool.start()
  const cancelTime = settings.maxTime === undefined ? () => {} : realClock.after(settings.maxTime, () => stop('time'))

  const { maxPages, maxSize } = settings
  const isTooLarge = () => maxSize !== undefined && (view.counters.get('bytes') ?? 0) >= maxSize
  const isNeeded = anotherThread()
  const keep = async () => {
    while (!over.signal.aborted) {
      await realClock.sleep(TICK, over.signal)
      tellAhead()
      await coordinator.tick()
      await workerPool.watch()
      // One that is full or fails: whoever writes there ends what is in flight, and others begin in the next.
      workerPool.renew((worker) => folders.get(worker) !== volumes.folder)
      await view.refresh()
      const { free, leased } = view.totals.sites
      const load = { threads: workerPool.size, full: workerPool.isFull(settings.visits), free, leased }
      if (workerPool.size > 0 && workerPool.size < settings.workers && isNeeded(load)) workerPool.start()
      if (isTooLarge()) stop('size')
    }
  }
  let mirrorsLeft = 0
  /** A pair of the list that turns out to be none only now: what was entered at the original waits at the replica again. */
  const hasMore = async (): Promise<boolean> => {
    if (why !== 'complete' || failure !== undefined) return false
    await coordinator.intake.drain()
    await coordinator.mirrors.finish()
    if (coordinator.mirrors.left.length === mirrorsLeft) return false
    mirrorsLeft = coordinator.mirrors.left.length
    await view.refresh()
    return view.totals.urls.waiting > 0
  }
  const finish = async (): Promise<CrawlEnd> => {
    const keeping = keep().catch(fault)
    try {
      for (await workerPool.ended(); await hasMore(); await workerPool.ended()) workerPool.start()
    } catch (error) {
      fault(error)
      await workerPool.ended()
    }
    over.abort()
    cancelTime()
    await keeping
    let seeds: SeedsInTheEnd
    try {
      if (failure !== undefined) throw failure
      threads?.clear()
      await coordinator.finish()
      await volumes.finish()
      await view.refresh()
      seeds = await seedsInTheEnd(database, coordinator.frontier.ledger.view, named)
    } catch (error) {
      throw isDiskFull(error) ? diskFull(folder, error) : error
    } finally {
      volumes.close()
      await close().catch((error) => journal.record({ kind: 'trouble', what: String(error) }))
    }
    const documents = view.counters.get('documents') ?? 0
    if (why === 'complete' && view.totals.urls.waiting > 0)
      why = isTooLarge() ? 'size' : maxPages !== undefined ? 'pages' : why
    journal.record({ kind: 'crawl-over', why })
    return { why, exit: exitOf(why, seeds), documents, seeds, mirrorsLeft: coordinator.mirrors.left }
  }
  return { done: finish(), snapshot: () => view.snapshot(), stop: () => stop('interrupted') }
}

function diskFull(folder: string, cause: unknown): Problem {
  const what = `no room left on the disk of ${folder}; make room and give the same command again: nothing that was collected is lost`
  return new Problem('disk-full', what, { cause })
}
