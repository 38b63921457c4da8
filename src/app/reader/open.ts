/** An opened collection, for commands that only look: also while a crawl writes it, also where nothing can be written. */
import { join } from 'node:path'
import { type Clock, type Instant, realClock } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { realDisk } from '../../base/real-disk.ts'
import { capturesOf, type StoredCapture } from '../../collection/captures/read-captures.ts'
import { characterise } from '../../collection/characterise/characterise.ts'
import { duplicateContents, figures } from '../../collection/figures.ts'
import { exportLinks, linkTable } from '../../collection/links/export-links.ts'
import { knownNodeId } from '../../collection/locations/own-locations.ts'
import { readVolumes } from '../../collection/locations/read-volumes.ts'
import { leftMirror } from '../../collection/mirrors/mirror-file.ts'
import { type MirrorAsk, mirrorsOf } from '../../collection/mirrors/mirror-findings.ts'
import { viewsOf } from '../../frontier/open-frontier.ts'
import { databaseToRead, isRunning } from '../composition/open-database.ts'
import { recordedSettings } from '../composition/recorded-settings.ts'
import { type VolumeAccess, volumeSources } from '../composition/volume-sources.ts'
import type { Settings } from '../config/keys.ts'
import { scopeSeeds, seedOutcomes, seedStanding } from '../seeds/stored-seeds.ts'
import { verifyCollection } from '../verify/verify.ts'
import { contentOf } from './content.ts'
import { siteFacts, urlFacts, whyNotIn } from './explain.ts'
import { everyLook, exportCdxj, exportPages } from './exports.ts'
import { standing } from './status.ts'

/** URLs named of one content; all are counted. */
const URLS_OF_A_CONTENT = 1000

export type OpenCollection = Awaited<ReturnType<typeof openCollection>>

export interface OpenOptions {
  /** postgres://…: the database that many machines share; else `collection.db` in the folder. */
  database?: string
  /** What is needed to read volumes that lie on other machines. */
  volumes?: VolumeAccess
  clock?: Clock
  disk?: Disk
}

const NO_ACCESS: VolumeAccess = {
  joinSecret: undefined,
  s3: { endpoint: undefined, region: 'us-east-1', keys: undefined },
}

/** Throws 'no-collection' when there is none. Who opens it closes it. */
export async function openCollection(folder: string, options: OpenOptions = {}) {
  const { clock = realClock, disk = realDisk } = options
  const database = await databaseToRead(folder, options.database)
  const looks = viewsOf(database)
  const archive = join(folder, 'archive')
  const indexes = join(folder, 'indexes')
  const running = () => isRunning(database, folder)
  const sources = volumeSources(options.volumes ?? NO_ACCESS)
  const volumes = readVolumes(database, disk, archive, sources)

  return {
    figures: () =>
      database.read(async (tx) => {
        const { urls } = await looks.totals(tx)
        return figures(tx, { seen: urls.known, waiting: urls.waiting })
      }),
    web: () => characterise(database),
    seedStanding: () => seedStanding(database),
    seedOutcomes: () => seedOutcomes(database, looks),
    async standing() {
      const isCrawled = await running()
      return database.read((tx) => standing(tx, looks, isCrawled, clock))
    },
    duplicates: (atMost: number) => database.read((tx) => duplicateContents(tx, atMost, URLS_OF_A_CONTENT)),
    mirrors: (ask: MirrorAsk) => mirrorsOf(database, looks, ask),
    async captures(text: string) {
      const captures = await database.read(async (tx) => {
        const url = (await looks.reader(tx)).parse(text)
        return url === undefined ? [] : capturesOf(tx, url.site, (await looks.url(tx, text))?.key ?? url.key)
      })
      return captures.map(captureLine)
    },
    content: (url: string, at: Instant | undefined) => contentOf(database, looks, volumes, url, at),
    urlFacts: (url: string, referrers: number) => database.read((tx) => urlFacts(tx, looks, url, referrers)),
    async whyNot(url: string, settings: Settings) {
      const around = await scopeSeeds({ database, settings })
      return database.read((tx) => whyNotIn(tx, looks, disk, url, settings, around))
    },
    /** As `orbweaver.yaml` has them; undefined where the folder has that file itself. */
    recordedSettings: () => database.read(recordedSettings),
    leftMirror: async (site: string, settings: Settings) => leftMirror(settings, folder, disk, site),
    async siteFacts(site: string) {
      const isCrawled = await running()
      return database.read((tx) => siteFacts(tx, looks, isCrawled, site))
    },
    /** `everywhere`: volumes that lie on other machines are fetched, one at a time. */
    verify(tell: (volume: string) => void, everywhere = false) {
      const server = knownNodeId(disk, folder)
      return verifyCollection({ database, disk, archive, indexes, looks, running, server, sources, everywhere }, tell)
    },
    looks: () => everyLook(database),
    exportCdxj: () => exportCdxj(database, disk, indexes, running),
    exportPages: () => exportPages(database),
    exportLinks: () => exportLinks(database),
    linksInto: async (path: string) => (await linkTable(database, path)).links,
    async close() {
      sources.close()
      await database.close()
    },
  }
}

/** Field by field: a line of `history` is printed as it is. */
function captureLine({ at, status, mediaType, length, digest, kind, volume, offset }: StoredCapture) {
  return { at, status, mediaType, length, digest, kind, volume, offset }
}
