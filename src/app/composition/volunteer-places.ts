/** The places for a worker's volumes; what a kill left in the folders of this machine is put right first. */
import { resolve } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import type { RemoteServers } from '../../cluster/wire/remote-house.ts'
import { repairVolumes } from '../../collection/volumes/repair.ts'
import { volumePath } from '../../collection/volumes/volume-name.ts'
import type { Event } from '../../contracts/events.ts'
import { type OpenPlaces, openPlaces, type PlaceParts } from './open-places.ts'
import { openVolumesIn } from './own-places.ts'
import { serverSink } from './server-sink.ts'
import { DIR } from './volume-places.ts'

export interface VolunteerPlaceParts extends Omit<PlaceParts, 'isOurs' | 'placed' | 'server'> {
  volumes: RemoteServers['volumes']
  /** In the names of its volumes, and of nobody else's. */
  host: string
}

export async function openVolunteerPlaces(parts: VolunteerPlaceParts): Promise<OpenPlaces> {
  const { settings, disk, archive, volumes, journal, host } = parts
  const isOurs = (volume: string) => volume.includes(`-${host}~`)
  // The catalogue is not here, so each volume is looked through from its beginning.
  await repairVolumes(disk, archive, journal)
  for (const place of settings.volumes.filter((name) => name.startsWith(DIR))) {
    const there = resolve(place.slice(DIR.length))
    await repairThere(disk, there, archive, isOurs, journal).catch((error) => {
      journal.tell({ kind: 'trouble', what: `volumes in ${there} cannot be closed: ${error}` })
    })
  }
  const { placed } = volumes
  return openPlaces({ settings, disk, archive, placed, server: serverSink(volumes), journal, isOurs })
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
