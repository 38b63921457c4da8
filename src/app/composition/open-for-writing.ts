/** A collection opened by the one process that writes it; made when there is none. */
import { dirname, join, resolve } from 'node:path'
import { Readers } from '../../base/journal.ts'
import { freshSeed, seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { Event } from '../../contracts/events.ts'
import { lockCollection } from '../../database/lock.ts'
import type { KnownWorkers } from '../../frontier/affinity.ts'
import type { SeedUrl } from '../../frontier/ledger.ts'
import type { WebUrl } from '../../web/url/web-url.ts'
import type { Given } from '../config/given.ts'
import type { SettingName, Settings } from '../config/keys.ts'
import { writeSettingsFile } from '../config/settings-file.ts'
import { type Coordinator, openCoordinator } from './coordinator.ts'
import { databaseToWrite } from './open-database.ts'
import { recordSettings } from './recorded-settings.ts'

export interface WritingOptions {
  seeds: readonly WebUrl[]
  version: string
  /** Who set what: a shared database records it, for those who ask it from elsewhere. */
  given?: ReadonlyMap<SettingName, Given>
  journal?: (event: Event) => void
  /** As in `CoordinatorParts`: for tests that take the longer way. */
  atOnceBytes?: number
  /** As in `CoordinatorParts`. */
  serves?: boolean
  workers?: KnownWorkers
}

/** Who opens it closes it. */
export async function openForWriting(settings: Settings, options: WritingOptions) {
  const folder = settings.collection
  for (const inside of ['', 'archive', 'indexes', 'logs']) realDisk.makeFolder(join(folder, inside))
  // A loss of power must not take the folder itself, with all that is durable in it.
  await realDisk.syncFolder(folder)
  await realDisk.syncFolder(dirname(resolve(folder)))
  const lock = lockCollection(folder)
  const journal = new Readers<Event>()
  if (options.journal !== undefined) journal.read(options.journal)
  try {
    const { database, clock, nudges, close: closeDatabase } = await databaseToWrite(settings)
    let opened: Coordinator | undefined
    const close = async () => {
      // Whatever the log's file lacks then, the database still has.
      await opened?.intake.close().catch(() => {})
      await closeDatabase()
      lock.release()
    }
    try {
      const random = seededRandom(settings.randomSeed ?? freshSeed())
      const parts = { database, disk: realDisk, folder, clock, random, journal, settings }
      const coordinator = await openCoordinator({
        ...parts,
        atOnceBytes: options.atOnceBytes,
        ...(options.serves && { serves: true, recheckShare: settings.recheckShare }),
        ...(options.workers && { workers: options.workers }),
      })
      opened = coordinator
      const { given, version } = options
      if (database.dialect === 'postgres' && given !== undefined)
        await database.transact((tx) => recordSettings(tx, writeSettingsFile(given, version)))
      const { fresh } = await coordinator.seed(seedsOf(options.seeds, coordinator))
      return { coordinator, journal, nudges, fresh, close }
    } catch (error) {
      await close()
      throw error
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Whoever read them had no collection to ask for its rules. */
function seedsOf(seeds: readonly WebUrl[], { urls }: Coordinator): SeedUrl[] {
  return seeds.flatMap(({ href }) => {
    const url = urls.parse(href)
    return url === undefined ? [] : [{ url: url.href, key: url.key, site: url.site }]
  })
}
