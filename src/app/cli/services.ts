/**
 * What commands need from the rest of the program. `realServices` loads each part when it is first used, so that `--help` and
 * `status` start at once; tests pass their own.
 */
import type { simulateCrawl } from '../../../testkit/simulate/crawl-run.ts'
import type { WorkerHandle } from '../../cluster/worker/remote-worker.ts'
import type { Renewal } from '../../collection/mirrors/list.ts'
import type { CheckNames, Renewed } from '../../collection/mirrors/mirror-file.ts'
import type { Cleaned } from '../composition/clean.ts'
import type { CrawlHandle, CrawlOptions } from '../composition/crawl.ts'
import type { WorkerStart } from '../composition/remote-worker.ts'
import type { ServeHandle, ServeOptions } from '../composition/serve.ts'
import type { Settings } from '../config/keys.ts'
import type { OpenCollection } from '../reader/open.ts'
import type { SeedRequest, SeedsEntered, SeedWatch } from '../seeds/sources.ts'
import type { serveDemoWeb } from './demo-web.ts'

export type CollectionReader = OpenCollection

type Answer<Question extends keyof CollectionReader> = Awaited<ReturnType<CollectionReader[Question]>>
export type CollectionStatus = Answer<'standing'>
export type UrlFacts = Answer<'urlFacts'>
export type SiteFacts = Answer<'siteFacts'>
export type SiteView = NonNullable<SiteFacts['view']>
export type WhyNot = NonNullable<Answer<'whyNot'>>
export type LeftMirror = Pick<NonNullable<Answer<'leftMirror'>>, 'original' | 'on' | 'why'>
export type Content = NonNullable<Answer<'content'>>

export interface Services {
  startCrawl(settings: Settings, options: CrawlOptions): Promise<CrawlHandle>
  /** A server without workers of its own; workers reach it over HTTP. */
  startServer(settings: Settings, options: ServeOptions): Promise<ServeHandle>
  startWorker(settings: Settings, options: WorkerStart): Promise<WorkerHandle>
  /** Opens a collection for reading, also while a crawl is running. `settings`: how to reach a shared database and its volumes. */
  openCollection(folder: string, settings: Settings | undefined): Promise<CollectionReader>
  /** Adds seeds from any source to a collection without crawling; creates the collection if necessary. */
  enterSeeds(settings: Settings, request: SeedRequest & { version: string }, watch: SeedWatch): Promise<SeedsEntered>
  /** Resolves names as a crawl with these settings would. */
  nameChecker(settings: Settings): Promise<CheckNames>
  /** Writes or updates the list of mirrors. */
  renewMirrors(path: string, renewal: Renewal, check?: CheckNames): Promise<Renewed>
  /** Lists orphaned data, and removes it with `settings.remove`. */
  clean(settings: Settings, version: string): Promise<Cleaned>
  serveWeb: typeof serveDemoWeb
  simulateCrawl: typeof simulateCrawl
}

export const realServices: Services = {
  async startCrawl(settings, options) {
    // The worker thread loads its code while this thread loads the coordinator.
    const { loadThread } = await import('../composition/worker-thread.ts')
    const thread = loadThread()
    const { startCrawl } = await import('../composition/crawl.ts')
    return startCrawl(settings, options, thread)
  },
  startServer: async (...args) => (await import('../composition/serve.ts')).startServer(...args),
  async startWorker(settings, options) {
    const { loadThread } = await import('../composition/worker-thread.ts')
    const thread = loadThread()
    const { startWorker } = await import('../composition/remote-worker.ts')
    return startWorker(settings, options, thread)
  },
  async openCollection(folder, settings) {
    const [{ openCollection }, { volumeAccessOf }] = await Promise.all([
      import('../reader/open.ts'),
      import('../composition/volume-sources.ts'),
    ])
    if (settings === undefined) return openCollection(folder)
    return openCollection(folder, { database: settings.database, volumes: volumeAccessOf(settings) })
  },
  enterSeeds: async (...args) => (await import('../seeds/sources.ts')).enterFromSources(...args),
  nameChecker: async (settings) => (await import('../composition/real-resolver.ts')).realNameChecker(settings),
  async renewMirrors(path, renewal, check) {
    const { renewMirrorFile } = await import('../../collection/mirrors/mirror-file.ts')
    const { realDisk } = await import('../../base/real-disk.ts')
    return renewMirrorFile(realDisk, path, renewal, check)
  },
  clean: async (...args) => (await import('../composition/clean.ts')).cleanCollection(...args),
  serveWeb: async (options) => (await import('./demo-web.ts')).serveDemoWeb(options),
  simulateCrawl: async (options) => (await import('../../../testkit/simulate/crawl-run.ts')).simulateCrawl(options),
}
