/** Reads records, still compressed, from the volumes of a folder. */
import type { Disk } from '../../base/disk.ts'
import { volumePath } from './volume-name.ts'

export interface RecordLocation {
  volume: string
  offset: number
  length: number
}

/** `absent`: the volume is not in this folder. */
export type RecordRead = { kind: 'bytes'; bytes: Uint8Array } | { kind: 'absent'; why: string }

/** The only way to the bytes of a capture, wherever its volume is. */
export type ReadLocation = (location: RecordLocation) => Promise<RecordRead>

export function localVolumes(disk: Disk, folder: string): ReadLocation {
  return async (location) => {
    const path = volumePath(disk, folder, location.volume)
    if (path === undefined) return { kind: 'absent', why: 'is not there' }
    return { kind: 'bytes', bytes: readOrAgain(disk, folder, path, location) }
  }
}

/** A crawl may close and so rename the volume after its path was found. */
export function readOrAgain(
  disk: Disk,
  folder: string,
  path: string,
  { volume, offset, length }: RecordLocation,
): Uint8Array {
  try {
    return disk.read(path, offset, length)
  } catch (error) {
    const now = volumePath(disk, folder, volume)
    if (now === undefined || now === path) throw error
    return disk.read(now, offset, length)
  }
}
