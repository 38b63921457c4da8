/** The places of volumes outside of the collection's folder, as the cleaner needs them: folders of this machine, and stores. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { OtherLocation } from '../../cluster/maintenance/orphan.ts'
import type { ObjectStore } from '../../collection/s3/object-store.ts'
import { isOpenVolume, isVolume, OPEN, volumePath } from '../../collection/volumes/volume-name.ts'
import { copyVolume } from './fetch-volume.ts'
import { DIR } from './volume-locations.ts'
import { s3AccessOf } from './volume-sources.ts'

type StoreSettings = Parameters<typeof s3AccessOf>[0]

export function openLocationsToClean(settings: StoreSettings, nodes: readonly string[]) {
  const stores: ObjectStore[] = []
  const openStore = (node: string) => async () => {
    const { openS3 } = await import('../../collection/s3/s3-store.ts')
    const store = openS3(node, s3AccessOf(settings))
    stores.push(store)
    return store
  }
  const list = nodes.map((node) =>
    node.startsWith(DIR) ? folderToClean(node, realDisk) : storeToClean(node, realDisk, once(openStore(node))),
  )
  const close = () => {
    for (const store of stores) store.close()
  }
  return { list, close }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

export function folderToClean(node: string, disk: Disk): OtherLocation {
  const folder = node.slice(DIR.length)
  return {
    node,
    async list() {
      // A disk that is not mounted, or a folder of another machine: what is missing there is not lost.
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error('there is no such folder here')
      const names = disk.list(folder).filter((file) => isVolume(file) || isOpenVolume(file))
      return new Map(names.map((file) => [nameOf(file), disk.size(join(folder, file)) ?? 0]))
    },
    async open(volume) {
      const path = volumePath(disk, folder, volume)
      if (path === undefined) throw new Error(`${volume} is no longer in ${folder}`)
      return { path, [Symbol.dispose]() {} }
    },
    async remove(volume) {
      for (const name of [volume, volume + OPEN]) disk.remove(join(folder, name))
      await disk.syncFolder(folder)
    },
  }
}

const PIECES = /^(.+)\.pieces\/\d+$/

export function storeToClean(node: string, disk: Disk, open: () => Promise<ObjectStore>): OtherLocation {
  const volumes = async () => {
    const { storedVolumes } = await import('../../collection/s3/stored-volumes.ts')
    return storedVolumes(await open())
  }
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
    open: async (volume) => copyVolume((await volumes()).readAt, volume, disk),
    remove: async (volume) => (await volumes()).remove(volume),
  }
}

const nameOf = (file: string): string => (isOpenVolume(file) ? file.slice(0, -OPEN.length) : file)
