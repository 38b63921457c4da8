/** A collection opened for commands that only read: also while a crawl writes it, also where nothing can be written. */
import { join } from 'node:path'
import { type Clock, type Instant, realClock } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { realDisk } from '../../base/real-disk.ts'
import { readProblems } from '../../cluster/maintenance/problem-watch.ts'
import { SILENT_AFTER } from '../../cluster/maintenance/problems.ts'
import { readServers } from '../../cluster/server/worker-table.ts'
import {
  type ChangeReader,
  changeReader,
  firstPosition,
  lastPosition,
  positionOf,
} from '../../collection/captures/read-changes.ts'
import { characterise } from '../../collection/characterise/characterise.ts'
import { duplicateContents, evolution, figures } from '../../collection/figures.ts'
import { exportLinks, linkTable } from '../../collection/links/export-links.ts'
import { knownNodeId } from '../../collection/locations/own-locations.ts'
import { readVolumes } from '../../collection/locations/read-volumes.ts'
import { leftMirror, mirrorFileOf } from '../../collection/mirrors/mirror-file.ts'
import { type MirrorAsk, mirrorsOf } from '../../collection/mirrors/mirror-findings.ts'
import type { Database } from '../../database/database.ts'
import { isLocked } from '../../database/lock.ts'
import type { PostgresOptions } from '../../database/postgres/open.ts'
import { openToRead } from '../../database/sqlite/open.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { readRecord } from '../../frontier/records.ts'
import { type VolumeAccess, volumeSources } from '../composition/volume-sources.ts'
import type { Settings } from '../config/keys.ts'
import { scopeSeeds, seedCounts, seedOutcomes } from '../seeds/stored-seeds.ts'
import { verifyCollection } from '../verify/verify.ts'
import { clusterReader } from './cluster.ts'
import { contentOf, historyOf } from './content.ts'
import { siteFacts, urlFacts, whyNotIn } from './explain.ts'
import { everyLook, exportCdxj, exportPages } from './exports.ts'
import { changeReport, type PlanAsk, refreshPlan } from './plan.ts'
import { collectionStatus, dayReport, freshnessNow, mailName, overviewFigures } from './status.ts'
import { type VersionsAsk, versionsOf } from './versions.ts'

/** URLs that are named per content; all are counted. */
const URLS_PER_CONTENT = 1000

export type OpenCollection = Awaited<ReturnType<typeof openCollection>>

export interface OpenOptions {
  /** postgres://…: a shared database; otherwise `collection.db` in the folder. */
  database?: string
  /** For volumes that lie on other machines. */
  volumes?: VolumeAccess
  /** Of a shared database; reports may take an hour, pages a second. */
  patience?: PostgresOptions
  /** The collection's time. Undefined: the shared database's, which wrote every time in it, or this machine's. */
  clock?: Clock
  disk?: Disk
}

const NO_ACCESS: VolumeAccess = {
  joinSecret: undefined,
  s3: { endpoint: undefined, region: 'us-east-1', keys: undefined },
}

/** Throws 'no-collection' when there is none. The caller closes it. */
export async function openCollection(folder: string, options: OpenOptions = {}) {
  const { disk = realDisk } = options
  const database = await databaseToRead(folder, options.database, options.patience)
  const { clock, stopClock } = await clockOf(database, options.clock)
  const archive = join(folder, 'archive')
  const indexes = join(folder, 'indexes')
  const running = () => isRunning(database, folder)
  const sources = volumeSources(options.volumes ?? NO_ACCESS)
  const volumes = readVolumes(database, disk, archive, sources)
  const whyNot = async (url: string, settings: Settings) => {
    const around = await scopeSeeds({ database, settings })
    return database.read((tx) => whyNotIn(tx, disk, url, settings, around))
  }

  return {
    figures: () =>
      database.read(async (tx) => {
        const { urls } = await frontierQueries.totals(tx)
        return figures(tx, { seen: urls.known, waiting: urls.waiting })
      }),
    web: () => characterise(database),
    /** The crawl from its beginning, in stretches. */
    evolution: () => database.read((tx) => evolution(tx)),
    ...clusterReader(database, clock, disk, folder),
    changeReport: (atMost: number) => changeReport(database, atMost),
    seedStanding: () => seedCounts(database),
    seedOutcomes: () => seedOutcomes(database),
    async standing() {
      const isCrawled = await running()
      return database.read((tx) => collectionStatus(tx, isCrawled, clock))
    },
    /** For a mail about the last day. */
    dayReport: (settings: Settings) => database.read((tx) => dayReport(tx, mailName(settings), clock.now(), undefined)),
    /** What is wrong now, the longest first. */
    overview: () => database.read((tx) => overviewFigures(tx, clock.now())),
    problems: () => database.read((tx) => readProblems(tx, clock.now())),
    freshness: (settings: Settings) => freshnessNow(database, clock, settings),
    refreshPlan: (settings: Settings, ask: PlanAsk) => refreshPlan(database, clock, settings, ask),
    duplicates: (atMost: number) => database.read((tx) => duplicateContents(tx, atMost, URLS_PER_CONTENT)),
    mirrors: (ask: MirrorAsk) => mirrorsOf(database, frontierQueries, ask),
    history: (url: string) => historyOf(database, url),
    content: (url: string, at: Instant | undefined) => contentOf(database, volumes, url, at),
    /** Undefined: the cursor is not of this collection. */
    async changes(since: Settings['since']): Promise<ChangeReader | undefined> {
      const isAt = typeof since === 'object' && 'at' in since
      const position =
        since === undefined || isAt
          ? firstPosition(database)
          : since === 'now'
            ? await lastPosition(database)
            : await positionOf(database, since.cursor)
      return position && changeReader(database, position, isAt ? since.at : undefined)
    },
    versions: (url: string, ask: VersionsAsk) => versionsOf(database, volumes, url, ask),
    urlFacts: (url: string, referrers: number) => database.read((tx) => urlFacts(tx, url, referrers)),
    whyNot,
    /** As in `orbweaver.yaml`; undefined where the folder has that file itself. */
    recordedSettings: () => database.read((tx) => readRecord(tx, 'settings')),
    leftMirror: async (site: string, { mirrors }: Settings) =>
      leftMirror(disk, mirrorFileOf(mirrors, folder, disk), site),
    async siteFacts(site: string) {
      const isCrawled = await running()
      return database.read((tx) => siteFacts(tx, isCrawled, site))
    },
    /** `everywhere`: volumes on other machines are fetched, one at a time. */
    verify(progress: (volume: string) => void, everywhere = false) {
      const server = knownNodeId(disk, folder)
      const parts = { database, disk, archive, indexes, running, server, sources, everywhere }
      return verifyCollection(parts, progress)
    },
    /** For the pages of the dashboard. */
    async browse(settings: Settings) {
      const { browse } = await import('./browse.ts')
      const parts = { database, disk, volumes, folder, settings, clock, running }
      return browse({ ...parts, whyNot: (url) => whyNot(url, settings) })
    },
    looks: () => everyLook(database),
    exportCdxj: () => exportCdxj(database, disk, indexes, running),
    exportPages: () => exportPages(database),
    exportLinks: () => exportLinks(database),
    linksInto: async (path: string) => (await linkTable(database, path)).links,
    async close() {
      sources.close()
      stopClock()
      await database.close()
    },
  }
}

async function clockOf(database: Database, given: Clock | undefined): Promise<{ clock: Clock; stopClock(): void }> {
  if (given !== undefined || database.dialect === 'sqlite') return { clock: given ?? realClock, stopClock() {} }
  const { databaseClock } = await import('../../database/postgres/clock.ts')
  try {
    const clock = await databaseClock(database, realClock)
    return { clock, stopClock: () => clock.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A report counts whole tables, and `verify` reads a volume between two statements: both may take long. */
const PATIENT = { connections: 2, statementMs: 3_600_000, idleInTransactionMs: 600_000 } as const

/** `address`: postgres://… Throws 'no-collection' when there is none. */
export async function databaseToRead(
  folder: string,
  address: string | undefined,
  patience: PostgresOptions = PATIENT,
): Promise<Database> {
  if (address === undefined) return openToRead(join(folder, 'collection.db'))
  // The client is loaded only when it is needed: `status` on a file starts at once.
  const { openPostgresToRead } = await import('../../database/postgres/open.ts')
  return openPostgresToRead(address, patience)
}

/** Whether a process here, or a server anywhere that shares the database, has the collection open now. */
async function isRunning(database: Database, folder: string): Promise<boolean> {
  if (database.dialect === 'sqlite') return isLocked(folder)
  const { databaseNow } = await import('../../database/postgres/clock.ts')
  const since = (await databaseNow(database)) - SILENT_AFTER
  return (await database.read((tx) => readServers(tx, since, 1))).length > 0
}
