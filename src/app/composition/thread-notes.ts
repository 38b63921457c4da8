/**
 * The names under which this folder's process holds leases, on its disk before each is used. A process that is killed leaves them
 * behind; the next one in the folder, which has its lock, knows that they are nobody's any more and gives their leases back.
 */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'

const FILE = 'threads'
/** Far more than a process ever starts: the last of them. */
const MAX_BYTES = 65_536
/** As servers take them. */
const NAME = /^[A-Za-z0-9-]{1,40}$/

export class ThreadNotes {
  readonly #disk: Disk
  readonly #path: string

  constructor(disk: Disk, folder: string) {
    this.#disk = disk
    this.#path = join(folder, FILE)
  }

  /** Of processes before this one that did not end in order. */
  get earlier(): string[] {
    const size = this.#disk.size(this.#path) ?? 0
    const text = new TextDecoder().decode(
      size === 0 ? new Uint8Array(0) : this.#disk.read(this.#path, Math.max(0, size - MAX_BYTES), MAX_BYTES),
    )
    return [...new Set(text.split('\n').filter((name) => NAME.test(name)))]
  }

  /** Not synced: a kill does not lose it, and after a loss of power its leases end by themselves. */
  begin(thread: string): void {
    const file = this.#disk.append(this.#path)
    file.write(new TextEncoder().encode(`${thread}\n`))
    file.close()
  }

  /** Nobody holds anything under these names any more. */
  clear(): void {
    this.#disk.remove(this.#path)
  }
}
