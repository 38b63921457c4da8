/**
 * A disk in memory that knows what a loss of power would leave. Everything works on the current state; `crash` throws
 * away what was not synced, the way real disks do: unsynced writes survive one by one or not at all (a later one may be
 * there without an earlier: a hole of zeros), and so do names that were made, moved or removed in an unsynced folder.
 */
import { dirname } from 'node:path'
import type { Disk } from '../src/base/disk.ts'
import type { Random } from '../src/base/random.ts'

interface Inode {
  bytes: Uint8Array
  size: number
  /** The durable prefix: files only grow. */
  durable: number
  /** Writes since the last sync: [offset, length]. */
  pending: [number, number][]
}

interface NameChange {
  folder: string
  path: string
  inode: Inode | undefined
  /** A rename within a folder is one change: after a crash the file has its old name or its new one. */
  from?: string
}

export interface MemoryDisk extends Disk {
  crash(random: Random): void
}

/** `device`: how long a sync takes; a crash meanwhile leaves it undone. */
export function memoryDisk(device: () => Promise<void> = () => Promise.resolve()): MemoryDisk {
  let names = new Map<string, Inode>()
  let durableNames = new Map<string, Inode>()
  let pendingNames: NameChange[] = []

  const change = (path: string, inode: Inode | undefined, from?: string) => {
    const news: NameChange = { folder: dirname(path), path, inode, from }
    apply(names, news)
    pendingNames.push(news)
  }
  const at = (path: string): Inode => {
    const inode = names.get(path)
    if (inode === undefined) throw Object.assign(new Error(`ENOENT: no such file, '${path}'`), { code: 'ENOENT' })
    return inode
  }

  return {
    append(path) {
      if (!names.has(path)) change(path, { bytes: new Uint8Array(0), size: 0, durable: 0, pending: [] })
      const inode = at(path)
      return {
        get size() {
          return inode.size
        },
        write(bytes) {
          reserve(inode, inode.size + bytes.length)
          inode.bytes.set(bytes, inode.size)
          inode.pending.push([inode.size, bytes.length])
          inode.size += bytes.length
        },
        sync() {
          // Covers what was written before the call, not what is written while the device works.
          const upTo = inode.size
          return device().then(() => {
            inode.durable = Math.max(inode.durable, Math.min(upTo, inode.size))
            inode.pending = inode.pending.filter(([offset]) => offset >= inode.durable)
          })
        },
        close() {},
      }
    },
    read(path, offset, length) {
      const inode = at(path)
      return inode.bytes.slice(offset, Math.min(inode.size, offset + length))
    },
    size: (path) => names.get(path)?.size,
    list(folder) {
      const inside = [...names.keys()].filter((path) => dirname(path) === folder)
      return inside.map((path) => path.slice(folder.length + 1)).sort()
    },
    makeFolder() {},
    rename(from, to) {
      change(to, at(from), from)
    },
    remove(path) {
      if (names.has(path)) change(path, undefined)
    },
    truncate(path, size) {
      const inode = at(path)
      inode.size = Math.min(inode.size, size)
      inode.durable = Math.min(inode.durable, size)
      inode.pending = inode.pending.filter(([offset]) => offset < size)
    },
    syncFolder(folder) {
      const promised = pendingNames.filter((pending) => pending.folder === folder)
      return device().then(() => {
        // After a crash nothing is pending: writes on their way to the device never arrive.
        for (const pending of pendingNames) if (promised.includes(pending)) apply(durableNames, pending)
        pendingNames = pendingNames.filter((pending) => !promised.includes(pending))
      })
    },
    crash(random) {
      for (const pending of pendingNames) if (random.next() < 0.5) apply(durableNames, pending)
      pendingNames = []
      const left = new Map<string, Inode>()
      for (const [path, inode] of durableNames) {
        let bytes: Uint8Array = inode.bytes.slice(0, inode.durable)
        for (const [offset, length] of inode.pending) {
          if (random.next() < 0.5) continue
          const part = random.integer(length + 1)
          bytes = grownTo(bytes, offset + part)
          bytes.set(inode.bytes.subarray(offset, offset + part), offset)
        }
        left.set(path, { bytes, size: bytes.length, durable: bytes.length, pending: [] })
      }
      names = left
      durableNames = new Map(left)
    },
  }
}

function apply(names: Map<string, Inode>, change: NameChange): void {
  if (change.from !== undefined) names.delete(change.from)
  if (change.inode === undefined) names.delete(change.path)
  else names.set(change.path, change.inode)
}

function reserve(inode: Inode, size: number): void {
  if (size > inode.bytes.length) inode.bytes = grownTo(inode.bytes, Math.max(size, inode.bytes.length * 2))
}

function grownTo(bytes: Uint8Array, size: number): Uint8Array {
  if (size <= bytes.length) return bytes
  const grown = new Uint8Array(size)
  grown.set(bytes)
  return grown
}
