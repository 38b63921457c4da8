/**
 * What commands need from the rest of the program. Each part is loaded when it is first used, so that `--help` and `status`
 * start at once; tests pass their own.
 */
import type { Renewal } from '../../collection/mirrors/list.ts'
import type { CheckNames } from '../../collection/mirrors/mirror-file.ts'
import type { startCrawl } from '../composition/crawl.ts'
import type { startWorker } from '../composition/remote-worker.ts'
import type { Settings } from '../config/keys.ts'
import type { OpenCollection } from '../reader/open.ts'

export type CollectionReader = OpenCollection

export type Services = typeof realServices

/** A function of a module that is loaded with the first call. */
function later<Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) {
  type Call = Extract<Module[Name], (...args: never[]) => Promise<unknown>>
  return (async (...args) => ((await load())[name] as Call)(...args)) as Call
}

export const realServices = {
  async startCrawl(...[settings, options]: Parameters<typeof startCrawl>) {
    // The worker thread loads its code while this thread loads the coordinator.
    const { loadThread } = await import('../composition/worker-thread.ts')
    const thread = loadThread()
    const { startCrawl } = await import('../composition/crawl.ts')
    return startCrawl(settings, options, thread)
  },
  /** A server without workers of its own; workers reach it over HTTP. */
  startServer: later(() => import('../composition/serve.ts'), 'startServer'),
  async startWorker(...[settings, options]: Parameters<typeof startWorker>) {
    const { loadThread } = await import('../composition/worker-thread.ts')
    const thread = loadThread()
    const { startWorker } = await import('../composition/remote-worker.ts')
    return startWorker(settings, options, thread)
  },
  /** Opens a collection for reading, also while a crawl is running. `settings`: how to reach a shared database and its volumes. */
  async openCollection(folder: string, settings: Settings | undefined) {
    const [{ openCollection }, { volumeAccessOf }] = await Promise.all([
      import('../reader/open.ts'),
      import('../composition/volume-sources.ts'),
    ])
    if (settings === undefined) return openCollection(folder)
    return openCollection(folder, { database: settings.database, volumes: volumeAccessOf(settings) })
  },
  /** Adds seeds from any source to a collection without crawling; creates the collection if necessary. */
  enterSeeds: later(() => import('../seeds/sources.ts'), 'enterFromSources'),
  /** What an operator does, whether a crawl is running or not. */
  performAction: later(() => import('../operators/act.ts'), 'performAction'),
  /** Resolves names as a crawl with these settings would. */
  nameChecker: async (settings: Settings) =>
    (await import('../composition/real-resolver.ts')).realNameChecker(settings),
  /** Writes or updates the list of mirrors. */
  async renewMirrors(path: string, renewal: Renewal, check?: CheckNames) {
    const { renewMirrorFile } = await import('../../collection/mirrors/mirror-file.ts')
    const { realDisk } = await import('../../base/real-disk.ts')
    return renewMirrorFile(realDisk, path, renewal, check)
  },
  /** Lists orphaned data, and removes it with `settings.remove`. */
  clean: later(() => import('../clean/clean.ts'), 'cleanCollection'),
  /** Counts the captures that a rule does not keep, and removes them with `settings.remove`. */
  retain: later(() => import('../clean/retention.ts'), 'retainCaptures'),
  /** Sends the report of a day; returns who got it. */
  mailDay: later(() => import('../operators/reporter.ts'), 'mailDay'),
  serveWeb: later(() => import('./demo-web.ts'), 'serveDemoWeb'),
  simulateCrawl: later(() => import('../../../testkit/simulate/crawl-run.ts'), 'simulateCrawl'),
}
