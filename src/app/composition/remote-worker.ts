/**
 * Workers for a coordinator elsewhere: the crew of an embedded crawl, with the doors of a server over HTTP instead of those of
 * this process. What cannot be delivered is kept on this machine's disk; the folder of the worker is all that it has.
 */
import { dirname, join, resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { type Millis, realClock } from '../../base/clock.ts'
import { Readers } from '../../base/journal.ts'
import { freshId, freshSeed, seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { httpClient } from '../../cluster/wire/http-client.ts'
import { type RemoteServers, reachServers } from '../../cluster/wire/remote-coordinator.ts'
import type { Event } from '../../contracts/events.ts'
import { lockCollection } from '../../database/lock.ts'
import type { Settings } from '../config/keys.ts'
import type { OpenLocations } from './open-locations.ts'
import { openRemoteWorkerLocations } from './remote-worker-locations.ts'
import { type RunningWorker, runRemoteWorker } from './remote-worker-pool.ts'
import { serverCaOf } from './server-ca.ts'
import { ThreadNotes } from './thread-notes.ts'
import { identityOf, inOwnWords, plainHostname } from './worker-identity.ts'
import { loadThread } from './worker-thread.ts'

export interface WorkerStart {
  version: string
  journal?: (event: Event) => void
}

export interface WorkerHandle extends RunningWorker {
  name: string
}

const OUTBOX_BYTES = 2 ** 30
/** How long a check-out waits at the server for a site to become free. */
const POLL: Millis = 20_000
const LIFE_LETTERS = 8

/** `thread`: the first worker thread, if that was loaded already; from here on it belongs to the worker. */
export async function startWorker(
  settings: Settings,
  options: WorkerStart,
  thread: Worker = loadThread(),
): Promise<WorkerHandle> {
  try {
    return await openWorker(settings, options, thread)
  } catch (error) {
    await thread.terminate()
    throw error
  }
}

async function openWorker(settings: Settings, options: WorkerStart, thread: Worker): Promise<WorkerHandle> {
  const ca = serverCaOf(settings)
  const folder = settings.collection
  for (const inside of ['', 'archive']) realDisk.makeFolder(join(folder, inside))
  await realDisk.syncFolder(folder)
  await realDisk.syncFolder(dirname(resolve(folder)))
  const lock = lockCollection(folder)
  const journal = new Readers<Event>()
  if (options.journal !== undefined) journal.read(options.journal)
  const client = httpClient(realClock, ca)
  let remote: RemoteServers | undefined
  let locations: OpenLocations | undefined
  const explained = (error: unknown): never => {
    throw inOwnWords(error, settings, remote?.undelivered ?? 0)
  }
  try {
    const name = settings.name ?? plainHostname()
    const random = seededRandom(freshSeed())
    const { version } = options
    const identity = await identityOf({ settings, name, version, random, client })
    const host = `${name}-${identity.worker.slice(0, LIFE_LETTERS)}`
    const archive = join(folder, 'archive')
    const volumes: RemoteServers['volumes'] = {
      append: (...args) => remote!.volumes.append(...args),
      seal: (...args) => remote!.volumes.seal(...args),
      located: (...args) => remote!.volumes.located(...args),
    }
    const opened = await openRemoteWorkerLocations({ settings, disk: realDisk, archive, host, volumes, journal })
    locations = opened
    remote = reachServers({
      servers: settings.server,
      identity,
      life: freshId().slice(0, LIFE_LETTERS),
      clock: realClock,
      random,
      journal,
      disk: realDisk,
      outboxFolder: join(folder, 'outbox'),
      outboxBytes: OUTBOX_BYTES,
      pollMs: POLL,
      ready: () => opened.list.ship(),
      client,
    })
    const threads = new ThreadNotes(realDisk, folder)
    if (await remote.leaveEarlier(threads.earlier)) threads.clear()
    const workerPool = { settings, version, thread, host, remote, journal, random, locations: opened, threads }
    const { done, snapshot, stop } = await runRemoteWorker(workerPool)
    return { name: host, done: done.catch(explained).finally(() => lock.release()), snapshot, stop }
  } catch (error) {
    await remote?.close(0)
    locations?.close()
    client.close()
    lock.release()
    return explained(error)
  }
}
