/** The machine's own disk. */
import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  open,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Disk } from './disk.ts'

const fdatasyncAsync = promisify(fdatasync)
const openAsync = promisify(open)

export const realDisk: Disk = {
  append(path, mode) {
    const fd = openSync(path, 'a', mode)
    let size = fstatSync(fd).size
    return {
      get size() {
        return size
      },
      write(bytes) {
        let at = 0
        while (at < bytes.length) at += writeSync(fd, bytes, at)
        size += bytes.length
      },
      sync: () => fdatasyncAsync(fd),
      close: () => closeSync(fd),
    }
  },
  read(path, offset, length) {
    // Non-blocking: opening a pipe without a writer would block for ever.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const bytes = new Uint8Array(length)
      let at = 0
      while (at < length) {
        const got = readSync(fd, bytes, at, length - at, offset + at)
        if (got === 0) break
        at += got
      }
      return bytes.subarray(0, at)
    } finally {
      closeSync(fd)
    }
  },
  size(path) {
    return statSync(path, { throwIfNoEntry: false })?.size
  },
  list(folder) {
    try {
      return readdirSync(folder).sort()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    }
  },
  makeFolder(folder) {
    if (isFolder(folder)) return
    try {
      makeOne(folder)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error
      // Step by step: Node's own `recursive` never ends where no folder can be made in one that is there (/proc).
      realDisk.makeFolder(dirname(folder))
      makeOne(folder)
    }
  },
  rename(from, to) {
    renameSync(from, to)
  },
  remove(path) {
    rmSync(path, { force: true })
  },
  truncate(path, size) {
    const fd = openSync(path, 'r+')
    try {
      ftruncateSync(fd, size)
    } finally {
      closeSync(fd)
    }
  },
  async syncFolder(folder) {
    const fd = await openAsync(folder, 'r')
    try {
      await fdatasyncAsync(fd)
    } finally {
      closeSync(fd)
    }
  },
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true

/** Another thread or process may make it at the same moment. */
function makeOne(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(folder)) throw error
  }
}

/** A new folder under the system's temporary one, removed when it is disposed of. */
export function scratchFolder(name: string): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), `orbweaver-${name}-`))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Bytes that are free on the disk of a folder, and all that it has. */
export function diskSpace(folder: string): { free: number; size: number } {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** What Linux counts of its disks, and a folder's device; undefined where there is no such thing. */
export function diskStatistics(folder: string): { text: string; device: number } | undefined {
  try {
    return { text: readFileSync('/proc/diskstats', 'utf8'), device: statSync(folder).dev }
  } catch {
    return undefined
  }
}
