/**
 * Copies of volumes that grow with their originals: appended, never changed, durable when acknowledged. After the acknowledged
 * end there may be remains of a write that a crash or a full disk cut short: they are verified or replaced.
 */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { OPEN } from './volume-name.ts'

/** The copy contradicts what was sent. */
export class VolumeConflict extends Error {
  readonly hint: string
  constructor(message: string, hint: string) {
    super(message)
    this.name = 'VolumeConflict'
    this.hint = hint
  }
}

export function grownVolumes(disk: Disk, folder: string) {
  const pathOf = (name: string) => join(folder, name)
  const sealedSize = (name: string) => disk.size(pathOf(name))
  const sizeOf = (name: string) => sealedSize(name) ?? disk.size(pathOf(name) + OPEN)

  /** How many of the bytes the file has already. */
  const sameBytes = (path: string, offset: number, bytes: Uint8Array): number => {
    const size = disk.size(path) ?? 0
    if (offset >= size) return 0
    const there = disk.read(path, offset, Math.min(bytes.length, size - offset))
    if (Buffer.compare(there, bytes.subarray(0, there.length)) === 0) return there.length
    return there.findIndex((byte, i) => byte !== bytes[i])
  }
  const againstSealed = (name: string, size: number, offset: number, bytes: Uint8Array): number => {
    const same = sameBytes(pathOf(name), offset, bytes)
    if (offset > size || same === bytes.length) return size
    if (offset + same < size) throw otherBytes(name, offset + same)
    throw new VolumeConflict(`${name} is complete: it has ${size} bytes`, 'begin another volume')
  }

  return {
    /** Undefined: there is no volume of this name, complete or not. */
    sizeOf,
    /** Up to `known` the copy is durable and right; returns the new end. Bytes may come again; none may be left out. */
    async append(name: string, known: number, offset: number, bytes: Uint8Array): Promise<number> {
      const sealed = sealedSize(name)
      if (sealed !== undefined) return againstSealed(name, sealed, offset, bytes)
      const path = pathOf(name) + OPEN
      const size = disk.size(path) ?? 0
      const durable = Math.min(known, size)
      if (offset > durable) return durable
      const end = offset + bytes.length
      const same = offset + sameBytes(path, offset, bytes)
      if (same < Math.min(end, durable)) throw otherBytes(name, same)
      if (end <= durable) return durable
      if (same < end && same < size) disk.truncate(path, same)
      // Even without bytes: this syncs what an earlier process wrote.
      await append(disk, folder, path, bytes.subarray(same - offset))
      return end
    },
    /** It is complete with this size; anything after it is cut. May be repeated. */
    async seal(name: string, size: number): Promise<void> {
      const path = pathOf(name)
      const there = sizeOf(name)
      const isSealed = sealedSize(name) !== undefined
      if (there === undefined || there < size || (isSealed && there !== size))
        throw new VolumeConflict(`${name} has ${there ?? 0} bytes here, not ${size}`, 'send the rest first')
      if (isSealed) return
      // A tail that its worker cut after a crash: no report refers to it.
      if (there > size) {
        disk.truncate(path + OPEN, size)
        await syncFile(disk, path + OPEN)
      }
      disk.rename(path + OPEN, path)
      await disk.syncFolder(folder)
    },
  }
}

function otherBytes(name: string, at: number): VolumeConflict {
  return new VolumeConflict(`${name} has other bytes at ${at}`, 'a volume is appended to, never changed')
}

async function append(disk: Disk, folder: string, path: string, bytes: Uint8Array): Promise<void> {
  const isNew = disk.size(path) === undefined
  const file = disk.append(path)
  const before = file.size
  try {
    file.write(bytes)
    await file.sync()
  } catch (error) {
    // After a failed sync the device may lack what can still be read, so it must be written again.
    disk.truncate(path, before)
    throw error
  } finally {
    file.close()
  }
  if (isNew) await disk.syncFolder(folder)
}

/** Also what an earlier process wrote. */
export async function syncFile(disk: Disk, path: string): Promise<void> {
  const file = disk.append(path)
  try {
    await file.sync()
  } finally {
    file.close()
  }
}
