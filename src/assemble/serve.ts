/**
 * A house without workers of its own: it hands out sites over HTTP and takes in what is brought. Over PostgreSQL any
 * number of them share one crawl; over SQLite there is one, and it holds the folder.
 */
import { readFileSync } from 'node:fs'
import { Bell } from '../base/bell.ts'
import { type Millis, realClock } from '../base/clock.ts'
import { Problem } from '../base/errors.ts'
import type { Journal } from '../base/journal.ts'
import { realDisk } from '../base/real-disk.ts'
import type { Given } from '../config/given.ts'
import type { SettingName, Settings } from '../config/keys.ts'
import { type Nudges, notify } from '../database/postgres/nudge.ts'
import { openServer, type ServerParts } from '../server/open-server.ts'
import type { Event } from '../visit/events.ts'
import type { ServerCalls } from '../wire/calls.ts'
import { type CrawlSnapshot, CrawlView, TICK } from './crawl-view.ts'
import type { House } from './house.ts'
import { type KeeperOffice, keeperOffice } from './keeper-office.ts'
import { nodeId } from './node-id.ts'
import { openForWriting, type WritingOptions } from './open-for-writing.ts'
import { planForWorkers } from './plan-for-workers.ts'
import { scopeSeeds } from './scope-seeds.ts'
import { recordUnreadable } from './watchdog.ts'

export interface ServeOptions extends WritingOptions {
  /** Who set what: the plan that workers get holds what was set. */
  given: ReadonlyMap<SettingName, Given>
}

export interface ServeHandle {
  /** How it is reached from this machine. */
  url: string
  done: Promise<{ why: 'complete' | 'interrupted'; documents: number }>
  snapshot(): CrawlSnapshot
  stop(): void
}

/** The plan is made anew at most so often: black lists and seeds may change while the crawl runs. */
const PLAN_FRESH = 5_000
/** With `--until-done` workers have this long to hear that the crawl is over. */
const FAREWELL = 3_000
const NUDGE_EVERY: Millis = 100
const CHANNEL = 'work'
const NOBODY = { slow: [], lateMs: 0 }

export async function startServer(settings: Settings, options: ServeOptions): Promise<ServeHandle> {
  const tls = certificateOf(settings)
  const { house, journal, nudges, close } = await openForWriting(settings, { ...options, serves: true })
  const office = keeperOffice(house.parts.database, realClock)
  try {
    const view = new CrawlView(house, NOBODY)
    await view.refresh()
    const nudge = new Bell()
    const tellOthers = nudges === undefined ? () => {} : others(house, nudges, nudge)
    journal.read(({ kind }) => {
      if (kind !== 'applied') return
      nudge.ring()
      tellOthers()
    })
    const { clock, database, folder } = house.parts
    const server = await openServer(
      {
        id: await nodeId(realDisk, folder),
        calls: serverCalls(house, settings, options),
        database,
        disk: realDisk,
        archiveFolder: house.archiveFolder,
        clock,
        journal,
        figures: async () => ({ totals: view.totals, counters: view.counters, inbox: house.intake.pending() }),
        nudge,
        program: `orbweaver/${options.version}`,
        joinSecret: settings.joinSecret,
        keepCallsFor: settings.keepCalls,
        tls,
      },
      { host: settings.host, port: settings.port, publicUrl: settings.publicUrl },
    )
    const stop = new AbortController()
    const done = run(house, view, office, settings, journal, stop.signal).finally(async () => {
      await server.close()
      await office.release()
      await close()
    })
    return { url: server.url, done, snapshot: () => view.snapshot(), stop: () => stop.abort() }
  } catch (error) {
    await close()
    throw error
  }
}

/** What one server has applied may free sites for the workers that wait at another; once for many, for such commits are dear. */
function others(house: House, nudges: Nudges, nudge: Bell): () => void {
  const { database, clock } = house.parts
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

async function run(
  house: House,
  view: CrawlView,
  office: KeeperOffice,
  { untilDone }: Settings,
  journal: Journal<Event>,
  stop: AbortSignal,
) {
  let isOver = false
  let isTroubled = false
  while (!stop.aborted && !isOver) {
    await realClock.sleep(TICK, stop)
    try {
      if (await office.isOurs()) await house.tick()
      await view.refresh()
      isOver = untilDone && isComplete(view) && house.intake.pending() === 0
      isTroubled = false
    } catch (error) {
      // A database that is away comes back, or somebody reads this: nothing is lost meanwhile.
      if (house.parts.database.dialect === 'sqlite') throw error
      if (!isTroubled) journal.tell({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
      isTroubled = true
    }
  }
  if (isOver) await realClock.sleep(FAREWELL, stop)
  else house.frontier.stop()
  await house.finish()
  await view.refresh()
  return {
    why: isOver ? ('complete' as const) : ('interrupted' as const),
    documents: view.counters.get('documents') ?? 0,
  }
}

function isComplete({ totals: { sites, urls } }: CrawlView): boolean {
  return urls.known > 0 && sites.waiting + sites.free + sites.leased + sites.returning === 0
}

function serverCalls(house: House, settings: Settings, { given, version }: ServeOptions): ServerCalls {
  const { database, clock, disk } = house.parts
  const { ledger } = house.frontier
  let plan: { at: number; made: ReturnType<ServerCalls['plan']> } | undefined
  return {
    ...house.calls,
    plan() {
      if (plan === undefined || clock.elapsed() - plan.at > PLAN_FRESH) {
        const made = scopeSeeds(house.parts).then((seeds) => planForWorkers(settings, given, seeds, version, disk))
        plan = { at: clock.elapsed(), made }
      }
      return plan.made
    },
    unreadable: (_worker, reading) =>
      recordUnreadable(reading, { database, ledger, intake: house.intake, clock, urls: house.urls }),
    async leave(worker) {
      // What it has brought counts first.
      await house.intake.idle()
      await database.transact((tx) => ledger.lose(tx, worker))
    },
    giveBack: (visits) => database.transact((tx) => ledger.giveBack(tx, visits)),
  }
}

function certificateOf({ certificate, certificateKey }: Settings): ServerParts['tls'] {
  if (certificate === undefined && certificateKey === undefined) return undefined
  if (certificate === undefined || certificateKey === undefined)
    throw new Problem('bad-flag', '--certificate and --certificate-key belong together: give both')
  return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(certificateKey, 'utf8') }
}
