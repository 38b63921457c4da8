/** The places that the operator named for the volumes of a worker, opened. */
import { statfsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import type { ObjectStore } from '../../collection/s3/object-store.ts'
import type { Event } from '../../contracts/events.ts'
import type { Settings } from '../config/keys.ts'
import type { VolumeSink } from './ship-volumes.ts'
import {
  DIR,
  KeptLocation,
  LocationList,
  type LocationNews,
  orFailed,
  shippedLocation,
  toldSink,
  type VolumeLocation,
} from './volume-locations.ts'
import { s3AccessOf } from './volume-sources.ts'

export interface LocationParts {
  settings: Pick<Settings, 'volumes' | 's3Endpoint' | 's3Region' | 's3Key' | 's3Secret'>
  disk: Disk
  /** Where volumes are written. */
  archive: string
  located: LocationNews
  /** Where there is a server to send them to. */
  server?: VolumeSink
  journal: Journal<Event>
  /** Of volumes in other folders of this machine, which are written to in place. */
  isOurs(volume: string): boolean
}

export interface OpenLocations {
  list: LocationList
  close(): void
}

export async function openLocations(parts: LocationParts): Promise<OpenLocations> {
  const { settings, disk, archive, located, server, journal, isOurs } = parts
  const folder = resolve(archive)
  const stores: ObjectStore[] = []
  const keptIn = (name: string, folder: string, isOurs: (volume: string) => boolean) =>
    new KeptLocation({ name, disk, folder, tell: located, hasRoom: () => hasRoom(folder), isOurs })
  const kept = keptIn('keep', folder, () => true)
  const open = async (location: string): Promise<VolumeLocation> => {
    const shipped = (sink: VolumeSink) => shippedLocation(location, disk, folder, sink, kept.has)
    if (location === 'keep') return kept
    if (location === 'upload') return shipped(orNone(server))
    if (location.startsWith(DIR)) {
      const there = resolve(location.slice(DIR.length))
      return there === folder ? kept : keptIn(location, there, isOurs)
    }
    const { openS3 } = await import('../../collection/s3/s3-store.ts')
    const store = openS3(location, s3AccessOf(settings))
    stores.push(store)
    return shipped(await storeSink(location, store, disk, folder, located))
  }
  const locations: VolumeLocation[] = []
  for (const location of settings.volumes) locations.push(await open(location))
  const close = () => {
    for (const store of stores) store.close()
  }
  return { list: new LocationList(locations, journal, kept), close }
}

function orNone(server: VolumeSink | undefined): VolumeSink {
  if (server !== undefined) return server
  throw new Problem('bad-flag', '--volumes upload is for workers of a server: a crawl has none to send to')
}

/** Below this share of a disk, and below this many bytes, volumes are not kept on it any more. */
const MIN_SHARE = 0.05
const MIN_BYTES = 2 ** 30

function hasRoom(folder: string): boolean {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return bavail * bsize > Math.min(MIN_BYTES, MIN_SHARE * blocks * bsize)
}

async function storeSink(
  location: string,
  store: ObjectStore,
  disk: Disk,
  folder: string,
  located: LocationNews,
): Promise<VolumeSink> {
  const { storedVolumes } = await import('../../collection/s3/stored-volumes.ts')
  const stored = storedVolumes(store)
  return toldSink(location, located, {
    append: (name, offset, bytes) => orFailed(() => stored.append(name, offset, bytes)),
    seal: (name, size) =>
      orFailed(() => stored.seal(name, size, (offset, length) => disk.read(`${folder}/${name}`, offset, length))),
  })
}
