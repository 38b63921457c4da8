/**
 * Sends a worker's volumes to a place (a server, a folder, a store) as they grow. A part may be told only when the bytes that
 * it names are durable where they will be read: so whoever delivers parts ships first. What the place has is a beginning
 * of what is here; it says how much that is, and the rest follows from there, also after either side was killed or another
 * server took over.
 */
import type { Disk } from '../../base/disk.ts'
import { isOpenVolume, isVolume, OPEN } from '../volumes/volume-name.ts'

export interface VolumeSink {
  /** Resolves when the bytes are durable there, with the size of what is there now: anything else than expected is gone on from. */
  append(name: string, offset: number, bytes: Uint8Array): Promise<number>
  /** It is whole, with this size; what is behind it there is cut. Resolves when that is durable. */
  seal(name: string, size: number): Promise<void>
}

/** A request body: large enough to cost little each, small enough for any proxy and for memory. */
const MAX_AT_ONCE = 4 * 2 ** 20
/** Answers in a row that bring nothing forward: something else is wrong there. */
const MAX_SETBACKS = 20

export class Shipper {
  readonly #disk: Disk
  readonly #folder: string
  readonly #sink: VolumeSink
  /** How much of a volume is there, as far as is known. */
  readonly #there = new Map<string, number>()
  /** Whole volumes of which the place is being told. */
  readonly #sealing = new Map<string, Promise<void>>()
  /** Why the last of them could not be told: whoever ships next hears it. */
  #trouble: unknown
  #last: Promise<void> = Promise.resolve()

  readonly #stays: (name: string) => boolean

  /** `stays`: complete volumes that lie where they belong. */
  constructor(disk: Disk, folder: string, sink: VolumeSink, stays: (name: string) => boolean = () => false) {
    this.#disk = disk
    this.#folder = folder
    this.#sink = sink
    this.#stays = stays
  }

  /** All that the volumes have now is there. One at a time, whoever asks. */
  ship(): Promise<void> {
    const turn = this.#last.then(() => this.#shipAll())
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Whole volumes have left this machine, all but those that could not. */
  async settled(): Promise<void> {
    await Promise.all(this.#sealing.values())
  }

  /** A volume that is full gets its last name at any moment: then all are looked at once more. */
  async #shipAll(): Promise<void> {
    const trouble = this.#trouble
    this.#trouble = undefined
    if (trouble !== undefined) throw trouble
    for (let missed = true; missed; ) {
      missed = false
      for (const file of this.#disk.list(this.#folder)) {
        if (isVolume(file) && this.#stays(file)) continue
        if (isVolume(file)) await this.#shipWhole(file)
        else if (isOpenVolume(file))
          missed = (await this.#shipGrown(file, file.slice(0, -OPEN.length))) === undefined || missed
      }
    }
  }

  async #shipWhole(name: string): Promise<void> {
    if (this.#sealing.has(name)) return
    const size = await this.#shipGrown(name, name)
    if (size !== undefined) this.#sealing.set(name, this.#seal(name, size))
  }

  /** Nobody waits for it: a store may take minutes, and reports only name bytes that are there already. */
  async #seal(name: string, size: number): Promise<void> {
    try {
      await this.#sink.seal(name, size)
      this.#disk.remove(`${this.#folder}/${name}`)
      this.#there.delete(name)
    } catch (error) {
      this.#trouble = error
    } finally {
      this.#sealing.delete(name)
    }
  }

  /** Its size when all of it was sent; undefined when it is no longer there under this name. */
  async #shipGrown(file: string, name: string): Promise<number | undefined> {
    const path = `${this.#folder}/${file}`
    const size = this.#disk.size(path)
    if (size === undefined) return undefined
    let setbacks = 0
    for (let at = this.#there.get(name) ?? 0; at < size; ) {
      const bytes = this.#read(path, at, Math.min(MAX_AT_ONCE, size - at))
      if (bytes === undefined) return undefined
      const there = await this.#sink.append(name, at, bytes)
      if (there <= at && ++setbacks > MAX_SETBACKS)
        throw new Error(`the bytes of ${name} are not taken: there are ${there}, here ${size}`)
      // More than there is here: a tail that was cut here when its worker was killed.
      at = Math.min(there, size)
      this.#there.set(name, at)
    }
    return size
  }

  #read(path: string, at: number, length: number): Uint8Array | undefined {
    try {
      return this.#disk.read(path, at, length)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
}
