/**
 * Where the volumes of a crawl on this machine go: the archive folder, or the operator's locations (V8). Folders are written to
 * directly. When one is full or fails, its threads leave and others begin in the next one. A part is checked in only when the
 * locations of the volumes it names are recorded.
 */
import { resolve } from 'node:path'
import { Problem } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import { noteLocation } from '../../collection/locations/own-locations.ts'
import { DIR, LocationFailed, openLocations } from '../../collection/locations/volume-locations.ts'
import type { CoordinatorCalls } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { Coordinator } from './coordinator.ts'
import { s3AccessOf } from './volume-sources.ts'

export type CrawlVolumes = Awaited<ReturnType<typeof inLocations>>

export async function openCrawlVolumes(coordinator: Coordinator, journal: Readers<Event>): Promise<CrawlVolumes> {
  const { volumes } = coordinator.parts.settings
  if (volumes.length !== 1 || volumes[0] !== 'keep') return inLocations(coordinator, journal)
  const { archiveFolder: folder, calls } = coordinator
  return { folder, calls, leave: async () => false, finish: async () => {}, close() {} }
}

async function inLocations(coordinator: Coordinator, journal: Readers<Event>) {
  const { settings, disk, database } = coordinator.parts
  const archive = resolve(coordinator.archiveFolder)
  const opened = new Set<string>()
  journal.read((event) => {
    if (event.kind === 'volume-opened') opened.add(event.name)
  })
  const own = { database, owner: coordinator.owner }
  const { list, close } = await openLocations({
    volumes: settings.volumes,
    s3: () => s3AccessOf(settings),
    disk,
    archive,
    async record(name, location, bytes, isSealed) {
      // Readers look into the archive folder first.
      if (location !== DIR + archive) await noteLocation(own, name, location, bytes, isSealed)
    },
    journal,
    isOurs: (volume) => opened.has(volume),
  })
  const ship = () =>
    list.ship().catch((error) => Promise.reject(error instanceof LocationFailed ? noneLeft(error) : error))
  // No thread may begin in a location that is already full.
  await ship().catch((error) => {
    close()
    throw error
  })
  const accept: CoordinatorCalls['accept'] = async (worker, parts) => {
    await ship()
    await coordinator.calls.accept(worker, parts)
  }
  return {
    /** Where a thread that begins now writes. */
    get folder(): string {
      return list.folder
    },
    /** The coordinator as threads see it. */
    calls: { ...coordinator.calls, accept },
    /** A thread could not write in this folder. False: there is no other. */
    leave: (folder: string, why: unknown) => list.leave(folder, why),
    /** Call it when all threads have ended and their volumes are closed. */
    async finish(): Promise<void> {
      await list
        .ship()
        .catch((error) => journal.record({ kind: 'trouble', what: `volumes wait in ${archive}: ${error}` }))
      await list.settled()
    },
    close,
  }
}

function noneLeft(cause: LocationFailed): Problem {
  const what = `no location of --volumes takes more (the last one: ${cause.message}); make room, or name another, and give the same command again: nothing that was collected is lost`
  return new Problem('disk-full', what, { cause })
}
