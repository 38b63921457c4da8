/**
 * What entering seeds needs. A collection in a folder has one process that writes, so the whole house is opened, and what a
 * crash left is put right first. A database that many machines share takes seeds from anybody at any time: there the frontier is
 * enough, and what workers bring is the servers' affair.
 */
import { freshSeed, seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { Database } from '../../database/database.ts'
import type { Ledger } from '../../frontier/ledger.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import type { Settings } from '../config/keys.ts'
import { openCrawlFrontier } from './crawl-frontier.ts'
import { databaseToWrite } from './open-database.ts'
import { openForWriting } from './open-for-writing.ts'

export interface SeedTarget {
  database: Database
  ledger: Ledger
  urls: UrlReader
  close(): Promise<void>
}

/** Who opens it closes it. */
export async function openForSeeding(settings: Settings, version: string): Promise<SeedTarget> {
  if (settings.database === undefined) {
    const { coordinator, close } = await openForWriting(settings, { seeds: [], version })
    return { database: coordinator.parts.database, ledger: coordinator.frontier.ledger, urls: coordinator.urls, close }
  }
  const { database, clock, close } = await databaseToWrite(settings)
  try {
    const random = seededRandom(settings.randomSeed ?? freshSeed())
    const parts = { database, disk: realDisk, clock, random, journal: { record() {} }, settings }
    const { frontier, urls } = await openCrawlFrontier(parts, true)
    await frontier.recover(async () => {})
    return { database, ledger: frontier.ledger, urls, close }
  } catch (error) {
    await close()
    throw error
  }
}
