/**
 * A house without workers of its own: it hands out sites over HTTP and takes in what is brought. Over PostgreSQL any
 * number of them share one crawl; over SQLite there is one, and it holds the folder.
 */
import { hostname } from 'node:os'
import { Bell } from '../../base/bell.ts'
import { type Clock, type Millis, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { realDisk } from '../../base/real-disk.ts'
import { openServer } from '../../cluster/server/open-server.ts'
import { remembered } from '../../cluster/server/remembered.ts'
import { checkPem, type Pem, type TlsFiles } from '../../cluster/server/renew-tls.ts'
import { Roster } from '../../cluster/server/roster.ts'
import { nodeId } from '../../collection/locations/own-locations.ts'
import type { ServerCalls } from '../../contracts/calls.ts'
import { recordUnreadable } from '../../crawl/worker/watchdog.ts'
import type { Database } from '../../database/database.ts'
import { type Nudges, notify } from '../../database/postgres/nudge.ts'
import { type HeldRole, tryRole } from '../../database/postgres/only-one.ts'
import type { PostgresDatabase } from '../../database/postgres/open.ts'
import type { Given } from '../config/given.ts'
import type { SettingName, Settings } from '../config/keys.ts'
import { type SeedsInTheEnd, scopeSeeds, seedsInTheEnd } from '../seeds/stored-seeds.ts'
import type { Coordinator } from './coordinator.ts'
import { type CrawlSnapshot, CrawlView, type CrawlWhy, exitOf, TICK } from './crawl-view.ts'
import { openForWriting, type WritingOptions } from './open-for-writing.ts'
import { PLAN_FRESH, planForWorkers, settingsDigests } from './plan-for-workers.ts'
import { pemOf } from './volume-sources.ts'

export interface ServeOptions extends WritingOptions {
  /** Who set what: the plan that workers get holds what was set. */
  given: ReadonlyMap<SettingName, Given>
}

export interface ServeHandle {
  /** How it is reached from this machine. */
  url: string
  /** What workers on other machines are told. */
  publicUrl: string
  done: Promise<ServeEnd & { exit: number; seeds: SeedsInTheEnd }>
  snapshot(): CrawlSnapshot
  stop(): void
}

const NUDGE_EVERY: Millis = 100
const CHANNEL = 'work'
const NOBODY = { slow: [], lateMs: 0 }

export async function startServer(settings: Settings, options: ServeOptions): Promise<ServeHandle> {
  const tls = tlsFilesOf(settings)
  // A mistake is told before anything is opened.
  tls?.read()
  const roster = new Roster()
  const { coordinator, journal, nudges, close } = await openForWriting(settings, {
    ...options,
    serves: true,
    workers: roster,
  })
  const role = maintenanceRole(coordinator.parts.database, realClock)
  try {
    const view = new CrawlView(coordinator, NOBODY)
    await view.refresh()
    const nudge = new Bell()
    const tellOthers = nudges === undefined ? () => {} : others(coordinator, nudges, nudge)
    journal.read(({ kind }) => {
      if (kind !== 'applied') return
      nudge.ring()
      tellOthers()
    })
    const { clock, database, folder } = coordinator.parts
    const calls = serverCalls(coordinator, options.given, options.version)
    // A plan that is too large for workers is the operator's to change now, not theirs to complain about later.
    await calls.plan()
    const server = await openServer(
      {
        id: await nodeId(realDisk, folder),
        calls,
        database,
        disk: realDisk,
        archiveFolder: coordinator.archiveFolder,
        clock,
        journal,
        figures: async () => ({ totals: view.totals, counters: view.counters, inbox: coordinator.intake.pending() }),
        nudge,
        program: `orbweaver/${options.version}`,
        joinSecret: settings.joinSecret,
        keepCallsFor: settings.keepCalls,
        settings: settingsDigests(settings),
        roster,
        tls,
      },
      { host: settings.host, port: settings.port, publicUrl: settings.publicUrl, machine: hostname() },
    )
    const stop = new AbortController()
    const named = options.seeds.map(({ href }) => href)
    const done = keepServing(coordinator, view, role, stop.signal)
      .then(async (end) => ({ ...end, seeds: await seedsInTheEnd(database, coordinator.frontier.ledger.view, named) }))
      .finally(() => server.close())
      .finally(() => role.release())
      .finally(close)
      .then((end) => ({ ...end, exit: exitOf(end.why, end.seeds) }))
    const { url, publicUrl } = server
    return { url, publicUrl, done, snapshot: () => view.snapshot(), stop: () => stop.abort() }
  } catch (error) {
    await close()
    throw error
  }
}

/** What one server has applied may free sites for the workers that wait at another; once for many, for such commits are dear. */
function others(coordinator: Coordinator, nudges: Nudges, nudge: Bell): () => void {
  const { database, clock } = coordinator.parts
  let isTold = false
  nudges.listen(CHANNEL, () => nudge.ring())
  return () => {
    if (isTold) return
    isTold = true
    clock.after(NUDGE_EVERY, () => {
      isTold = false
      // A hint: whoever misses it asks by himself a second later.
      database.transact((tx) => notify(tx, CHANNEL)).catch(() => {})
    })
  }
}

/**
 * The life of a server once it is open: the work of every second, until it is told to stop, a limit is reached or, if it is
 * to end then, the crawl is over.
 */

/** When nothing is left to do workers have this long to hear it. */
const FAREWELL = 3_000

export interface ServeEnd {
  why: CrawlWhy
  documents: number
}

export async function keepServing(
  coordinator: Coordinator,
  view: CrawlView,
  role: MaintenanceRole,
  stop: AbortSignal,
): Promise<ServeEnd> {
  const { clock, journal, settings } = coordinator.parts
  const until = clock.elapsed() + (settings.maxTime ?? Number.POSITIVE_INFINITY)
  let why: CrawlWhy | undefined
  let isTroubled = false
  while (why === undefined) {
    await clock.sleep(Math.min(TICK, until - clock.elapsed()), stop)
    if (stop.aborted) why = 'interrupted'
    else if (clock.elapsed() >= until) why = 'time'
    if (why !== undefined) break
    try {
      if (await role.isOurs()) await coordinator.tick()
      await view.refresh()
      why = endOf(coordinator, view)
      if (why === 'complete' && !(await isSettled(coordinator, view))) why = undefined
      isTroubled = false
    } catch (error) {
      // A database that is away comes back, or somebody reads this: nothing is lost meanwhile.
      if (coordinator.parts.database.dialect === 'sqlite') throw error
      if (!isTroubled) journal.tell({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
      isTroubled = true
    }
  }
  if (why === 'complete' || why === 'pages') await clock.sleep(FAREWELL, stop)
  else coordinator.frontier.stop()
  await coordinator.finish()
  await view.refresh()
  return { why, documents: view.counters.get('documents') ?? 0 }
}

/** What was on its way from one bucket to another has come by now: does the frontier still say so? */
async function isSettled(coordinator: Coordinator, view: CrawlView): Promise<boolean> {
  if (!(await coordinator.intake.isSettled())) return false
  await view.refresh()
  return endOf(coordinator, view) === 'complete'
}

/** Undefined: it goes on. With `--max-pages` what is out is waited for, as it counts. */
function endOf({ intake, parts: { settings } }: Coordinator, { totals, counters }: CrawlView): CrawlWhy | undefined {
  const { untilDone, maxPages, maxSize } = settings
  const { sites, urls } = totals
  const isQuiet = sites.leased + sites.returning + intake.pending() === 0
  if (untilDone && isQuiet && urls.known > 0 && sites.waiting + sites.free === 0) return 'complete'
  if (maxSize !== undefined && (counters.get('bytes') ?? 0) >= maxSize) return 'size'
  if (maxPages !== undefined && isQuiet && (counters.get('documents') ?? 0) >= maxPages) return 'pages'
  return undefined
}

/** All that a server offers to workers that are not its own threads, over one house. */

export function serverCalls(
  coordinator: Coordinator,
  given: ReadonlyMap<SettingName, Given>,
  version: string,
): ServerCalls {
  const { database, clock, disk, settings } = coordinator.parts
  const { ledger } = coordinator.frontier
  return {
    ...coordinator.calls,
    plan: remembered(clock, PLAN_FRESH, async () =>
      planForWorkers(settings, given, await scopeSeeds(coordinator.parts), version, disk),
    ),
    unreadable: (_worker, reading) =>
      recordUnreadable(reading, { database, ledger, intake: coordinator.intake, clock, urls: coordinator.urls }),
    async leave(worker) {
      // What it has brought counts first.
      await coordinator.intake.idle()
      const lost = await database.transact((tx) => ledger.lose(tx, worker))
      return lost.map(({ visit }) => visit)
    },
    giveBack: (visits) => database.transact((tx) => ledger.giveBack(tx, visits)),
    takeBack: (worker, has) => database.transact((tx) => ledger.takeBack(tx, worker, has)),
  }
}

/**
 * The keeper's office: of all servers of a crawl one does the periodic work of the coordinator (leases that ended, mirrors, the
 * reverse index, notes of progress). Where a server is alone it holds the office without asking.
 */

export interface MaintenanceRole {
  /** Takes it, if nobody has it. Asked before each round of work. */
  isOurs(): Promise<boolean>
  release(): Promise<void>
}

/** Who does not have it asks again after this: so long nobody keeps the coordinator when the keeper is killed. */
const ASK_EVERY: Millis = 5_000

export function maintenanceRole(database: Database, clock: Clock): MaintenanceRole {
  if (database.dialect === 'sqlite') return { isOurs: async () => true, release: async () => {} }
  let role: HeldRole | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  return {
    async isOurs() {
      if (role !== undefined && !role.lost.aborted) return true
      if (clock.elapsed() - askedAt < ASK_EVERY) return false
      askedAt = clock.elapsed()
      role = await tryRole(database as PostgresDatabase, 'keeper').catch(() => undefined)
      return role !== undefined
    },
    async release() {
      await role?.release()
      role = undefined
    },
  }
}

/** The certificate of a server and its key, as files that the operator names. */

/** What the server shows, read anew by whoever wants to know whether it is another: certificates are renewed every few weeks. */
export function tlsFilesOf({
  certificate,
  certificateKey,
}: Pick<Settings, 'certificate' | 'certificateKey'>): TlsFiles | undefined {
  if (certificate === undefined && certificateKey === undefined) return undefined
  if (certificate === undefined || certificateKey === undefined)
    throw new Problem('bad-flag', '--certificate and --certificate-key belong together: give both')
  const read = (): Pem => {
    const pem = { cert: pemOf('--certificate', certificate), key: pemOf('--certificate-key', certificateKey) }
    try {
      checkPem(pem)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new Problem(
        'bad-flag',
        `--certificate and --certificate-key cannot be used (${why}): both must be PEM files, and belong to each other`,
      )
    }
    return pem
  }
  return { read }
}
