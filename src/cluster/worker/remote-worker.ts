/**
 * Workers for a coordinator elsewhere: the crew of an embedded crawl, with the doors of a server over HTTP instead of those of
 * this process. What cannot be delivered is kept on this machine's disk; the folder of the worker is all that it has.
 */

import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { serverCaOf } from '../../app/composition/volume-sources.ts'
import { loadThread } from '../../app/composition/worker-thread.ts'
import type { Settings } from '../../app/config/keys.ts'
import { type Millis, realClock } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import { type Journal, Readers } from '../../base/journal.ts'
import { freshId, freshSeed, type Random, seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { replaceFile } from '../../base/replace-file.ts'
import { openVolumesIn } from '../../collection/locations/own-locations.ts'
import type { VolumeSink } from '../../collection/locations/ship-volumes.ts'
import {
  DIR,
  LocationFailed,
  type LocationParts,
  type OpenLocations,
  openLocations,
} from '../../collection/locations/volume-locations.ts'
import { repairVolumes } from '../../collection/volumes/repair.ts'
import { volumePath } from '../../collection/volumes/volume-name.ts'
import type { Event } from '../../contracts/events.ts'
import { ThreadNotes } from '../../crawl/worker/worker-pool.ts'
import { lockCollection } from '../../database/lock.ts'
import { type HttpClient, httpClient } from '../wire/http-client.ts'
import { Refusal } from '../wire/judge-answer.ts'
import { joinServers, type RemoteServers, reachServers } from '../wire/remote-coordinator.ts'
import { type Identity, Unreachable } from '../wire/servers.ts'
import { type RunningWorker, runRemoteWorker } from './run-threads.ts'

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

/** The places for a worker's volumes; what a kill left in the folders of this machine is put right first. */

export interface RemoteWorkerLocationParts extends Omit<LocationParts, 'isOurs' | 'located' | 'server'> {
  volumes: RemoteServers['volumes']
  /** In the names of its volumes, and of nobody else's. */
  host: string
}

export async function openRemoteWorkerLocations(parts: RemoteWorkerLocationParts): Promise<OpenLocations> {
  const { settings, disk, archive, volumes, journal, host } = parts
  const isOurs = (volume: string) => volume.includes(`-${host}~`)
  // The catalogue is not here, so each volume is looked through from its beginning.
  await repairVolumes(disk, archive, journal)
  for (const location of settings.volumes.filter((name) => name.startsWith(DIR))) {
    const there = resolve(location.slice(DIR.length))
    await repairThere(disk, there, archive, isOurs, journal).catch((error) => {
      journal.tell({ kind: 'trouble', what: `volumes in ${there} cannot be closed: ${error}` })
    })
  }
  const { located } = volumes
  return openLocations({ settings, disk, archive, located, server: serverSink(volumes), journal, isOurs })
}

/** Those that were written there: what an earlier version was sending there lies in the archive too. */
async function repairThere(
  disk: Disk,
  folder: string,
  archive: string,
  isOurs: (volume: string) => boolean,
  journal: Journal<Event>,
): Promise<void> {
  const isLeft = (name: string) => !isOurs(name) || volumePath(disk, archive, name) !== undefined
  await repairVolumes(disk, folder, journal, new Map(), new Set(openVolumesIn(disk, folder).filter(isLeft)))
}

/** The server as a place for volumes. Whoever has none does not load this: it takes the whole API with it. */

/** Without a server nothing can be reported either, and no other place would help; one that is full or refuses is another matter. */
export function serverSink(volumes: Pick<RemoteServers['volumes'], 'append' | 'seal'>): VolumeSink {
  const orNext = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const isFull = error instanceof Unreachable && error.isFull
      throw isFull || error instanceof Refusal ? new LocationFailed(error) : error
    }
  }
  return {
    append: (name, offset, bytes) => orNext(volumes.append(name, offset, bytes)),
    seal: (name, size) => orNext(volumes.seal(name, size)),
  }
}

/** Who a worker is to its servers: an id and a secret, kept in its folder; and what to do when they will not have it. */

const IDENTITY_FILE = 'worker.json'
const MAX_BYTES = 10_000

export interface Joining {
  settings: Pick<Settings, 'collection' | 'server' | 'joinSecret' | 'region'>
  name: string
  version: string
  random: Random
  client: HttpClient
}

/** The worker that this folder was before, or a new one. */
export async function identityOf({ settings, name, version, random, client }: Joining): Promise<Identity> {
  const path = pathOf(settings)
  const size = realDisk.size(path)
  if (size !== undefined) return readIdentity(path, size)
  const { joinSecret, region } = settings
  const who = { name, version, ...(region && { region }), ...(joinSecret && { join: joinSecret }) }
  try {
    const identity = await joinServers(settings.server, who, { clock: realClock, random, client })
    await replaceFile(realDisk, path, `${JSON.stringify(identity)}\n`, 0o600)
    return identity
  } catch (error) {
    throw isRefused(error, 403) ? notLetIn(error, joinSecret !== undefined) : error
  }
}

/** What servers refuse to a worker that had joined, with what can be done here. */
export function inOwnWords(error: unknown, settings: Pick<Settings, 'collection'>, undelivered: number): unknown {
  if (!isRefused(error, 401)) return error
  const path = pathOf(settings)
  const lost = undelivered === 0 ? '' : ` The ${undelivered} reports that wait in its outbox would then be nobody's.`
  return new Problem(
    'server-refused',
    `${error.message}. Who this worker is lies in ${path}; it joined another crawl, or the servers have forgotten it. If these are the right servers, remove that file: the same command then joins anew (--join-secret, ORBWEAVER_JOIN_SECRET).${lost}`,
    { cause: error },
  )
}

function notLetIn(error: Refusal, isGiven: boolean): Problem {
  const here = isGiven ? 'What was given here is not what the server has' : 'Nothing was given here'
  return new Problem(
    'server-refused',
    `${error.message}. ${here}: set ORBWEAVER_JOIN_SECRET, or give --join-secret @FILE, to what the server was started with`,
    { cause: error },
  )
}

const pathOf = ({ collection }: Pick<Settings, 'collection'>): string => join(collection, IDENTITY_FILE)

function isRefused(error: unknown, status: number): error is Refusal {
  return error instanceof Refusal && error.isOurs && error.status === status
}

function readIdentity(path: string, size: number): Identity {
  try {
    const { worker, secret } = JSON.parse(new TextDecoder().decode(realDisk.read(path, 0, Math.min(size, MAX_BYTES))))
    if (typeof worker === 'string' && typeof secret === 'string') return { worker, secret }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Problem(
    'unreadable',
    `${path} is damaged; remove it, and the worker joins anew (reports in its outbox are then no longer its own)`,
  )
}

/** What a name of a worker may hold. */
export function plainHostname(): string {
  return (
    hostname()
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 40) || 'worker'
  )
}
