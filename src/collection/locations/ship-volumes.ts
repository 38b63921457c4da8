/**
 * Sends a worker's volumes to a location (a server, a store) as they grow. A report part may be delivered only when the bytes
 * it names are durable where they will be read, so volumes are shipped before parts are delivered. The location holds a beginning of
 * what is here and says how long it is. The rest follows from there, also after either side was killed or another server
 * took over.
 */
import type { Disk } from '../../base/disk.ts'
import { inOrder } from '../../base/in-order.ts'
import { volumeFiles } from '../volumes/volume-name.ts'

export interface VolumeSink {
  /** Resolves when the bytes are durable there, with the size of what is there now. Shipping goes on from that size. */
  append(name: string, offset: number, bytes: Uint8Array): Promise<number>
  /** The volume is complete with this size; anything beyond it is cut. Resolves when that is durable. */
  seal(name: string, size: number): Promise<void>
}

/** A request body: large enough to cost little each, small enough for any proxy and for memory. */
const MAX_AT_ONCE = 4 * 2 ** 20
/** Answers in a row without progress before shipping gives up. */
const MAX_SETBACKS = 20

export class Shipper {
  readonly #disk: Disk
  readonly #folder: string
  readonly #sink: VolumeSink
  readonly #stays: (name: string) => boolean
  /** How much of a volume is there, as far as is known. */
  readonly #there = new Map<string, number>()
  /** Complete volumes that are being sealed. */
  readonly #sealing = new Map<string, Promise<void>>()
  /** Why the last seal failed: the next `ship` throws it. */
  #trouble: unknown
  readonly #inTurn = inOrder()

  /** `stays`: complete volumes that are where they belong. */
  constructor(disk: Disk, folder: string, sink: VolumeSink, stays: (name: string) => boolean = () => false) {
    this.#disk = disk
    this.#folder = folder
    this.#sink = sink
    this.#stays = stays
  }

  /** Resolves when all that the volumes have now is there. Calls run one after the other. */
  ship(): Promise<void> {
    return this.#inTurn(() => this.#shipAll())
  }

  /** Resolves when every seal under way has ended, well or not. */
  async settled(): Promise<void> {
    await Promise.all(this.#sealing.values())
  }

  /** A full volume is renamed at any moment. If that hid one, all are listed again. */
  async #shipAll(): Promise<void> {
    const trouble = this.#trouble
    this.#trouble = undefined
    if (trouble !== undefined) throw trouble
    for (let missed = true; missed; ) {
      missed = false
      for (const { name, file, isOpen } of volumeFiles(this.#disk, this.#folder)) {
        if (isOpen) missed = (await this.#shipGrown(file, name)) === undefined || missed
        else if (!this.#stays(name)) await this.#shipWhole(name)
      }
    }
  }

  async #shipWhole(name: string): Promise<void> {
    if (this.#sealing.has(name)) return
    const size = await this.#shipGrown(name, name)
    if (size !== undefined) this.#sealing.set(name, this.#seal(name, size))
  }

  /** Not awaited by `ship`: a store may take minutes, and reports only name bytes that are there already. */
  async #seal(name: string, size: number): Promise<void> {
    try {
      await this.#sink.seal(name, size)
      this.#disk.remove(`${this.#folder}/${name}`)
      this.#there.delete(name)
    } catch (error) {
      this.#trouble = error
      // It may have gone to another server, which has nothing of the volume: ask again how much is there.
      this.#there.delete(name)
    } finally {
      this.#sealing.delete(name)
    }
  }

  /** Its size when all of it was sent; undefined when there is no file of this name any more. */
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
        throw new Error(`the bytes of ${name} are not accepted: there are ${there} there, ${size} here`)
      // More there than here: a tail that was cut here when its worker was killed.
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
