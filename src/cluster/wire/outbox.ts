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

export type Outbox = ReturnType<typeof openOutbox>

/** Starts with what an earlier process left; unfinished files were never acknowledged. */
export function openOutbox(disk: Disk, folder: string, maxBytes: number) {
  disk.makeFolder(folder)
  const names = disk.list(folder)
  for (const name of names) if (name.endsWith(TORN)) disk.remove(join(folder, name))
  let waiting: Waiting[] = names
    .filter((name) => /^\d{12}-\d{1,6}\.parts$/.test(name))
    .map((name) => ({ name, parts: partsOf(name), bytes: disk.size(join(folder, name)) ?? 0 }))
  let bytes = waiting.reduce((sum, one) => sum + one.bytes, 0)
  let last = waiting.reduce((max, { name }) => Math.max(max, serialOf(name)), 0)
  /** Being written: their bytes are reserved, but they can't be sent yet. */
  let writing = 0
  const forget = (one: Waiting) => {
    waiting = waiting.filter((other) => other !== one)
    bytes -= one.bytes
  }
  return {
    get isEmpty() {
      return waiting.length === 0 && writing === 0
    },
    get bytes() {
      return bytes
    },
    get parts() {
      return waiting.reduce((sum, { parts }) => sum + parts, 0)
    },
    /** Durable when it resolves; false if it is full. */
    async put(frame: Uint8Array, parts: number): Promise<boolean> {
      if (bytes + frame.length > maxBytes) return false
      const name = `${String(++last).padStart(12, '0')}-${parts}${EXTENSION}`
      const path = join(folder, name)
      bytes += frame.length
      writing++
      try {
        await replaceFile(disk, path, frame)
      } catch (error) {
        bytes -= frame.length
        disk.remove(path + TORN)
        throw error
      } finally {
        writing--
      }
      waiting.push({ name, parts, bytes: frame.length })
      // Concurrent writes may finish in another order.
      waiting.sort((a, b) => (a.name < b.name ? -1 : 1))
      return true
    },
    /** The next batch to send. */
    get first(): Waiting | undefined {
      return waiting[0]
    },
    read: ({ name, bytes }: Waiting): Uint8Array => disk.read(join(folder, name), 0, bytes),
    /** A server has stored it. Sending it again after a crash is harmless, so nothing waits for the disk. */
    remove(one: Waiting): void {
      forget(one)
      disk.remove(join(folder, one.name))
    },
    setAside(one: Waiting): void {
      forget(one)
      const path = join(folder, one.name)
      disk.rename(path, path + REFUSED)
    },
  }
}

const serialOf = (name: string): number => Number(name.slice(0, 12))
const partsOf = (name: string): number => Number(name.slice(13, -EXTENSION.length))
