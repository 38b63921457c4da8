/**
 * Where a worker's volumes go, in the order in which the operator named the places (V8): when one is full or fails, the next
 * takes over, and the crawl does not stop. Volumes that are complete stay where they are; one that is still written is
 * brought to the new place from its beginning, for all of it lies here until it is complete.
 */
import { join } from 'node:path'
import type { Disk } from '../base/disk.ts'
import type { Journal } from '../base/journal.ts'
import { grownVolumes } from '../collection/volumes/grown-volumes.ts'
import { isOpenVolume, isVolume, OPEN } from '../collection/volumes/volume-name.ts'
import type { Event } from '../visit/events.ts'
import { Shipper, type VolumeSink } from './ship-volumes.ts'

export interface VolumePlace {
  /** As the operator wrote it. */
  readonly name: string
  /** All that the volumes have now is durable there, and it is known where. Throws `PlaceFailed`, or what keeps it from that now. */
  ship(): Promise<void>
  /** What need not be waited for, in the end. */
  settled(): Promise<void>
}

/** This place takes no more: another should. */
export class PlaceFailed extends Error {
  constructor(why: unknown) {
    super(why instanceof Error ? why.message : String(why), { cause: why })
    this.name = 'PlaceFailed'
  }
}

/** Tells the servers where a volume lies that is not sent to them. */
export type TellPlace = (name: string, place: string, bytes: number, sealed: boolean) => Promise<void>

export class PlaceList implements VolumePlace {
  readonly #places: readonly VolumePlace[]
  readonly #journal: Journal<Event>
  #current = 0
  #failures = 0
  #last: Promise<void> = Promise.resolve()

  constructor(places: readonly VolumePlace[], journal: Journal<Event>) {
    this.#places = places
    this.#journal = journal
  }

  get name(): string {
    return this.#places[this.#current].name
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

  async settled(): Promise<void> {
    await Promise.all(this.#places.map((place) => place.settled()))
  }

  /** Each is tried once; when all have failed the first is the next to be tried. */
  async #ship(): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        return await this.#places[this.#current].ship()
      } catch (error) {
        if (!(error instanceof PlaceFailed)) throw error
        const failed = this.name
        this.#current = (this.#current + 1) % this.#places.length
        if (this.#places.length > 1) this.#tellReplaced(failed, error)
        if (tried >= this.#places.length) throw error
      }
    }
  }

  #tellReplaced(failed: string, { message }: PlaceFailed): void {
    this.#failures++
    this.#journal.tell({
      kind: 'trouble',
      what: `volumes go to ${this.name} from now on, not to ${failed}: ${message}`,
    })
  }
}

/** Sent to a place as they grow; complete ones leave the worker. `stays`: volumes that are where they belong. */
export function shippedPlace(
  name: string,
  disk: Disk,
  folder: string,
  sink: VolumeSink,
  stays: (volume: string) => boolean,
): VolumePlace {
  const shipper = new Shipper(disk, folder, sink, stays)
  return { name, ship: () => shipper.ship(), settled: () => shipper.settled() }
}

/** Left in the folder in which they are written, as long as the disk has room for more. */
export class KeptPlace implements VolumePlace {
  readonly name = 'keep'
  readonly #disk: Disk
  readonly #folder: string
  readonly #tell: TellPlace
  readonly #hasRoom: () => boolean
  /** Told: which, and whether as complete. */
  readonly #told = new Map<string, boolean>()

  constructor(disk: Disk, folder: string, tell: TellPlace, hasRoom: () => boolean) {
    this.#disk = disk
    this.#folder = folder
    this.#tell = tell
    this.#hasRoom = hasRoom
  }

  /** Complete and told: whichever place comes next, it is not for that one. */
  readonly has = (volume: string): boolean => this.#told.get(volume) === true

  async settled(): Promise<void> {}

  async ship(): Promise<void> {
    for (const file of this.#disk.list(this.#folder)) {
      const sealed = isVolume(file)
      if (!sealed && !isOpenVolume(file)) continue
      const volume = sealed ? file : file.slice(0, -OPEN.length)
      const told = this.#told.get(volume)
      if (told === sealed || told === true) continue
      await this.#tell(volume, `dir:${this.#folder}`, this.#disk.size(join(this.#folder, file)) ?? 0, sealed)
      this.#told.set(volume, sealed)
    }
    if (!this.#hasRoom()) throw new PlaceFailed(`${this.#folder} has hardly any room left`)
  }
}

/** Another folder of this machine: another disk, or one that is mounted. */
export function folderSink(disk: Disk, folder: string, tell: TellPlace): VolumeSink {
  const copies = grownVolumes(disk, folder)
  const durable = new Map<string, number>()
  return toldSink(`dir:${folder}`, tell, {
    append: (name, offset, bytes) =>
      orFailed(async () => {
        if (copies.sizeOf(name) === undefined) disk.makeFolder(folder)
        const end = await copies.append(name, durable.get(name) ?? 0, offset, bytes)
        durable.set(name, end)
        return end
      }),
    seal: (name, size) =>
      orFailed(async () => {
        await copies.seal(name, size)
        durable.delete(name)
      }),
  })
}

/** Whatever goes wrong there, another place may be better. */
export async function orFailed<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new PlaceFailed(error)
  }
}

/** The servers know of a volume when its first bytes are there, and when it is complete; reports that name it come later. */
export function toldSink(place: string, tell: TellPlace, sink: VolumeSink): VolumeSink {
  const told = new Set<string>()
  return {
    async append(name, offset, bytes) {
      const there = await sink.append(name, offset, bytes)
      if (!told.has(name)) await tell(name, place, there, false)
      told.add(name)
      return there
    },
    async seal(name, size) {
      await sink.seal(name, size)
      await tell(name, place, size, true)
      told.delete(name)
    },
  }
}
