/**
 * Folders and stores of complete volumes, for those who judge, rewrite or remove what lies there. Several collections may
 * share one.
 */
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import type { ObjectStore } from '../s3/s3-store.ts'
import { isVolume, OPEN, volumeFiles, volumePath } from '../volumes/volume-name.ts'
import { copyVolume } from './read-volumes.ts'
import { DIR } from './volume-locations.ts'

/** Nothing reads a file of such a name; those that a crash left are removed. */
export const UNFINISHED = '.new'

export interface OtherLocation {
  /** As in `volume_location`: `dir:/PATH`, `s3://BUCKET/PREFIX`, or the id of the server whose archive it is. */
  readonly node: string
  /** All volumes there, with their sizes. Throws when it can't be read. */
  list(): Promise<ReadonlyMap<string, number>>
  /** Open until disposed. `size`: the one it must have. */
  open(volume: string, size?: number): Promise<{ path: string } & Disposable>
  /** The file in which a new volume is written. */
  unfinished(volume: string): string
  /** Makes a volume of that file: all of it or nothing. Durable when it resolves. */
  complete(volume: string): Promise<void>
  /** If it is there. */
  remove(volume: string): Promise<void>
}

export function folderLocation(disk: Disk, folder: string, node = DIR + folder): OtherLocation {
  const unfinished = (volume: string) => join(folder, volume + UNFINISHED)
  return {
    node,
    list: async () =>
      new Map(volumeFiles(disk, folder).map(({ name, file }) => [name, disk.size(join(folder, file)) ?? 0])),
    async open(volume, size) {
      const path = volumePath(disk, folder, volume)
      if (path === undefined || (size !== undefined && disk.size(path) !== size))
        throw new Error(`${volume} is no longer in ${folder} as it was`)
      return { path, [Symbol.dispose]() {} }
    },
    unfinished,
    async complete(volume) {
      disk.rename(unfinished(volume), join(folder, volume))
      await disk.syncFolder(folder)
    },
    async remove(volume) {
      for (const name of [volume, volume + OPEN]) disk.remove(join(folder, name))
      await disk.syncFolder(folder)
    },
  }
}

const PIECES = /^(.+)\.pieces\/\d+$/

/** `scratch`: where new volumes are written before they are sent. */
export function storeLocation(
  disk: Disk,
  node: string,
  scratch: string,
  open: () => Promise<ObjectStore>,
): OtherLocation {
  const volumes = async () => {
    const { storedVolumes } = await import('../s3/stored-volumes.ts')
    return storedVolumes(await open())
  }
  const unfinished = (volume: string) => join(scratch, volume + UNFINISHED)
  return {
    node,
    async list() {
      const sizes = new Map<string, number>()
      for (const { key, size } of await (await open()).list('')) {
        const name = PIECES.exec(key)?.[1] ?? key
        if (isVolume(name)) sizes.set(name, (sizes.get(name) ?? 0) + size)
      }
      return sizes
    },
    open: async (volume, size) => copyVolume((await volumes()).readAt, volume, disk, size),
    unfinished,
    async complete(volume) {
      const path = unfinished(volume)
      await (await open()).putLarge(volume, disk.size(path) ?? 0, (offset, length) => disk.read(path, offset, length))
      disk.remove(path)
    },
    remove: async (volume) => (await volumes()).remove(volume),
  }
}
