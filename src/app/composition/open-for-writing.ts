/** A collection opened to be written: by a crawl or a server, or only to add seeds. It is made when there is none. */
import { dirname, join, resolve } from 'node:path'
import { type Clock, type Millis, realClock } from '../../base/clock.ts'
import { Problem } from '../../base/errors.ts'
import { Readers } from '../../base/journal.ts'
import { freshSeed, seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { LocalFacts } from '../../cluster/maintenance/problems.ts'
import { readServers } from '../../cluster/server/worker-table.ts'
import { knownNodeId } from '../../collection/locations/own-locations.ts'
import type { Event } from '../../contracts/events.ts'
import type { Database } from '../../database/database.ts'
import { lockCollection } from '../../database/lock.ts'
import { isRoleHeld } from '../../database/postgres/election.ts'
import { openSqlite } from '../../database/sqlite/open.ts'
import type { SeedUrl } from '../../frontier/contract.ts'
import { openControl } from '../../frontier/control.ts'
import { Decisions } from '../../frontier/decisions.ts'
import { openFrontier } from '../../frontier/open-frontier.ts'
import { namedOrder, ORDER_NAMES } from '../../frontier/order.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { readRecord, removeRecord, writeRecord } from '../../frontier/records.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { Given, SettingName, Settings } from '../config/keys.ts'
import { writeSettingsFile } from '../config/settings-file.ts'
import { type Coordinator, type CoordinatorParts, openCoordinator, steeringRules } from './coordinator.ts'
import { openCrawlFrontier } from './crawl-frontier.ts'
import { pausesOf, urlsOf } from './plan.ts'
import { type Refreshing, refreshing } from './refresh-options.ts'

export interface WritingOptions extends Pick<CoordinatorParts, 'atOnceBytes' | 'serves' | 'workers'> {
  seeds: readonly WebUrl[]
  version: string
  /** Recorded in a shared database, for commands on other machines. */
  given?: ReadonlyMap<SettingName, Given>
  journal?: (event: Event) => void
  /** By the supervisor of this process, in the last day. */
  restarts?: () => LocalFacts['restarts']
}

/** `orbweaver worker` runs there, and no collection has been made in it. */
export const isWorkersFolder = (folder: string): boolean =>
  realDisk.size(join(folder, 'worker.json')) !== undefined && realDisk.size(join(folder, 'collection.db')) === undefined

/** A worker's undelivered volumes would count as orphans of the collection, and its outbox would never be sent. */
function refuseWorkersFolder(folder: string): void {
  if (!isWorkersFolder(folder) || knownNodeId(realDisk, folder) !== undefined) return
  const what = `${folder} is the folder of a worker, with volumes and reports for its servers`
  throw new Problem('bad-flag', `${what}; give the collection a folder of its own: -c DIR`)
}

/** The caller closes it. */
export async function openForWriting(settings: Settings, options: WritingOptions) {
  const folder = settings.collection
  refuseWorkersFolder(folder)
  for (const inside of ['', 'archive', 'indexes', 'logs']) realDisk.makeFolder(join(folder, inside))
  // A power failure must not take the folder itself, with all durable data in it.
  await realDisk.syncFolder(folder)
  await realDisk.syncFolder(dirname(resolve(folder)))
  await using opening = new AsyncDisposableStack()
  opening.adopt(lockCollection(folder), (lock) => lock.release())
  const journal = new Readers<Event>()
  if (options.journal !== undefined) journal.read(options.journal)
  const { database, clock, notifications } = await databaseToWrite(settings, opening)
  const random = seededRandom(settings.randomSeed ?? freshSeed())
  const { given, version, atOnceBytes, serves, workers } = options
  const refresh = settings.refresh ? await openRefreshing(settings, database, clock) : undefined
  const coordinator = await openCoordinator({
    ...{ database, disk: realDisk, folder, clock, random, journal, settings, atOnceBytes },
    ...(refresh && { refresh: refresh.options, renewWeights: refresh.renewWeights }),
    ...(serves && { serves, recheckShare: settings.recheckShare }),
    ...(workers && { workers }),
    isRestarted: options.restarts?.() !== undefined,
  })
  // The database still has what the log file then lacks.
  opening.defer(() => coordinator.intake.close().catch(() => {}))
  if (database.dialect === 'postgres' && given !== undefined)
    await database.transact((tx) => writeRecord(tx, 'settings', writeSettingsFile(given, version)))
  const { fresh } = await coordinator.seed(seedsOf(options.seeds, coordinator))
  return { coordinator, journal, notifications, fresh, ...closing(opening) }
}

/** From now on the caller owns what was opened. */
function closing(opening: AsyncDisposableStack): AsyncDisposable & { close(): Promise<void> } {
  const opened = opening.move()
  return { close: () => opened.disposeAsync(), [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/**
 * A pass over all pages that was interrupted goes on: it looks at those that were not looked at since it began. A refresh
 * without end, or for a time, ends it: the next pass looks at every page again.
 */
async function openRefreshing(settings: Settings, database: Database, clock: Clock): Promise<Refreshing> {
  if (!settings.once) await database.transact((tx) => removeRecord(tx, 'refresh_pass'))
  const before = settings.once ? await database.read((tx) => readRecord(tx, 'refresh_pass')) : undefined
  const begun = before === undefined ? Math.round(clock.now()) : Number(before)
  return refreshing(settings, database, urlsOf(settings), settings.once ? begun : undefined)
}

/** Parsed again by the rules of the collection, which was not open when they were read. */
function seedsOf(seeds: readonly WebUrl[], { urls }: Coordinator): SeedUrl[] {
  return seeds.flatMap(({ href }) => {
    const url = urls.parse(href)
    return url === undefined ? [] : [{ url: url.href, key: url.key, site: url.site }]
  })
}

/**
 * What adding seeds needs. A collection in a folder has one process that writes, so the whole coordinator is opened, which
 * repairs what a crash left. A shared database takes seeds at any time: there the frontier is enough, and the servers take care
 * of reports. The caller closes it.
 */
export async function openForSeeding(settings: Settings, version: string) {
  if (settings.database === undefined) {
    const { coordinator, ...opened } = await openForWriting(settings, { seeds: [], version })
    const { database, clock } = coordinator.parts
    return { ...opened, database, clock, ledger: coordinator.frontier.ledger, urls: coordinator.urls }
  }
  await using opening = new AsyncDisposableStack()
  const { database, clock } = await databaseToWrite(settings, opening)
  const random = seededRandom(settings.randomSeed ?? freshSeed())
  const tools = { database, disk: realDisk, clock, random, journal: { record() {} } }
  const { order = settings.order, besideServers } = await asServersHaveIt(database)
  const parts = { ...tools, settings: { ...settings, order }, besideServers }
  const { frontier, urls } = await openCrawlFrontier(parts, true)
  await frontier.recover(async () => {})
  return { database, clock, ledger: frontier.ledger, urls, ...closing(opening) }
}

/** Servers say that they are there every ten seconds. */
const SERVER_SEEN: Millis = 15_000

/** A crawl or server has one of the roles within seconds; when its holder dies, another server takes it over. */
async function isServed(database: Database, clock: Clock): Promise<boolean> {
  return database.read(
    async (tx) =>
      (await isRoleHeld(tx, ['maintenance', 'problems'])) ||
      (await readServers(tx, clock.now() - SERVER_SEEN, 1)).length > 0,
  )
}

/**
 * Options that must be the same in every process that has the database open, whatever the settings on this machine.
 * `order`: none yet.
 */
function asServersHaveIt(database: Database) {
  return database.read(async (tx) => {
    const recorded = await readRecord(tx, 'order')
    const order = ORDER_NAMES.find((name) => name === recorded)
    return { order, besideServers: { isRefreshing: await frontierQueries.isRefreshing(tx) } }
  })
}

/**
 * The ledger as an action on a shared database needs it. It depends on no setting of the crawl, for an operator must be able to stop it from
 * a machine that has none of them. So it is not recovered, which would compare them.
 */
async function openSteeredLedger(settings: Settings, database: Database, clock: Clock) {
  const urls = await database.read((tx) => frontierQueries.reader(tx))
  const { order = settings.order, besideServers } = await asServersHaveIt(database)
  const { ledger } = openFrontier(database, {
    ...{ clock, urls, besideServers, leasesOutlive: true },
    order: namedOrder(order, seededRandom(freshSeed())),
    slice: { pages: settings.slicePages, time: settings.sliceTime },
    leaseMs: settings.lease,
    addressPauseMs: settings.addressPause,
    defaultPause: pausesOf(settings).defaultPause,
  })
  return { ledger, urls }
}

/** What an action of an operator needs. `isServed`: another process crawls or serves. The caller closes it. */
export async function openToSteer(settings: Settings, version: string) {
  if (settings.database === undefined) {
    const { coordinator, close } = await openForWriting(settings, { seeds: [], version })
    return { control: coordinator.control, isServed: false, close }
  }
  await using opening = new AsyncDisposableStack()
  const { database, clock } = await databaseToWrite(settings, opening)
  const { ledger, urls } = await openSteeredLedger(settings, database, clock)
  const control = openControl({
    ...{ database, ledger, decisions: new Decisions(database), clock, urls },
    ...steeringRules(ledger, clock),
    // Servers apply what the worker has sent, before or after.
    settled: async () => {},
  })
  return { control, isServed: await isServed(database, clock), ...closing(opening) }
}

/** Less than workers wait for an answer: they learn that the database is unreachable, and keep what they have. */
const PATIENCE: Millis = 10_000

/** `clock`: the one of all who share the database; `notifications`: news of other servers, where there may be any. */
async function databaseToWrite({ database: address, collection }: Settings, opening: AsyncDisposableStack) {
  if (address === undefined) {
    const database = openSqlite(join(collection, 'collection.db'))
    opening.defer(() => database.close())
    return { database, clock: realClock, notifications: undefined }
  }
  const [{ openPostgres }, { databaseClock }, { openNotifications }] = await Promise.all([
    import('../../database/postgres/open.ts'),
    import('../../database/postgres/clock.ts'),
    import('../../database/postgres/notifications.ts'),
  ])
  const database = await openPostgres(address, { patienceMs: PATIENCE })
  opening.defer(() => database.close())
  const clock = await databaseClock(database, realClock)
  opening.defer(() => clock.close())
  const notifications = openNotifications(database, { clock: realClock, random: seededRandom(freshSeed()) })
  opening.defer(() => notifications.close())
  return { database, clock, notifications }
}
