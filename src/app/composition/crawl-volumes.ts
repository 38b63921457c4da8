/**
 * Where the volumes of a crawl on this machine go: the archive folder of the collection, or the places that the operator
 * listed (V8). Folders are written to in place; when one is full or fails, threads that write there leave, and others begin in the
 * next. A part is checked in when it is known where the volumes lie that it names.
 */
import { resolve } from 'node:path'
import { Problem } from '../../base/errors.ts'
import type { Readers } from '../../base/journal.ts'
import type { HouseCalls } from '../../contracts/calls.ts'
import type { Event } from '../../contracts/events.ts'
import type { House } from './house.ts'
import { openPlaces } from './open-places.ts'
import { notePlace } from './own-places.ts'
import { DIR, PlaceFailed, type TellPlace } from './volume-places.ts'

export interface CrawlVolumes {
  /** Where a thread that begins now writes. */
  readonly folder: string
  /** The house as threads are to see it. */
  readonly calls: HouseCalls
  /** A thread could not write in this folder. False: there is no other. */
  leave(folder: string, why: unknown): Promise<boolean>
  /** When all threads have ended, and their volumes are closed. */
  finish(): Promise<void>
  close(): void
}

export async function openCrawlVolumes(house: House, journal: Readers<Event>): Promise<CrawlVolumes> {
  const { settings } = house.parts
  const [first, ...others] = settings.volumes
  if (first === 'keep' && others.length === 0) return keptHere(house)
  return inPlaces(house, journal)
}

function keptHere({ archiveFolder, calls }: House): CrawlVolumes {
  return { folder: archiveFolder, calls, leave: async () => false, finish: async () => {}, close() {} }
}

async function inPlaces(house: House, journal: Readers<Event>): Promise<CrawlVolumes> {
  const { settings, disk } = house.parts
  const archive = resolve(house.archiveFolder)
  const opened = new Set<string>()
  journal.read((event) => {
    if (event.kind === 'volume-opened') opened.add(event.name)
  })
  const own = { database: house.parts.database, owner: house.owner }
  const placed: TellPlace = async (name, place, bytes, isSealed) => {
    // Whoever reads looks into the archive folder first.
    if (place !== DIR + archive) await notePlace(own, name, place, bytes, isSealed)
  }
  const isOurs = (volume: string) => opened.has(volume)
  const { list, close } = await openPlaces({ settings, disk, archive, placed, journal, isOurs })
  const ship = () =>
    list.ship().catch((error) => Promise.reject(error instanceof PlaceFailed ? noneLeft(error) : error))
  const waits = (error: unknown) => journal.tell({ kind: 'trouble', what: `volumes wait in ${archive}: ${error}` })
  // A place that is full already is not begun with.
  await ship()
  return {
    get folder() {
      return list.folder
    },
    calls: {
      ...house.calls,
      async checkInSealed(worker, parts) {
        await ship()
        await house.calls.checkInSealed(worker, parts)
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

function noneLeft(cause: PlaceFailed): Problem {
  const what = `no place of --volumes takes more (the last said: ${cause.message}); make room, or name another, and give the same command again: nothing that was collected is lost`
  return new Problem('disk-full', what, { cause })
}
