/**
 * Where volumes go, in the order in which the operator named the places (V8): when one is full or fails, the next takes
 * over, and the crawl does not stop. Volumes that are complete stay where they are. Folders of this machine are written to in
 * place: a volume in one that is left ends there, and the next begins in the new folder. Stores and servers are sent what lies in
 * the archive folder: one that is still written is brought to the next of them from its beginning, for all of it lies here until
 * it is complete; if a folder is the next, it stays in the archive.
 */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import type { Journal } from '../../base/journal.ts'
import { isOpenVolume, isVolume, OPEN } from '../../collection/volumes/volume-name.ts'
import type { Event } from '../../contracts/events.ts'
import { Shipper, type VolumeSink } from './ship-volumes.ts'

/** Before the folder, in the name of a place. */
export const DIR = 'dir:'

export interface VolumeLocation {
  /** As the operator wrote it. */
  readonly name: string
  /** Where volumes are written that belong there. */
  readonly folder: string
  /** All that the volumes have now is durable there, and it is known where. Throws `LocationFailed`, or what keeps it from that now. */
  ship(): Promise<void>
  /** It is no longer their place, but some may still be written there: it is known of all of them where they are. Throws as `ship`. */
  note(): Promise<void>
  /** What need not be waited for, in the end. */
  settled(): Promise<void>
}

/** This place takes no more: another should. */
export class LocationFailed extends Error {
  constructor(why: unknown) {
    super(why instanceof Error ? why.message : String(why), { cause: why })
    this.name = 'PlaceFailed'
  }
}

/** Tells the servers where a volume lies that is not sent to them. */
export type LocationNews = (name: string, location: string, bytes: number, sealed: boolean) => Promise<void>

export class LocationList implements VolumeLocation {
  readonly #locations: readonly VolumeLocation[]
  /** Where volumes may lie. */
  readonly #noted: ReadonlySet<VolumeLocation>
  readonly #journal: Journal<Event>
  #current = 0
  #failures = 0
  /** Places that could not be looked at the last time. */
  readonly #unseen = new Set<VolumeLocation>()
  #last: Promise<void> = Promise.resolve()

  /** `archive`: where volumes lie that were to be sent to a place of the list, or of an earlier one. */
  constructor(locations: readonly VolumeLocation[], journal: Journal<Event>, archive?: VolumeLocation) {
    this.#locations = locations
    this.#noted = new Set(archive === undefined ? locations : [...locations, archive])
    this.#journal = journal
  }

  get name(): string {
    return this.#locations[this.#current].name
  }

  get folder(): string {
    return this.#locations[this.#current].folder
  }

  /** How often a place was replaced by the next. */
  get failures(): number {
    return this.#failures
  }

  /** One at a time: of two that meet the same failure only one turns to the next place. */
  ship(): Promise<void> {
    const turn = this.#last.then(() => this.#ship())
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Nothing could be written in this folder. False: no other place takes anything either. */
  leave(folder: string, why: unknown): Promise<boolean> {
    const turn = this.#last.then(async () => {
      // Of several that meet the same failure the first has left already.
      if (folder !== this.folder) return true
      // The next may be written in the same folder, and only sent elsewhere from there.
      for (let rest = this.#locations.length - 1; folder === this.folder; rest--) {
        if (rest === 0) return false
        this.#next(new LocationFailed(why))
        await this.#ship(rest)
      }
      return true
    })
    const left = turn.catch((error) => {
      if (error instanceof LocationFailed) return false
      throw error
    })
    this.#last = left.then(
      () => {},
      () => {},
    )
    return left
  }

  async note(): Promise<void> {
    for (const location of this.#noted) {
      // In the folder of the present place it is for that one to say what becomes of them.
      if (location.folder === this.folder) continue
      try {
        await location.note()
        this.#unseen.delete(location)
      } catch (error) {
        if (!(error instanceof LocationFailed)) throw error
        // A disk that is gone stays gone, and this is done every second.
        if (this.#unseen.has(location)) continue
        this.#unseen.add(location)
        this.#journal.record({
          kind: 'trouble',
          what: `volumes in ${location.name} cannot be looked at: ${error.message}`,
        })
      }
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#locations.map((location) => location.settled()))
  }

  /** Each is tried once; when all have failed the first is the next to be tried. */
  async #ship(max = this.#locations.length): Promise<void> {
    await this.note()
    for (let tried = 1; ; tried++) {
      try {
        return await this.#locations[this.#current].ship()
      } catch (error) {
        if (!(error instanceof LocationFailed)) throw error
        this.#next(error)
        if (tried >= max) throw error
      }
    }
  }

  #next({ message }: LocationFailed): void {
    const failed = this.name
    this.#current = (this.#current + 1) % this.#locations.length
    if (this.#locations.length === 1) return
    this.#failures++
    this.#journal.record({
      kind: 'trouble',
      what: `volumes go to ${this.name} from now on, not to ${failed}: ${message}`,
    })
  }
}

/** Sent to a place as they grow; complete ones leave the worker. `stays`: volumes that are where they belong. */
export function shippedLocation(
  name: string,
  disk: Disk,
  folder: string,
  sink: VolumeSink,
  stays: (volume: string) => boolean,
): VolumeLocation {
  const shipper = new Shipper(disk, folder, sink, stays)
  return { name, folder, ship: () => shipper.ship(), note: async () => {}, settled: () => shipper.settled() }
}

export interface KeptParts {
  name: string
  disk: Disk
  folder: string
  tell: LocationNews
  hasRoom(): boolean
  /** Others may have volumes in the same folder. */
  isOurs(volume: string): boolean
}

/** Left in the folder in which they are written, as long as the disk has room for more. */
export class KeptLocation implements VolumeLocation {
  readonly #parts: KeptParts
  /** Told: which, and whether as complete. */
  readonly #told = new Map<string, boolean>()

  constructor(parts: KeptParts) {
    this.#parts = parts
  }

  get name(): string {
    return this.#parts.name
  }

  get folder(): string {
    return this.#parts.folder
  }

  /** Complete and told: whichever place comes next, it is not for that one. */
  readonly has = (volume: string): boolean => this.#told.get(volume) === true

  async settled(): Promise<void> {}

  async ship(): Promise<void> {
    const { disk, folder, hasRoom } = this.#parts
    const isRoomy = await orFailed(async () => {
      disk.makeFolder(folder)
      return hasRoom()
    })
    await this.note()
    if (!isRoomy) throw new LocationFailed(`${folder} has hardly any room left`)
  }

  async note(): Promise<void> {
    const { disk, folder, tell, isOurs } = this.#parts
    for (const file of await orFailed(async () => disk.list(folder))) {
      const sealed = isVolume(file)
      if (!sealed && !isOpenVolume(file)) continue
      const volume = sealed ? file : file.slice(0, -OPEN.length)
      const told = this.#told.get(volume)
      if (told === sealed || told === true || !isOurs(volume)) continue
      const bytes = await orFailed(async () => disk.size(join(folder, file)) ?? 0)
      await tell(volume, DIR + folder, bytes, sealed)
      this.#told.set(volume, sealed)
    }
  }
}

/** Whatever goes wrong there, another place may be better. */
export async function orFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new LocationFailed(error)
  }
}

/** The servers know of a volume when its first bytes are there, and when it is complete; reports that name it come later. */
export function toldSink(location: string, tell: LocationNews, sink: VolumeSink): VolumeSink {
  const told = new Set<string>()
  return {
    async append(name, offset, bytes) {
      const there = await sink.append(name, offset, bytes)
      if (!told.has(name)) await tell(name, location, there, false)
      told.add(name)
      return there
    },
    async seal(name, size) {
      await sink.seal(name, size)
      await tell(name, location, size, true)
      told.delete(name)
    },
  }
}
