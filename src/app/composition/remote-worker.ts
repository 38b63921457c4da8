/** A worker for servers on other machines, from its settings. */
import type { Worker } from 'node:worker_threads'
import { realDisk } from '../../base/real-disk.ts'
import { startRemoteWorker } from '../../cluster/worker/remote-worker.ts'
import type { Event } from '../../contracts/events.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { serverCaOf } from '../config/certificates.ts'
import type { Settings } from '../config/keys.ts'
import { crawlPlanOf } from '../config/plan-for-workers.ts'
import { type CrawlPlan, parseUrls, scopeFor, urlsOf } from './plan.ts'
import { s3AccessOf } from './volume-sources.ts'
import { endThread, loadThread } from './worker-thread.ts'

export interface WorkerStart {
  version: string
  journal?: (event: Event) => void
}

/** `thread`: the first worker thread, if it was loaded already. The worker ends it. */
export async function startWorker(
  settings: Settings,
  { version, journal }: WorkerStart,
  thread: Worker = loadThread(),
) {
  const { collection, workers, visits, verbose, quiet, dnsServers } = settings
  const own = { collection, workers, visits, verbose, quiet, dnsServers }
  try {
    return await startRemoteWorker<CrawlPlan>({
      version,
      ...(journal && { journal }),
      folder: collection,
      servers: settings.server,
      name: settings.name,
      region: settings.region,
      joinSecret: settings.joinSecret,
      serverCa: serverCaOf(settings),
      volumes: settings.volumes,
      s3: () => s3AccessOf(settings),
      workers,
      visits,
      silentMs: settings.watchdog,
      untilDone: settings.untilDone,
      thread,
      loadThread,
      readPlan: (plan) => crawlPlanOf(plan, own, collection, realDisk),
      wantedBy,
    })
  } catch (error) {
    await endThread(thread)
    throw error
  }
}

/** Whether a plan wants a URL, without the blacklists: threads read those themselves. */
export function wantedBy({ settings, seeds, alternates }: CrawlPlan): (url: string) => boolean {
  const urls = urlsOf(settings)
  const scope = scopeFor(settings, parseUrls(urls, seeds), () => emptyBlacklist, parseUrls(urls, alternates))()
  return (text) => {
    const url = urls.parse(text)
    return url === undefined || scope.judge(url, 0).yes
  }
}
