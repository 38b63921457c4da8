/** The places for a worker's volumes; what a kill left in the folders of this machine is put right first. */
import { resolve } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import type { RemoteServers } from '../../cluster/wire/remote-coordinator.ts'
import { repairVolumes } from '../../collection/volumes/repair.ts'
import { volumePath } from '../../collection/volumes/volume-name.ts'
import type { Event } from '../../contracts/events.ts'
import { type LocationParts, type OpenLocations, openLocations } from './open-locations.ts'
import { openVolumesIn } from './own-locations.ts'
import { serverSink } from './server-sink.ts'
import { DIR } from './volume-locations.ts'

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
      journal.record({ kind: 'trouble', what: `volumes in ${there} cannot be closed: ${error}` })
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
