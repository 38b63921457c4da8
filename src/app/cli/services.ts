/**
 * The doors through which commands reach the coordinator, with what they need of it and no more. `real-doors.ts` opens the
 * real ones; tests hand in others.
 */

import type { WorkerHandle } from '../../cluster/worker/remote-worker.ts'
import type { Renewal } from '../../collection/mirrors/list.ts'
import type { CheckNames, Renewed } from '../../collection/mirrors/mirror-file.ts'
import type { Cleaned } from '../composition/clean.ts'
import type { CrawlHandle, CrawlOptions } from '../composition/crawl.ts'
import type { WorkerStart } from '../composition/remote-worker.ts'
import type { ServeHandle, ServeOptions } from '../composition/serve.ts'
import type { Settings } from '../config/keys.ts'
import type { SeedRequest, SeedsEntered, SeedWatch } from '../seeds/sources.ts'
import type { CollectionReader } from './collection-reader.ts'

export interface SimulateOptions {
  sites: number
  pages: number
  seed: number
  workers?: number
  lwf?: boolean
  /** What differs from the usual web, and from the defaults of a crawl. */
  web?: { latencyMs?: number; sharedAddressShare?: number; sitesPerAddress?: number }
  settings?: Partial<Settings>
}

export interface SimulationReport {
  sites: number
  documents: number
  /** Documents that the synthetic web's own definition says are reachable and permitted. */
  expected: number
  /** Of them, those that were not collected; and what was collected though it should not be. */
  missing: readonly string[]
  surplus: readonly string[]
  requests: number
  virtualMs: number
  realMs: number
  /** Requests that came too early or to forbidden places, on the servers' side. */
  violations: number
  pace: {
    collectors: number
    requestsPerSecond: number
    busyShare: number
    halfMs: number
    ninetyMs: number
    sitesMs: number
    meanWaitMs: number
    longestWaitMs: number
  }
}

/** What differs from the usual demonstration. */
export interface DemoOptions {
  sites: number | undefined
  /** Of a site, on average. */
  pages: number | undefined
  seed: number | undefined
}

/** A synthetic web, served on loopback. */
export interface ServedWeb {
  seeds: string[]
  /** For `--resolve`: `*.test=127.0.0.1:43210`. */
  resolve: readonly string[]
  sites: number
  pages: number
  /** Among the sites: servers that fail, copies of others, and traps, of which one is worth a look. */
  failing: number
  mirrors: number
  traps: number
  trap: string | undefined
  close(): Promise<void>
}

export interface Services {
  startCrawl(settings: Settings, options: CrawlOptions): Promise<CrawlHandle>
  /** A house without workers of its own, that others reach over HTTP. */
  startServer(settings: Settings, options: ServeOptions): Promise<ServeHandle>
  /** Workers for such a coordinator. */
  startWorker(settings: Settings, options: WorkerStart): Promise<WorkerHandle>
  /** For reading, while a crawl may be running. `settings`: of a database and of volumes that many machines share. */
  openCollection(folder: string, settings: Settings | undefined): Promise<CollectionReader>
  /** Adds seeds from any sources to a collection, made if need be, without crawling. */
  enterSeeds(settings: Settings, request: SeedRequest & { version: string }, watch: SeedWatch): Promise<SeedsEntered>
  /** Looks names up as a crawl with these settings would. */
  nameChecker(settings: Settings): Promise<CheckNames>
  /** Writes the list of mirrors, or writes it anew. */
  renewMirrors(path: string, renewal: Renewal, check?: CheckNames): Promise<Renewed>
  /** Lists what nobody owns any more, and removes it with `settings.remove`. */
  clean(settings: Settings, version: string): Promise<Cleaned>
  serveWeb(options: DemoOptions): Promise<ServedWeb>
  simulateCrawl(options: SimulateOptions): Promise<SimulationReport>
}
