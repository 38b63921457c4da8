/**
 * A worker for a coordinator on another machine: the same threads as an embedded crawl, with the calls of a server over HTTP. What
 * cannot be delivered is kept on this machine's disk; all state of the worker is in its folder.
 */
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { type Millis, realClock } from '../../base/clock.ts'
import { type Disk, replaceFile } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import { type Journal, Readers } from '../../base/journal.ts'
import { freshId, freshSeed, type Random, seededRandom } from '../../base/random.ts'
import { realDisk } from '../../base/real-disk.ts'
import { knownNodeId, openVolumesIn } from '../../collection/locations/own-locations.ts'
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
import { Refusal } from '../wire/classify-answer.ts'
import { type HttpClient, httpClient } from '../wire/http-client.ts'
import { joinServers, RemoteServers, type VolumeCalls } from '../wire/remote-coordinator.ts'
import { type Identity, Unreachable } from '../wire/servers.ts'
import { runThreads, type ThreadOptions } from './run-threads.ts'

export interface RemoteWorkerOptions<Plan> extends ThreadOptions<Plan>, Pick<LocationParts, 'volumes' | 's3'> {
  version: string
  folder: string
  servers: readonly string[]
  /** Undefined: the name of the machine. */
  name: string | undefined
  region: string | undefined
  joinSecret: string | undefined
  /** Certificates that servers may have, beside those that the machine trusts (PEM). */
  serverCa: string | undefined
  journal?: (event: Event) => void
}

const OUTBOX_BYTES = 2 ** 30
/** How long a check-out waits at the server for a site to become free. */
const POLL: Millis = 20_000
const ID_LETTERS = 8

export async function startRemoteWorker<Plan extends { version: string }>(options: RemoteWorkerOptions<Plan>) {
  const { folder, version } = options
  refuseCollection(realDisk, folder)
  for (const inside of ['', 'archive']) realDisk.makeFolder(join(folder, inside))
  await realDisk.syncFolder(folder)
  await realDisk.syncFolder(dirname(resolve(folder)))
  const lock = lockCollection(folder)
  const journal = new Readers<Event>()
  if (options.journal !== undefined) journal.read(options.journal)
  const client = httpClient(realClock, options.serverCa)
  let remote: RemoteServers | undefined
  let locations: OpenLocations | undefined
  const explained = (error: unknown): never => {
    throw explainRefusal(error, folder, remote?.undelivered ?? 0)
  }
  try {
    const name = options.name ?? plainHostname()
    const random = seededRandom(freshSeed())
    const identity = await identityOf(options, name, random, client)
    const host = `${name}-${identity.worker.slice(0, ID_LETTERS)}`
    // The locations are needed to reach the servers, which are asked about volumes only afterwards.
    const sent: VolumeCalls = {
      append: (...args) => remote!.volumes.append(...args),
      seal: (...args) => remote!.volumes.seal(...args),
      located: (...args) => remote!.volumes.located(...args),
    }
    const archive = join(folder, 'archive')
    const opened = await openWorkerLocations({ ...options, disk: realDisk, archive, journal }, host, sent)
    locations = opened
    remote = new RemoteServers({
      servers: options.servers,
      identity,
      life: freshId().slice(0, ID_LETTERS),
      clock: realClock,
      random,
      journal,
      disk: realDisk,
      outboxFolder: join(folder, 'outbox'),
      outboxBytes: OUTBOX_BYTES,
      pollMs: POLL,
      ready: () => opened.list.ship(),
      outlivesCrawl: !options.untilDone,
      client,
    })
    const notes = new ThreadNotes(realDisk, folder)
    if (await remote.leaveEarlier(notes.earlier)) notes.clear()
    const parts = { ...options, host, remote, journal, random, locations: opened, notes, version }
    const { done, snapshot, stop } = await runThreads(parts)
    return { name: host, done: done.catch(explained).finally(() => lock.release()), snapshot, stop }
  } catch (error) {
    await remote?.close(0)
    locations?.close()
    client.close()
    lock.release()
    return explained(error)
  }
}

/**
 * A worker sends every volume of its folder to the servers and removes it here. In the folder of a crawl or a server it would take the
 * collection's own volumes.
 */
function refuseCollection(disk: Disk, folder: string): void {
  const isCollection = disk.size(join(folder, 'collection.db')) !== undefined
  if (!isCollection && knownNodeId(disk, folder) === undefined) return
  const what = isCollection ? 'holds a collection' : 'is the folder of a server'
  throw new Problem(
    'bad-flag',
    `${folder} ${what}, whose volumes a worker would move to the servers; give the worker a folder of its own: -c DIR`,
  )
}

/** Repairs what a kill left in the folders of this machine, then opens the locations. `host`: in the names of this worker's volumes. */
export async function openWorkerLocations(
  parts: Pick<LocationParts, 'volumes' | 's3' | 'disk' | 'archive' | 'journal'>,
  host: string,
  volumes: VolumeCalls,
): Promise<OpenLocations> {
  const { disk, archive, journal } = parts
  const isOurs = (volume: string) => volume.includes(`-${host}~`)
  // Without a catalogue here, each volume is read from its beginning.
  await repairVolumes(disk, archive, journal)
  for (const location of parts.volumes.filter((name) => name.startsWith(DIR))) {
    const folder = resolve(location.slice(DIR.length))
    await repairFolder(disk, folder, archive, isOurs, journal).catch((error) => {
      journal.record({ kind: 'trouble', what: `volumes in ${folder} cannot be closed: ${error}` })
    })
  }
  return openLocations({ ...parts, record: volumes.located, server: serverSink(volumes), isOurs })
}

/** Only volumes written there: a copy that an earlier version was sending there lies in the archive too. */
async function repairFolder(
  disk: Disk,
  folder: string,
  archive: string,
  isOurs: (volume: string) => boolean,
  journal: Journal<Event>,
): Promise<void> {
  const isLeft = (name: string) => !isOurs(name) || volumePath(disk, archive, name) !== undefined
  await repairVolumes(disk, folder, journal, new Map(), new Set(openVolumesIn(disk, folder).filter(isLeft)))
}

/** A server that is full or refuses has failed as a location. Without any server nothing can be reported, and no other location helps. */
export function serverSink(volumes: Pick<VolumeCalls, 'append' | 'seal'>): VolumeSink {
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

const IDENTITY_FILE = 'worker.json'
const MAX_IDENTITY_BYTES = 10_000

type Joining = Pick<RemoteWorkerOptions<unknown>, 'folder' | 'servers' | 'joinSecret' | 'region' | 'version'>

/** The id and secret that the folder has; without them the worker joins the servers as a new one. */
export async function identityOf(
  { folder, servers, joinSecret, region, version }: Joining,
  name: string,
  random: Random,
  client: HttpClient,
): Promise<Identity> {
  const path = join(folder, IDENTITY_FILE)
  const size = realDisk.size(path)
  if (size !== undefined) return readIdentity(path, size)
  const newcomer = { name, version, ...(region && { region }), ...(joinSecret && { join: joinSecret }) }
  try {
    const identity = await joinServers(servers, newcomer, { clock: realClock, random, client })
    await replaceFile(realDisk, path, `${JSON.stringify(identity)}\n`, 0o600)
    return identity
  } catch (error) {
    throw isRefused(error, 403) ? joinRefused(error, joinSecret !== undefined) : error
  }
}

/** Adds what can be done when servers do not know a worker that had joined. */
export function explainRefusal(error: unknown, folder: string, undelivered: number): unknown {
  if (!isRefused(error, 401)) return error
  const path = join(folder, IDENTITY_FILE)
  const lost =
    undelivered === 0 ? '' : ` The ${undelivered} reports in its outbox could then not be delivered any more.`
  return new Problem(
    'server-refused',
    `${error.message}. The worker's identity is in ${path}: it joined another crawl, or the servers have forgotten it. If these are the right servers, remove that file: the same command then joins again (--join-secret, ORBWEAVER_JOIN_SECRET).${lost}`,
    { cause: error },
  )
}

function joinRefused(error: Refusal, isGiven: boolean): Problem {
  const here = isGiven ? "The join secret given here is not the server's" : 'No join secret was given here'
  return new Problem(
    'server-refused',
    `${error.message}. ${here}: set ORBWEAVER_JOIN_SECRET, or give --join-secret @FILE, to what the server was started with`,
    { cause: error },
  )
}

function isRefused(error: unknown, status: number): error is Refusal {
  return error instanceof Refusal && error.isOurs && error.status === status
}

function readIdentity(path: string, size: number): Identity {
  try {
    const bytes = realDisk.read(path, 0, Math.min(size, MAX_IDENTITY_BYTES))
    const { worker, secret } = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof worker === 'string' && typeof secret === 'string') return { worker, secret }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Problem(
    'unreadable',
    `${path} is damaged; remove it, and the worker joins again (reports in its outbox can then not be delivered)`,
  )
}

/** With only the letters that the name of a worker may have. */
function plainHostname(): string {
  return (
    hostname()
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .slice(0, 40) || 'worker'
  )
}
