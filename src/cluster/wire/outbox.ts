/**
 * Parts that no server has stored yet, on the worker's disk: one file per batch, complete or absent, sent in order, if
 * need be by the next process. Its size is bounded.
 */
import { join } from 'node:path'
import { type Disk, replaceFile } from '../../base/disk.ts'

const EXTENSION = '.parts'
/** As `replaceFile` has it. */
const TORN = '.new'
/** Refused batches, kept for inspection. */
const REFUSED = '.refused'

export interface Waiting {
  name: string
  parts: number
  bytes: number
}

export class Outbox {
  readonly #disk: Disk
  readonly #folder: string
  readonly #maxBytes: number
  #waiting: Waiting[]
  /** Being written: their bytes are reserved, but they can't be sent yet. */
  #writing = 0
  #bytes: number
  #last: number

  private constructor(disk: Disk, folder: string, maxBytes: number, waiting: Waiting[]) {
    this.#disk = disk
    this.#folder = folder
    this.#maxBytes = maxBytes
    this.#waiting = waiting
    this.#bytes = waiting.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#last = waiting.reduce((max, { name }) => Math.max(max, serialOf(name)), 0)
  }

  /** Starts with what an earlier process left; unfinished files were never acknowledged. */
  static open(disk: Disk, folder: string, maxBytes: number): Outbox {
    disk.makeFolder(folder)
    const names = disk.list(folder)
    for (const name of names) if (name.endsWith(TORN)) disk.remove(join(folder, name))
    const waiting = names
      .filter((name) => /^\d{12}-\d{1,6}\.parts$/.test(name))
      .map((name) => ({ name, parts: partsOf(name), bytes: disk.size(join(folder, name)) ?? 0 }))
    return new Outbox(disk, folder, maxBytes, waiting)
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#writing === 0
  }

  get bytes(): number {
    return this.#bytes
  }

  get parts(): number {
    return this.#waiting.reduce((sum, { parts }) => sum + parts, 0)
  }

  /** Durable when it resolves; false if it is full. */
  async put(bytes: Uint8Array, parts: number): Promise<boolean> {
    if (this.#bytes + bytes.length > this.#maxBytes) return false
    const name = `${String(++this.#last).padStart(12, '0')}-${parts}${EXTENSION}`
    const path = join(this.#folder, name)
    this.#bytes += bytes.length
    this.#writing++
    try {
      await replaceFile(this.#disk, path, bytes)
    } catch (error) {
      this.#bytes -= bytes.length
      this.#disk.remove(path + TORN)
      throw error
    } finally {
      this.#writing--
    }
    this.#waiting.push({ name, parts, bytes: bytes.length })
    // Concurrent writes may finish in another order.
    this.#waiting.sort((a, b) => (a.name < b.name ? -1 : 1))
    return true
  }

  /** The next batch to send. */
  get first(): Waiting | undefined {
    return this.#waiting[0]
  }

  read({ name, bytes }: Waiting): Uint8Array {
    return this.#disk.read(join(this.#folder, name), 0, bytes)
  }

  /** A server has stored it. Sending it again after a crash is harmless, so nothing waits for the disk. */
  remove(one: Waiting): void {
    this.#forget(one)
    this.#disk.remove(join(this.#folder, one.name))
  }

  setAside(one: Waiting): void {
    this.#forget(one)
    const path = join(this.#folder, one.name)
    this.#disk.rename(path, path + REFUSED)
  }

  #forget(one: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== one)
    this.#bytes -= one.bytes
  }
}

const serialOf = (name: string): number => Number(name.slice(0, 12))
const partsOf = (name: string): number => Number(name.slice(13, -EXTENSION.length))
