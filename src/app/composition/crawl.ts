/** A whole crawl on this machine: the coordinator in this thread, workers in theirs, until it is over or told to stop. */
import { hostname } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { realClock } from '../../base/clock.ts'
import { isDiskFull, isOfDisk, Problem } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import { freshId } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { mirrorFileOf, readMirrorFile } from '../../collection/mirrors/mirror-file.ts'
import type { LeftMirror } from '../../collection/mirrors/mirror-maintenance.ts'
import type { Event } from '../../contracts/events.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { readBlacklists } from '../../crawl/scope/blacklist-files.ts'
import { anotherThread, ThreadNotes, tooManyDeaths, WorkerPool } from '../../crawl/worker/worker-pool.ts'
import type { Settings } from '../config/keys.ts'
import { type SeedSummary, scopeSeeds, seedSummary } from '../seeds/stored-seeds.ts'
import type { Coordinator } from './coordinator.ts'
import { type CrawlEndReason, type CrawlSnapshot, CrawlView, exitOf, TICK } from './crawl-view.ts'
import { type CrawlVolumes, openCrawlVolumes } from './crawl-volumes.ts'
import { openForWriting, type WritingOptions } from './open-for-writing.ts'
import { blacklistPaths, type CrawlPlan, parseUrls, scopeFor, urlsOf } from './plan.ts'
import { loadThread, type ThreadData } from './worker-thread.ts'

export interface CrawlEnd {
  why: CrawlEndReason
  exit: number
  documents: number
  seeds: SeedSummary
  /** Pairs of the list of mirrors that are mirrors no more. */
  mirrorsLeft: readonly LeftMirror[]
}

export interface CrawlHandle {
  done: Promise<CrawlEnd>
  snapshot(): CrawlSnapshot
  stop(): void
}

export type CrawlOptions = WritingOptions

/** `thread`: the first worker thread, if it was loaded already. The crawl ends it. */
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
  const mirrors = mirrorFileOf(settings.mirrors, folder, realDisk)
  if (mirrors !== undefined) readMirrorFile(realDisk, mirrors)
  const { coordinator, journal, close } = await openForWriting(settings, options)
  try {
    const { seeds, alternates } = await scopeSeeds(coordinator.parts)
    if (seeds.length === 0) {
      throw new Problem(
        'no-seeds',
        `no seeds given, and ${folder} has none: name some, for instance orbweaver crawl https://www.example.org/`,
      )
    }
    const plan: CrawlPlan = { settings, seeds, alternates, version: options.version }
    checkSeedsInScope(plan)
    const named = options.seeds.map(({ href }) => href)
    return await runCrawl({ plan, named, coordinator, journal, close }, thread)
  } catch (error) {
    await close()
    throw error
  }
}

/** Throws when nothing could ever be collected: better before the crawl than after it. */
function checkSeedsInScope(plan: CrawlPlan): void {
  const seeds = parseUrls(urlsOf(plan.settings), plan.seeds)
  const scope = scopeFor(plan.settings, seeds, () => emptyBlacklist)()
  let first: string | undefined
  for (const seed of seeds) {
    const judged = scope.judge(seed, 0)
    if (judged.yes) return
    first ??= `${seed.href}: ${judged.rule}`
  }
  throw new Problem('no-seeds', `none of the seeds is in the scope (${first}); change --scope, --include or --exclude`)
}

/** Adds seeds without crawling. */
export async function addSeeds(settings: Settings, options: CrawlOptions): Promise<{ added: number; known: number }> {
  const { fresh, close } = await openForWriting(settings, options)
  await close()
  return { added: fresh, known: options.seeds.length - fresh }
}

interface CrawlParts {
  plan: CrawlPlan
  /** The seeds of this command. */
  named: readonly string[]
  coordinator: Coordinator
  journal: Readers<Event>
  close(): Promise<void>
}

interface Run extends CrawlParts {
  volumes: CrawlVolumes
  threads: CrawlThreads
  view: CrawlView
  /** Undefined: it has not ended for a reason of its own. */
  why: CrawlEndReason | undefined
  failure: unknown
  stop(reason: CrawlEndReason): void
  /** Nothing can go on. */
  fault(error: unknown): void
}

async function runCrawl(parts: CrawlParts, thread: Worker): Promise<CrawlHandle> {
  const { coordinator, journal } = parts
  const volumes = await openCrawlVolumes(coordinator, journal)
  const fault = (error: unknown) => {
    run.failure ??= error
    void threads.pool.end()
  }
  const hasFailed = () => run.failure !== undefined
  const threads = await openThreads(parts, volumes, thread, hasFailed, fault)
  const view = new CrawlView(coordinator, threads.pool)
  const stop = (reason: CrawlEndReason) => {
    run.why ??= reason
    coordinator.frontier.stop()
    threads.pool.stop()
  }
  const run: Run = { ...parts, volumes, threads, view, why: undefined, failure: undefined, stop, fault }
  await view.refresh().catch((error) => {
    volumes.close()
    throw error
  })
  journal.tell({ kind: 'crawl-begun', resumed: view.totals.urls.marked > 0 })
  threads.pool.start()
  return { done: untilEnd(run), snapshot: () => view.snapshot(), stop: () => stop('interrupted') }
}

interface CrawlThreads {
  pool: WorkerPool
  /** Whether a thread writes where no more volumes are to be written. */
  isStale(worker: string): boolean
  shareOffset(): void
  /** No thread holds leases any more. */
  clearNotes(): void
}

async function openThreads(
  { plan, coordinator, journal }: CrawlParts,
  volumes: CrawlVolumes,
  thread: Worker,
  hasFailed: () => boolean,
  fault: (error: unknown) => void,
): Promise<CrawlThreads> {
  const { settings } = plan
  const { database, folder, random, clock, disk } = coordinator.parts
  /** Where each thread writes. */
  const folders = new Map<string, string>()
  // The coordinator goes by its database's time, which may differ from this machine's.
  const ahead = new SharedArrayBuffer(8)
  const shareOffset = () =>
    Atomics.store(new BigInt64Array(ahead), 0, BigInt(Math.round(clock.now() - realClock.now())))
  shareOffset()
  const lose = async (worker: string) => {
    await coordinator.frontier.filled(worker)
    await database.transact((tx) => coordinator.frontier.ledger.lose(tx, worker))
  }
  // In a shared database, leases outlive a killed process. The next one in its folder gives them back.
  const notes = database.dialect === 'postgres' ? new ThreadNotes(disk, folder) : undefined
  await coordinator.intake.idle()
  for (const earlier of notes?.earlier ?? []) await lose(earlier)
  notes?.clear()
  const isTooMany = tooManyDeaths(realClock, settings.workers)
  const pool = new WorkerPool({
    loaded: thread,
    load: loadThread,
    ...(notes && { prefix: `${freshId()}-` }),
    coordinator: volumes.calls,
    clock: realClock,
    journal,
    silentMs: settings.watchdog,
    dataFor(worker, slot): ThreadData {
      const archive = volumes.folder
      folders.set(worker, archive)
      notes?.begin(worker)
      const { shared } = coordinator.filter
      const randomSeed = random.integer(2 ** 31)
      return { plan, worker, archive, host: hostname(), ahead, slot, filter: shared, randomSeed }
    },
    async hung(worker, reading) {
      await coordinator.recordHung(reading)
      await lose(worker)
    },
    async died(worker, error) {
      const isElsewhere = isOfDisk(error) && (await volumes.leave(folders.get(worker)!, error))
      if ((isDiskFull(error) && !isElsewhere) || hasFailed()) return fault(error)
      journal.tell({ kind: 'worker-restarted', worker, why: String(error) })
      if (isTooMany()) return fault(error)
      await coordinator.intake.idle()
      await lose(worker)
    },
    fault,
  })
  const isStale = (worker: string) => folders.get(worker) !== volumes.folder
  return { pool, isStale, shareOffset, clearNotes: () => notes?.clear() }
}

function isTooLarge({ plan, view }: Run): boolean {
  const { maxSize } = plan.settings
  return maxSize !== undefined && (view.counters.get('bytes') ?? 0) >= maxSize
}

/** The work of every second. */
async function keep(run: Run, over: AbortSignal): Promise<void> {
  const { coordinator, view, plan } = run
  const { pool, isStale, shareOffset } = run.threads
  const { visits, workers } = plan.settings
  const isNeeded = anotherThread()
  while (!over.aborted) {
    await realClock.sleep(TICK, over)
    shareOffset()
    await coordinator.tick()
    await pool.watch()
    // A folder that is full or fails: its threads end what is in flight, and others begin in the next folder.
    pool.renew(isStale)
    await view.refresh()
    const { free, leased } = view.totals.sites
    const load = { threads: pool.size, full: pool.isFull(visits), free, leased }
    if (pool.size > 0 && pool.size < workers && isNeeded(load)) pool.start()
    if (isTooLarge(run)) run.stop('size')
  }
}

/** True when a pair of mirrors turned out to be none at the very end: URLs that were entered at the original wait at the replica again. */
async function hasMore(run: Run, mirrorsLeft: number): Promise<boolean> {
  const { coordinator, view } = run
  if (run.why !== undefined || run.failure !== undefined) return false
  await coordinator.intake.drain()
  await coordinator.mirrors.finish()
  if (coordinator.mirrors.left.length === mirrorsLeft) return false
  await view.refresh()
  return view.totals.urls.waiting > 0
}

async function untilEnd(run: Run): Promise<CrawlEnd> {
  const { coordinator, journal, volumes, view, named, fault, plan } = run
  const { pool, clearNotes } = run.threads
  const { database, folder } = coordinator.parts
  const { mirrors } = coordinator
  const { maxTime, maxPages } = plan.settings
  const cancelTime = maxTime === undefined ? () => {} : realClock.after(maxTime, () => run.stop('time'))
  const over = new AbortController()
  const keeping = keep(run, over.signal).catch(fault)
  try {
    await pool.ended()
    for (let left = 0; await hasMore(run, left); await pool.ended()) {
      left = mirrors.left.length
      pool.start()
    }
  } catch (error) {
    fault(error)
    await pool.ended()
  }
  over.abort()
  cancelTime()
  await keeping
  let seeds: SeedSummary
  try {
    if (run.failure !== undefined) throw run.failure
    clearNotes()
    await coordinator.finish()
    await volumes.finish()
    await view.refresh()
    seeds = await seedSummary(database, coordinator.frontier.ledger.view, named)
  } catch (error) {
    throw isDiskFull(error) ? diskFull(folder, error) : error
  } finally {
    volumes.close()
    await run.close().catch((error) => journal.tell({ kind: 'trouble', what: String(error) }))
  }
  let why = run.why ?? 'complete'
  if (why === 'complete' && view.totals.urls.waiting > 0)
    why = isTooLarge(run) ? 'size' : maxPages !== undefined ? 'pages' : why
  journal.tell({ kind: 'crawl-over', why })
  const documents = view.counters.get('documents') ?? 0
  return { why, exit: exitOf(why, seeds), documents, seeds, mirrorsLeft: mirrors.left }
}

function diskFull(folder: string, cause: unknown): Problem {
  const what = `the disk of ${folder} is full; make room and give the same command again: nothing that was collected is lost`
  return new Problem('disk-full', what, { cause })
}
