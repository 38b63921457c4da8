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
import { s3AccessOf } from './volume-doors.ts'
import {
  DIR,
  KeptPlace,
  orFailed,
  PlaceList,
  shippedPlace,
  type TellPlace,
  toldSink,
  type VolumePlace,
} from './volume-places.ts'

export interface PlaceParts {
  settings: Pick<Settings, 'volumes' | 's3Endpoint' | 's3Region' | 's3Key' | 's3Secret'>
  disk: Disk
  /** Where volumes are written. */
  archive: string
  placed: TellPlace
  /** Where there is a server to send them to. */
  server?: VolumeSink
  journal: Journal<Event>
  /** Of volumes in other folders of this machine, which are written to in place. */
  isOurs(volume: string): boolean
}

export interface OpenPlaces {
  list: PlaceList
  close(): void
}

export async function openPlaces(parts: PlaceParts): Promise<OpenPlaces> {
  const { settings, disk, archive, placed, server, journal, isOurs } = parts
  const folder = resolve(archive)
  const stores: ObjectStore[] = []
  const keptIn = (name: string, folder: string, isOurs: (volume: string) => boolean) =>
    new KeptPlace({ name, disk, folder, tell: placed, hasRoom: () => hasRoom(folder), isOurs })
  const kept = keptIn('keep', folder, () => true)
  const open = async (place: string): Promise<VolumePlace> => {
    const shipped = (sink: VolumeSink) => shippedPlace(place, disk, folder, sink, kept.has)
    if (place === 'keep') return kept
    if (place === 'upload') return shipped(orNone(server))
    if (place.startsWith(DIR)) {
      const there = resolve(place.slice(DIR.length))
      return there === folder ? kept : keptIn(place, there, isOurs)
    }
    const { openS3 } = await import('../../collection/s3/s3-store.ts')
    const store = openS3(place, s3AccessOf(settings))
    stores.push(store)
    return shipped(await storeSink(place, store, disk, folder, placed))
  }
  const places: VolumePlace[] = []
  for (const place of settings.volumes) places.push(await open(place))
  const close = () => {
    for (const store of stores) store.close()
  }
  return { list: new PlaceList(places, journal, kept), close }
}

function orNone(server: VolumeSink | undefined): VolumeSink {
  if (server !== undefined) return server
  throw new Problem('bad-flag', '--volumes upload is for workers of a server: a crawl has none to send to')
}

/** Below this share of a disk, and below this many bytes, volumes are not kept on it any more. */
const LEAST_SHARE = 0.05
const LEAST_BYTES = 2 ** 30

function hasRoom(folder: string): boolean {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return bavail * bsize > Math.min(LEAST_BYTES, LEAST_SHARE * blocks * bsize)
}

async function storeSink(
  place: string,
  store: ObjectStore,
  disk: Disk,
  folder: string,
  placed: TellPlace,
): Promise<VolumeSink> {
  const { storedVolumes } = await import('../../collection/s3/stored-volumes.ts')
  const stored = storedVolumes(store)
  return toldSink(place, placed, {
    append: (name, offset, bytes) => orFailed(() => stored.append(name, offset, bytes)),
    seal: (name, size) =>
      orFailed(() => stored.seal(name, size, (offset, length) => disk.read(`${folder}/${name}`, offset, length))),
  })
}
