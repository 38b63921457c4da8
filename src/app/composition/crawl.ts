/** A whole crawl on this machine: the coordinator in this thread, workers in theirs, until it is over or asked to stop. */
import { hostname } from 'node:os'
import type { Worker } from 'node:worker_threads'
import { realClock } from '../../base/clock.ts'
import { isDiskFull, Problem, reasonOf } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import { freshId } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { readCounter } from '../../collection/counters/counters.ts'
import { mirrorFileOf, readMirrorFile } from '../../collection/mirrors/mirror-file.ts'
import type { Event } from '../../contracts/events.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { readBlacklists } from '../../crawl/scope/blacklist-files.ts'
import { ThreadNotes, WorkerPool } from '../../crawl/worker/worker-pool.ts'
import { sharedRole } from '../../database/postgres/election.ts'
import { removeRecord, writeRecord } from '../../frontier/records.ts'
import type { Settings } from '../config/keys.ts'
import { checkWeights } from '../config/weights.ts'
import { keepSteering, type LiveScope, liveScope, type Steered, sendOrders } from '../operators/steering.ts'
import { type CrawlWatch, watchCrawl } from '../operators/watch-crawl.ts'
import { type SeedSummary, scopeSeeds, seedSummary } from '../seeds/stored-seeds.ts'
import { type Coordinator, loseVisits } from './coordinator.ts'
import { type CrawlEndReason, CrawlView, EXIT_OF, exitOf, TICK } from './crawl-view.ts'
import { type CrawlVolumes, openCrawlVolumes } from './crawl-volumes.ts'
import { openForWriting, type WritingOptions } from './open-for-writing.ts'
import { blacklistPaths, type CrawlPlan, parseUrls, scopeFor, urlsOf } from './plan.ts'
import { endThread, loadThread } from './worker-thread.ts'

export type CrawlEnd = Awaited<ReturnType<typeof untilEnd>>
export type CrawlHandle = Awaited<ReturnType<typeof startCrawl>>

/** `thread`: the first worker thread, if it was loaded already. The crawl ends it. */
export async function startCrawl(settings: Settings, options: WritingOptions, thread: Worker = loadThread()) {
  await using opening = new AsyncDisposableStack()
  opening.defer(() => endThread(thread))
  readBlacklists(blacklistPaths(settings), realDisk)
  checkWeights(settings)
  const mirrors = mirrorFileOf(settings.mirrors, settings.collection, realDisk)
  if (mirrors !== undefined) readMirrorFile(realDisk, mirrors)
  const { coordinator, journal } = opening.use(await openForWriting(settings, options))
  const plan = await planOf(settings, options.version, coordinator)
  const volumes = await openCrawlVolumes(coordinator, journal)
  opening.defer(() => volumes.close())
  const named = options.seeds.map(({ href }) => href)
  return await runCrawl({ plan, named, coordinator, journal, volumes, restarts: options.restarts }, thread, opening)
}

async function planOf(settings: Settings, version: string, coordinator: Coordinator): Promise<CrawlPlan> {
  const { seeds, alternates } = await scopeSeeds(coordinator.parts)
  if (seeds.length === 0) {
    throw new Problem(
      'no-seeds',
      `no seeds given, and ${settings.collection} has none: name some, for instance orbweaver crawl https://www.example.org/`,
    )
  }
  if (settings.refresh) await checkHasPages(settings, coordinator)
  const plan: CrawlPlan = { settings, seeds, alternates, version }
  checkSeedsInScope(plan)
  if (settings.refresh) await recordPass(coordinator)
  return plan
}

async function checkHasPages({ collection }: Settings, { parts: { database } }: Coordinator): Promise<void> {
  if ((await database.read((tx) => readCounter(tx, 'documents'))) > 0) return
  throw new Problem(
    'not-found',
    `${collection} has no pages to refresh; collect some first: orbweaver crawl -c ${collection}`,
  )
}

/** A pass over all pages begins, or goes on. */
async function recordPass({ parts: { database, refresh } }: Coordinator): Promise<void> {
  const once = refresh?.once
  if (once !== undefined) await database.transact((tx) => writeRecord(tx, 'refresh_pass', String(once)))
}

/** Throws if nothing could ever be collected: it is better to know before the crawl. */
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
export async function addSeeds(settings: Settings, options: WritingOptions): Promise<{ added: number; known: number }> {
  await using opened = await openForWriting(settings, options)
  const { fresh } = opened
  return { added: fresh, known: options.seeds.length - fresh }
}

interface CrawlParts {
  plan: CrawlPlan
  /** The seeds of this command. */
  named: readonly string[]
  coordinator: Coordinator
  journal: Readers<Event>
  volumes: CrawlVolumes
  restarts: WritingOptions['restarts']
}

interface Run extends CrawlParts {
  threads: WorkerPool<CrawlPlan>
  live: LiveScope
  /** Where a shared database has leases of threads. */
  notes: ThreadNotes | undefined
  view: CrawlView
  watch: CrawlWatch
  /** Undefined: only its completion ends it. */
  why: CrawlEndReason | undefined
  stop(reason: CrawlEndReason): void
}

/** Once it returns, the crawl closes what was opened when it ends. */
async function runCrawl(parts: CrawlParts, thread: Worker, opening: AsyncDisposableStack) {
  const { coordinator, journal, restarts } = parts
  const { database, disk, folder } = coordinator.parts
  // In a shared database, leases outlive a killed process. The next one in its folder gives them back.
  const notes = database.dialect === 'postgres' ? new ThreadNotes(disk, folder) : undefined
  await coordinator.intake.idle()
  for (const earlier of notes?.earlier ?? []) await loseLeases(coordinator, earlier)
  notes?.clear()
  const live = liveScope(parts.plan, coordinator, () => threads.renew())
  const threads = openThreads(parts, live, notes, thread)
  const view = new CrawlView(coordinator, threads)
  // Otherwise a pass over all pages would be over before its first page is enrolled.
  if (parts.plan.settings.refresh) await coordinator.tick()
  await view.refresh()
  // Looks after what concerns all crawls that share the database.
  const role = sharedRole(database, realClock, 'problems')
  opening.defer(() => role.release())
  // `orbweaver stop` sees by it that a crawl is running.
  await role.isOurs()
  const watch = watchCrawl(coordinator, view, { url: hostname(), role, restarts })
  opening.defer(() => watch.close())
  const stop = (reason: CrawlEndReason) => {
    run.why ??= reason
    coordinator.frontier.stop()
    threads.stop()
  }
  const run: Run = { ...parts, threads, live, notes, view, watch, why: undefined, stop }
  // Opened before anything else begins, because its port may be taken.
  const dashboard = await openDashboardOf(run)
  // The last who has SQLite's file open must be the one who writes it.
  opening.defer(async () => dashboard?.close())
  journal.record({ kind: 'crawl-begun', resumed: view.totals.urls.marked > 0 })
  const known = sendOrders(coordinator.decisions, 0, (orders) => threads.order(orders))
  threads.start()
  return {
    done: untilEnd(run, known, opening.move()),
    /** The address of its dashboard, with `--dashboard`. */
    dashboard: dashboard?.url,
    snapshot: () => view.snapshot(),
    /** What is wrong now, as this process sees it. */
    problems: watch.now,
    stop: () => stop('interrupted'),
  }
}

/** Loaded only on request. */
async function openDashboardOf(run: Run) {
  const { plan, journal, coordinator, view, watch } = run
  const { settings, version } = plan
  if (settings.dashboard === undefined) return undefined
  const { crawlMetrics, serveDashboard } = await import('../dashboard/dashboard.ts')
  const { parts, control } = coordinator
  return serveDashboard(
    {
      ...{ settings, version, view, journal, clock: parts.clock, control },
      runs: settings.refresh ? 'refresh' : 'crawl',
      isEnding: () => run.why !== undefined,
      metrics: crawlMetrics(coordinator, view, journal, watch),
    },
    settings.dashboard,
  )
}

async function loseLeases(coordinator: Coordinator, worker: string): Promise<void> {
  await coordinator.frontier.filled(worker)
  await loseVisits(coordinator, worker)
}

function openThreads(
  { plan, coordinator, journal, volumes }: CrawlParts,
  live: LiveScope,
  notes: ThreadNotes | undefined,
  thread: Worker,
): WorkerPool<CrawlPlan> {
  const { clock, random } = coordinator.parts
  const { workers, visits, watchdog } = plan.settings
  return new WorkerPool<CrawlPlan>({
    loaded: thread,
    load: loadThread,
    ...(notes && { prefix: `${freshId()}-` }),
    coordinator: live.over(volumes.calls),
    clock: realClock,
    journal,
    silentMs: watchdog,
    workers,
    visits,
    plan: () => live.plan,
    host: hostname(),
    filter: coordinator.filter.shared,
    random,
    // The coordinator goes by its database's time, which may differ from this machine's.
    offset: () => clock.now() - realClock.now(),
    folder: () => volumes.folder,
    leaveFolder: volumes.leave,
    begin: (worker) => notes?.begin(worker),
    async unreadable(worker, reading) {
      await coordinator.recordUnreadable(reading)
      await loseLeases(coordinator, worker)
    },
    async lose(worker) {
      await coordinator.intake.idle()
      await loseLeases(coordinator, worker)
    },
  })
}

function isTooLarge({ plan, view }: Run): boolean {
  const { maxSize } = plan.settings
  return maxSize !== undefined && (view.counters.get('bytes') ?? 0) >= maxSize
}

/** The work of every second. */
async function keep(run: Run, over: AbortSignal): Promise<void> {
  const { coordinator, threads, view } = run
  view.isKept = true
  over.addEventListener('abort', () => {
    view.isKept = false
  })
  while (!over.aborted) {
    await realClock.sleep(TICK, over)
    await coordinator.tick()
    await threads.watch()
    await view.refresh()
    threads.grow(view.totals.sites)
    if (isTooLarge(run)) run.stop('size')
  }
}

/**
 * True when a pair of mirrors turned out to be none at the very end: URLs that were entered at the original wait at the replica
 * again. Also while pages of earlier crawls are still to be brought in.
 */
async function hasMore(run: Run, mirrorsLeft: number): Promise<boolean> {
  const { coordinator, view } = run
  if (run.why !== undefined || run.threads.failure !== undefined) return false
  if (coordinator.isEnrolling()) {
    await coordinator.tick()
    return true
  }
  await coordinator.intake.drain()
  await coordinator.mirrors.finish()
  if (coordinator.mirrors.left.length === mirrorsLeft) return false
  await view.refresh()
  return view.totals.urls.waiting > 0
}

function steeredBy({ live, threads, stop }: Run): Steered {
  return {
    order: (orders) => threads.order(orders),
    stop: () => stop('interrupted'),
    seeded: () => live.renew(),
  }
}

/** `known`: the decisions that its threads know. */
async function untilEnd(run: Run, known: number, opened: AsyncDisposableStack) {
  const { coordinator, journal, volumes, view, named, plan, threads, notes, watch } = run
  const { fault } = threads
  const { database, folder } = coordinator.parts
  const { mirrors } = coordinator
  const { maxTime, maxPages } = plan.settings
  const cancelTime = maxTime === undefined ? () => {} : realClock.after(maxTime, () => run.stop('time'))
  const over = new AbortController()
  const keeping = Promise.all([
    keep(run, over.signal),
    keepSteering(coordinator, steeredBy(run), known, over.signal),
  ]).catch(fault)
  try {
    await threads.ended()
    for (let left = 0; await hasMore(run, left); await threads.ended()) {
      left = mirrors.left.length
      threads.start()
    }
  } catch (error) {
    fault(error)
    await threads.ended()
  }
  over.abort()
  cancelTime()
  await keeping
  await watch.stop()
  let seeds: SeedSummary
  let why: CrawlEndReason = 'complete'
  try {
    if (threads.failure !== undefined) throw threads.failure
    notes?.clear()
    await coordinator.finish()
    await volumes.finish()
    await view.refresh()
    seeds = await seedSummary(database, named)
    if (plan.settings.once && run.why === undefined) await database.transact((tx) => removeRecord(tx, 'refresh_pass'))
    why = run.why ?? 'complete'
    if (why === 'complete' && view.totals.urls.waiting > 0)
      why = isTooLarge(run) ? 'size' : maxPages !== undefined ? 'pages' : why
    await watch.ended(why)
  } catch (given) {
    const error = isDiskFull(given) ? diskFull(folder, given) : given
    await watch.failed(reasonOf(error))
    throw error
  } finally {
    await opened.disposeAsync().catch((error) => journal.record({ kind: 'trouble', what: reasonOf(error) }))
  }
  journal.record({ kind: 'crawl-over', why })
  const documents = view.counters.get('documents') ?? 0
  const exit = plan.settings.refresh ? EXIT_OF[why] : exitOf(why, seeds)
  return { why, exit, documents, seeds, /** Pairs that are mirrors no more. */ mirrorsLeft: mirrors.left }
}

function diskFull(folder: string, cause: unknown): Problem {
  const what = `the disk of ${folder} is full; make room and give the same command again: nothing that was collected is lost`
  return new Problem('disk-full', what, { cause })
}
