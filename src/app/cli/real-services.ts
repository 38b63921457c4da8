/** The real house behind the doors. Loaded when a door is opened, so that `--help` and `status` start at once. */
import type { Services } from './services.ts'

export const realServices: Services = {
  async startCrawl(settings, options) {
    // The thread loads what it needs while this one loads the coordinator.
    const { loadThread } = await import('../composition/worker-thread.ts')
    const thread = loadThread()
    const { startCrawl } = await import('../composition/crawl.ts')
    return startCrawl(settings, options, thread)
  },
  async startServer(settings, options) {
    const { startServer } = await import('../composition/serve.ts')
    return startServer(settings, options)
  },
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
  async enterSeeds(settings, request, watch) {
    const { enterFromSources } = await import('../seeds/sources.ts')
    return enterFromSources(settings, request, watch)
  },
  async nameChecker(settings) {
    const { realNameChecker } = await import('../composition/real-resolver.ts')
    return realNameChecker(settings)
  },
  async renewMirrors(path, renewal, check) {
    const { renewMirrorFile } = await import('../../collection/mirrors/mirror-file.ts')
    const { realDisk } = await import('../../base/real-disk.ts')
    return renewMirrorFile(realDisk, path, renewal, check)
  },
  async clean(settings, version) {
    const { cleanCollection } = await import('../composition/clean.ts')
    return cleanCollection(settings, version)
  },
  async serveWeb(options) {
    const { serveDemoWeb } = await import('./demo-web.ts')
    return serveDemoWeb(options)
  },
  async simulateCrawl(options) {
    const { simulateCrawl } = await import('../../../testkit/simulate/crawl-run.ts')
    return simulateCrawl(options)
  },
}
