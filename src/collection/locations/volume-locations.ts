/**
 * Where volumes go, in the order of `--volumes` (V8). When a location is full or fails, the next takes over and the crawl goes
 * on. Complete volumes stay where they are. Folders of this machine are written to directly: an open volume in a folder that
 * failed ends there, and the next one begins in the new folder. Stores and servers are sent what lies in the archive folder.
 * A volume still being written stays in the archive until it is complete, so the next store gets it from its beginning.
 */
import { join, resolve } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import { inOrder } from '../../base/in-order.ts'
import type { Journal } from '../../base/journal.ts'
import { diskSpace } from '../../base/real-disk.ts'
import type { Event } from '../../contracts/events.ts'
import type { ObjectStore, S3Access } from '../s3/s3-store.ts'
import { volumeFiles } from '../volumes/volume-name.ts'
import { shipperOf, type VolumeSink } from './ship-volumes.ts'

/** Prefix of a location that is a folder. */
export const DIR = 'dir:'

export interface VolumeLocation {
  /** As the operator wrote it. */
  readonly name: string
  /** Where volumes for it are written. */
  readonly folder: string
  /** Resolves when all bytes of its volumes are durable there and recorded. Throws `LocationFailed` when another location should take over. */
  ship(): Promise<void>
  /** Records the volumes of a location that is no longer current: some may still be written there. Throws like `ship`. */
  note(): Promise<void>
  /** Awaits what `ship` does not wait for. */
  settled(): Promise<void>
}

/** This location takes no more; the next should take over. */
export class LocationFailed extends Error {
  constructor(why: unknown) {
    super(why instanceof Error ? why.message : String(why), { cause: why })
    this.name = 'LocationFailed'
  }
}

/** Records where a volume lies that is not sent to a server. */
export type RecordLocation = (name: string, location: string, bytes: number, sealed: boolean) => Promise<void>

/** `archive`: holds volumes that were to be sent to a location of this list, or of an earlier one. */
export function locationList(locations: readonly VolumeLocation[], journal: Journal<Event>, archive?: VolumeLocation) {
  /** Where volumes may lie. */
  const noted = new Set(archive === undefined ? locations : [...locations, archive])
  let current = 0
  let failures = 0
  /** Locations whose last `note` failed. */
  const unseen = new Set<VolumeLocation>()
  /** One call at a time: of two that meet the same failure only one turns to the next location. */
  const inTurn = inOrder()
  const here = () => locations[current]

  const next = ({ message }: LocationFailed): void => {
    const failed = here().name
    current = (current + 1) % locations.length
    if (locations.length === 1) return
    failures++
    journal.record({ kind: 'trouble', what: `volumes now go to ${here().name} instead of ${failed}: ${message}` })
  }
  const note = async (): Promise<void> => {
    for (const location of noted) {
      // The current location ships the volumes of the current folder.
      if (location.folder === here().folder) continue
      try {
        await location.note()
        unseen.delete(location)
      } catch (error) {
        if (!(error instanceof LocationFailed)) throw error
        // This runs every second: a disk that stays away is reported once.
        if (unseen.has(location)) continue
        unseen.add(location)
        journal.record({ kind: 'trouble', what: `cannot list the volumes in ${location.name}: ${error.message}` })
      }
    }
  }
  /** Tries each location once. When all have failed, the first is tried next. */
  const ship = async (max = locations.length): Promise<void> => {
    await note()
    for (let tried = 1; ; tried++) {
      try {
        return await here().ship()
      } catch (error) {
        if (!(error instanceof LocationFailed)) throw error
        next(error)
        if (tried >= max) throw error
      }
    }
  }
  const leave = async (folder: string, why: unknown): Promise<boolean> => {
    // Of several threads that meet the same failure the first has left already.
    if (folder !== here().folder) return true
    try {
      // The next location may be written in the same folder, and only sent elsewhere from there.
      for (let rest = locations.length - 1; folder === here().folder; rest--) {
        if (rest === 0) return false
        next(new LocationFailed(why))
        await ship(rest)
      }
      return true
    } catch (error) {
      if (error instanceof LocationFailed) return false
      throw error
    }
  }

  return {
    get name() {
      return here().name
    },
    get folder() {
      return here().folder
    },
    /** How often a location was replaced by the next. */
    get failures() {
      return failures
    },
    ship: () => inTurn(() => ship()),
    /** A thread could not write in this folder. False: no other location takes anything either. */
    leave: (folder: string, why: unknown) => inTurn(() => leave(folder, why)),
    note,
    settled: async () => void (await Promise.all(locations.map((location) => location.settled()))),
  }
}

/** Volumes are sent there as they grow; complete ones are removed here. `stays`: volumes that are where they belong. */
export function shippedLocation(
  name: string,
  disk: Disk,
  folder: string,
  sink: VolumeSink,
  stays: (volume: string) => boolean,
): VolumeLocation {
  return { name, folder, ...shipperOf(disk, folder, sink, stays), note: async () => {} }
}

export interface KeptParts {
  name: string
  disk: Disk
  folder: string
  record: RecordLocation
  hasRoom(): boolean
  /** Other collections may have volumes in the same folder. */
  isOurs(volume: string): boolean
}

/** Volumes stay in the folder in which they are written, as long as its disk has room. */
export function keptLocation({ name, disk, folder, record, hasRoom, isOurs }: KeptParts) {
  /** Recorded volumes, and whether they are recorded as complete. */
  const recorded = new Map<string, boolean>()
  const note = async () => {
    for (const { name: volume, file, isOpen } of await orFailed(async () => volumeFiles(disk, folder))) {
      const before = recorded.get(volume)
      if (before === true || before === !isOpen || !isOurs(volume)) continue
      const bytes = await orFailed(async () => disk.size(join(folder, file)) ?? 0)
      await record(volume, DIR + folder, bytes, !isOpen)
      recorded.set(volume, !isOpen)
    }
  }
  const ship = async () => {
    const isRoomy = await orFailed(async () => {
      disk.makeFolder(folder)
      return hasRoom()
    })
    await note()
    if (!isRoomy) throw new LocationFailed(`the disk of ${folder} is almost full`)
  }
  /** Recorded as complete: other locations leave it alone. */
  const has = (volume: string) => recorded.get(volume) === true
  return { name, folder, has, ship, note, settled: async () => {} }
}

/** Any error there becomes `LocationFailed`: another location may work. */
async function orFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new LocationFailed(error)
  }
}

/** Records a volume when its first bytes are there and when it is complete; reports that name it come later. */
export function recordingSink(location: string, record: RecordLocation, sink: VolumeSink): VolumeSink {
  const recorded = new Set<string>()
  return {
    async append(name, offset, bytes) {
      const there = await sink.append(name, offset, bytes)
      if (!recorded.has(name)) await record(name, location, there, false)
      recorded.add(name)
      return there
    },
    async seal(name, size) {
      await sink.seal(name, size)
      await record(name, location, size, true)
      recorded.delete(name)
    },
  }
}

export interface LocationParts {
  /** As the operator listed them. */
  volumes: readonly string[]
  /** For stores. Throws when the settings for them are incomplete. */
  s3(): S3Access
  disk: Disk
  /** The folder in which volumes are written unless a location is a folder itself. */
  archive: string
  record: RecordLocation
  /** For `upload`: workers have one. */
  server?: VolumeSink
  journal: Journal<Event>
  /** Of volumes in other folders of this machine. */
  isOurs(volume: string): boolean
}

export type OpenLocations = Awaited<ReturnType<typeof openLocations>>

export async function openLocations(parts: LocationParts) {
  const { disk, record, journal } = parts
  const archive = resolve(parts.archive)
  const stores: ObjectStore[] = []
  const keptIn = (name: string, folder: string, isOurs: (volume: string) => boolean) =>
    keptLocation({ name, disk, folder, record, hasRoom: () => hasRoom(folder), isOurs })
  const kept = keptIn('keep', archive, () => true)
  const open = async (location: string): Promise<VolumeLocation> => {
    if (location === 'keep') return kept
    if (location.startsWith(DIR)) {
      const folder = resolve(location.slice(DIR.length))
      return folder === archive ? kept : keptIn(location, folder, parts.isOurs)
    }
    if (location === 'upload') return shippedLocation(location, disk, archive, serverOf(parts), kept.has)
    const { openS3 } = await import('../s3/s3-store.ts')
    const store = openS3(location, parts.s3())
    stores.push(store)
    return shippedLocation(location, disk, archive, await storeSink(location, store, disk, archive, record), kept.has)
  }
  const locations: VolumeLocation[] = []
  for (const location of parts.volumes) locations.push(await open(location))
  const close = () => {
    for (const store of stores) store.close()
  }
  return { list: locationList(locations, journal, kept), close }
}

function serverOf({ server }: LocationParts): VolumeSink {
  if (server !== undefined) return server
  throw new Problem('bad-flag', '--volumes upload is for workers of a server; a crawl has no server to send volumes to')
}

/** A disk with less than this share and less than this many bytes free takes no more volumes. */
const MIN_SHARE = 0.05
const MIN_BYTES = 2 ** 30

function hasRoom(folder: string): boolean {
  const { free, size } = diskSpace(folder)
  return free > Math.min(MIN_BYTES, MIN_SHARE * size)
}

async function storeSink(
  location: string,
  store: ObjectStore,
  disk: Disk,
  folder: string,
  record: RecordLocation,
): Promise<VolumeSink> {
  const { storedVolumes } = await import('../s3/stored-volumes.ts')
  const stored = storedVolumes(store)
  return recordingSink(location, record, {
    append: (name, offset, bytes) => orFailed(() => stored.append(name, offset, bytes)),
    seal: (name, size) =>
      orFailed(() => stored.seal(name, size, (offset, length) => disk.read(`${folder}/${name}`, offset, length))),
  })
}
