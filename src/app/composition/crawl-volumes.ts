/**
 * Where the volumes of a crawl on this machine go: the archive folder of the collection, or the places that the operator
 * listed (V8). Folders are written to in place; when one is full or fails, threads that write there leave, and others begin in the
 * next. A part is checked in when it is known where the volumes lie that it names.
 */
import { resolve } from 'node:path'
import { Problem } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import type { CoordinatorCalls } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { Coordinator } from './coordinator.ts'
import { openLocations } from './open-locations.ts'
import { noteLocation } from './own-locations.ts'
import { DIR, LocationFailed, type LocationNews } from './volume-locations.ts'

export interface CrawlVolumes {
  /** Where a thread that begins now writes. */
  readonly folder: string
  /** The coordinator as threads are to see it. */
  readonly calls: CoordinatorCalls
  /** A thread could not write in this folder. False: there is no other. */
  leave(folder: string, why: unknown): Promise<boolean>
  /** When all threads have ended, and their volumes are closed. */
  finish(): Promise<void>
  close(): void
}

export async function openCrawlVolumes(coordinator: Coordinator, journal: Readers<Event>): Promise<CrawlVolumes> {
  const { settings } = coordinator.parts
  const [first, ...others] = settings.volumes
  if (first === 'keep' && others.length === 0) return keptHere(coordinator)
  return inPlaces(coordinator, journal)
}

function keptHere({ archiveFolder, calls }: Coordinator): CrawlVolumes {
  return { folder: archiveFolder, calls, leave: async () => false, finish: async () => {}, close() {} }
}

async function inPlaces(coordinator: Coordinator, journal: Readers<Event>): Promise<CrawlVolumes> {
  const { settings, disk } = coordinator.parts
  const archive = resolve(coordinator.archiveFolder)
  const opened = new Set<string>()
  journal.read((event) => {
    if (event.kind === 'volume-opened') opened.add(event.name)
  })
  const own = { database: coordinator.parts.database, owner: coordinator.owner }
  const located: LocationNews = async (name, location, bytes, isSealed) => {
    // Whoever reads looks into the archive folder first.
    if (location !== DIR + archive) await noteLocation(own, name, location, bytes, isSealed)
  }
  const isOurs = (volume: string) => opened.has(volume)
  const { list, close } = await openLocations({ settings, disk, archive, located, journal, isOurs })
  const ship = () =>
    list.ship().catch((error) => Promise.reject(error instanceof LocationFailed ? noneLeft(error) : error))
  const waits = (error: unknown) => journal.record({ kind: 'trouble', what: `volumes wait in ${archive}: ${error}` })
  // A place that is full already is not begun with.
  await ship()
  return {
    get folder() {
      return list.folder
    },
    calls: {
      ...coordinator.calls,
      async checkInSealed(worker, parts) {
        await ship()
        await coordinator.calls.checkInSealed(worker, parts)
      },
    },
    leave: (folder, why) => list.leave(folder, why),
    async finish() {
      await list.ship().catch(waits)
      await list.settled()
    },
    close,
  }
}

function noneLeft(cause: LocationFailed): Problem {
  const what = `no place of --volumes takes more (the last said: ${cause.message}); make room, or name another, and give the same command again: nothing that was collected is lost`
  return new Problem('disk-full', what, { cause })
}
