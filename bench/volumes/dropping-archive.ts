/** The product's archive on a disk that drops what it is given. */
import type { AppendFile, Disk } from '../../src/base/disk.ts'
import { type ArchiveOptions, openArchive as openReal } from '../../src/collection/volumes/volume-writer.ts'
import type { Archive } from '../../src/contracts/ports.ts'

export function openArchive(options: Omit<ArchiveOptions, 'disk'>): Archive {
  return openReal({ ...options, disk: droppingDisk })
}

const droppingDisk: Disk = {
  append: droppingFile,
  read: () => new Uint8Array(0),
  size: () => undefined,
  list: () => [],
  makeFolder() {},
  rename() {},
  remove() {},
  truncate() {},
  async syncFolder() {},
}

function droppingFile(): AppendFile {
  let size = 0
  return {
    get size() {
      return size
    },
    write(bytes) {
      size += bytes.length
    },
    async sync() {},
    close() {},
  }
}
