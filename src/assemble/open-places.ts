/** The places that the operator named for the volumes of a worker, opened. */
import { statfsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Disk } from '../base/disk.ts'
import { Problem } from '../base/errors.ts'
import type { Journal } from '../base/journal.ts'
import type { Settings } from '../config/keys.ts'
import type { Event } from '../visit/events.ts'
import { Refusal } from '../wire/http/judge-answer.ts'
import type { RemoteServers } from '../wire/http/remote-house.ts'
import { Unreachable } from '../wire/http/servers.ts'
import type { ObjectStore } from '../wire/s3/object-store.ts'
import type { VolumeSink } from './ship-volumes.ts'
import { s3AccessOf } from './volume-doors.ts'
import {
  DIR,
  KeptPlace,
  orFailed,
  PlaceFailed,
  PlaceList,
  shippedPlace,
  toldSink,
  type VolumePlace,
} from './volume-places.ts'

type ServerVolumes = RemoteServers['volumes']

export interface PlaceParts {
  settings: Pick<Settings, 'volumes' | 's3Endpoint' | 's3Region' | 's3Key' | 's3Secret'>
  disk: Disk
  /** Where volumes are written. */
  archive: string
  /** Without `append` and `seal` there is no server to send them to. */
  volumes: Pick<ServerVolumes, 'placed'> & Partial<ServerVolumes>
  journal: Journal<Event>
  /** Of volumes in other folders of this machine, which are written to in place. */
  isOurs(volume: string): boolean
}

export interface OpenPlaces {
  list: PlaceList
  close(): void
}

export async function openPlaces(parts: PlaceParts): Promise<OpenPlaces> {
  const { settings, disk, archive, volumes, journal, isOurs } = parts
  const folder = resolve(archive)
  const stores: ObjectStore[] = []
  const keptIn = (name: string, folder: string, isOurs: (volume: string) => boolean) =>
    new KeptPlace({ name, disk, folder, tell: volumes.placed, hasRoom: () => hasRoom(folder), isOurs })
  const kept = keptIn('keep', folder, () => true)
  const open = async (place: string): Promise<VolumePlace> => {
    const shipped = (sink: VolumeSink) => shippedPlace(place, disk, folder, sink, kept.has)
    if (place === 'keep') return kept
    if (place === 'upload') return shipped(serverSink(withServer(volumes)))
    if (place.startsWith(DIR)) {
      const there = resolve(place.slice(DIR.length))
      return there === folder ? kept : keptIn(place, there, isOurs)
    }
    const { openS3 } = await import('../wire/s3/s3-store.ts')
    const store = openS3(place, s3AccessOf(settings))
    stores.push(store)
    return shipped(await storeSink(place, store, disk, folder, volumes))
  }
  const places: VolumePlace[] = []
  for (const place of settings.volumes) places.push(await open(place))
  const close = () => {
    for (const store of stores) store.close()
  }
  return { list: new PlaceList(places, journal, kept), close }
}

function withServer({ append, seal }: PlaceParts['volumes']): Pick<ServerVolumes, 'append' | 'seal'> {
  if (append !== undefined && seal !== undefined) return { append, seal }
  throw new Problem('bad-flag', '--volumes upload is for workers of a server: a crawl has none to send to')
}

/** Below this share of a disk, and below this many bytes, volumes are not kept on it any more. */
const LEAST_SHARE = 0.05
const LEAST_BYTES = 2 ** 30

function hasRoom(folder: string): boolean {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return bavail * bsize > Math.min(LEAST_BYTES, LEAST_SHARE * blocks * bsize)
}

/** Without a server nothing can be reported either, and no other place would help; one that is full or refuses is another matter. */
export function serverSink(volumes: Pick<ServerVolumes, 'append' | 'seal'>): VolumeSink {
  const orNext = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const isFull = error instanceof Unreachable && error.isFull
      throw isFull || error instanceof Refusal ? new PlaceFailed(error) : error
    }
  }
  return {
    append: (name, offset, bytes) => orNext(volumes.append(name, offset, bytes)),
    seal: (name, size) => orNext(volumes.seal(name, size)),
  }
}

async function storeSink(
  place: string,
  store: ObjectStore,
  disk: Disk,
  folder: string,
  volumes: Pick<ServerVolumes, 'placed'>,
): Promise<VolumeSink> {
  const { storedVolumes } = await import('../wire/s3/stored-volumes.ts')
  const stored = storedVolumes(store)
  return toldSink(place, volumes.placed, {
    append: (name, offset, bytes) => orFailed(() => stored.append(name, offset, bytes)),
    seal: (name, size) =>
      orFailed(() => stored.seal(name, size, (offset, length) => disk.read(`${folder}/${name}`, offset, length))),
  })
}
