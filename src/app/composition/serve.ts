/**
 * A coordinator without workers of its own: it hands out sites over HTTP and takes in reports. Over PostgreSQL any number of
 * servers share one crawl; over SQLite there is one, which holds the folder.
 */
import { hostname } from 'node:os'
import { type Millis, realClock, Wakeup } from '../../base/clock.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import { realDisk } from '../../base/real-disk.ts'
import { checkPem, openServer, type Pem, type TlsFiles } from '../../cluster/server/open-server.ts'
import { Roster } from '../../cluster/server/worker-table.ts'
import { nodeId } from '../../collection/locations/own-locations.ts'
import { type Notifications, notify } from '../../database/postgres/notifications.ts'
import { pemOf } from '../config/certificates.ts'
import type { Given, SettingName, Settings } from '../config/keys.ts'
import { settingsDigests } from '../config/plan-for-workers.ts'
import { checkWeights } from '../config/weights.ts'
import { openDashboard } from '../dashboard/dashboard.ts'
import { keepSteering } from '../operators/steering.ts'
import { type CrawlWatch, watchCrawl } from '../operators/watch-crawl.ts'
import { seedSummary } from '../seeds/stored-seeds.ts'
import type { Coordinator } from './coordinator.ts'
import { CrawlView, exitOf } from './crawl-view.ts'
import { keepServing, maintenanceRole, serverCalls } from './keep-serving.ts'
import { openForWriting, type WritingOptions } from './open-for-writing.ts'

export interface ServeOptions extends WritingOptions {
  /** The given settings, for the plan of workers. */
  given: ReadonlyMap<SettingName, Given>
}

export type ServeHandle = Awaited<ReturnType<typeof startServer>>

const NUDGE_EVERY: Millis = 100
const CHANNEL = 'work'
const NO_WORKERS = { slow: [], lateMs: 0 }

export async function startServer(settings: Settings, options: ServeOptions) {
  if (settings.refresh && settings.untilDone)
    throw new Problem('bad-flag', '--refresh never ends, so --until-done cannot be given with it')
  const tls = tlsFilesOf(settings)
  // Checked before anything is opened.
  tls?.read()
  checkWeights(settings)
  const roster = new Roster()
  await using opening = new AsyncDisposableStack()
  const { coordinator, journal, notifications } = opening.use(
    await openForWriting(settings, { ...options, serves: true, workers: roster }),
  )
  const role = maintenanceRole(coordinator.parts.database, realClock)
  opening.defer(() => role.release())
  const stop = new AbortController()
  const view = new CrawlView(coordinator, NO_WORKERS)
  await view.refresh()
  const nudge = new Wakeup()
  const nudgeOthers = notifications === undefined ? () => {} : othersNudged(coordinator, notifications, nudge)
  journal.read(({ kind }) => {
    if (kind !== 'applied') return
    nudge.wake()
    nudgeOthers()
  })
  const { control, decisions } = coordinator
  // Before anybody can stop it.
  const begun = decisions.version
  const { clock, database, folder } = coordinator.parts
  const calls = serverCalls(coordinator, options.given, options.version)
  // A plan that is too large for workers fails here, where the operator sees it.
  await calls.plan()
  const dashboard = openDashboard({
    ...{ settings, version: options.version, runs: 'server', view, journal, clock, control },
    isEnding: () => stop.signal.aborted,
  })
  opening.defer(() => dashboard.close())
  let watch: CrawlWatch | undefined
  const server = await openServer(
    {
      id: await nodeId(realDisk, folder),
      calls,
      database,
      disk: realDisk,
      archiveFolder: coordinator.archiveFolder,
      clock,
      journal,
      figures: async () => ({
        totals: view.totals,
        counters: view.counters,
        inbox: coordinator.intake.pending(),
        ...(view.freshness && { freshness: view.freshness }),
      }),
      ...{ nudge, control, decisions },
      program: `orbweaver/${options.version}`,
      joinSecret: settings.joinSecret,
      keepCallsFor: settings.keepCalls,
      settings: settingsDigests(settings),
      roster,
      tls,
      pages: dashboard.pages,
      tokens: { viewer: settings.viewerToken, operator: settings.operatorToken },
      basePath: settings.basePath,
      metricFacts: () => watch && { problems: watch.now(), local: watch.local() },
    },
    { host: settings.host, port: settings.port, publicUrl: settings.publicUrl, machine: hostname() },
  )
  opening.defer(() => server.close())
  const watching = watchCrawl(coordinator, view, { url: server.publicUrl, role, restarts: options.restarts })
  watch = watching
  const over = new AbortController()
  const steered = { order: () => nudge.wake(), stop: () => stop.abort() }
  const steering = keepSteering(coordinator, steered, begun, over.signal)
  steering.catch(() => stop.abort())
  const named = options.seeds.map(({ href }) => href)
  opening.defer(watching.close)
  const opened = opening.move()
  const done = keepServing(coordinator, view, role, stop.signal)
    .finally(() => {
      over.abort()
      return steering
    })
    .then(async (end) => {
      await watching.ended(end.why)
      return { ...end, seeds: await seedSummary(database, named) }
    })
    .catch(async (error: unknown) => {
      await watching.failed(reasonOf(error))
      throw error
    })
    .finally(() => opened.disposeAsync())
    .then((end) => ({ ...end, exit: exitOf(end.why, end.seeds) }))
  const { url, publicUrl } = server
  return { url, publicUrl, done, snapshot: () => view.snapshot(), problems: watching.now, stop: () => stop.abort() }
}

/**
 * Parts that one server applied may free sites for workers that wait at another. One commit serves many, because
 * commits are expensive.
 */
function othersNudged(coordinator: Coordinator, notifications: Notifications, nudge: Wakeup): () => void {
  const { database, clock } = coordinator.parts
  let isPending = false
  notifications.listen(CHANNEL, () => nudge.wake())
  return () => {
    if (isPending) return
    isPending = true
    clock.after(NUDGE_EVERY, () => {
      isPending = false
      // Only a hint: a server that misses it asks a second later anyway.
      database.transact((tx) => notify(tx, CHANNEL)).catch(() => {})
    })
  }
}

/** The server's certificate and key. They are read again now and then: certificates are renewed every few weeks. */
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
      throw new Problem(
        'bad-flag',
        `--certificate and --certificate-key cannot be used (${reasonOf(error)}): both must be PEM files, and belong to each other`,
      )
    }
    return pem
  }
  return { read }
}
