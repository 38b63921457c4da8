/**
 * A house without workers of its own: it hands out sites over HTTP and takes in what is brought. Over PostgreSQL any
 * number of them share one crawl; over SQLite there is one, and it holds the folder.
 */
import { hostname } from 'node:os'
import { Bell } from '../../base/bell.ts'
import { type Millis, realClock } from '../../base/clock.ts'
import { realDisk } from '../../base/real-disk.ts'
import { openServer } from '../../cluster/server/open-server.ts'
import { Roster } from '../../cluster/server/worker-table.ts'
import { type Nudges, notify } from '../../database/postgres/nudge.ts'
import type { Given } from '../config/given.ts'
import type { SettingName, Settings } from '../config/keys.ts'
import type { Coordinator } from './coordinator.ts'
import { type CrawlSnapshot, CrawlView } from './crawl-view.ts'
import { exitOf } from './crawl-why.ts'
import { keepServing, type ServeEnd } from './keep-serving.ts'
import { maintenanceRole } from './maintenance-role.ts'
import { nodeId } from './node-id.ts'
import { openForWriting, type WritingOptions } from './open-for-writing.ts'
import { type SeedsInTheEnd, seedsInTheEnd } from './open-seeds.ts'
import { serverCalls } from './server-calls.ts'
import { settingsDigests } from './settings-digests.ts'
import { tlsFilesOf } from './tls-files.ts'

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
