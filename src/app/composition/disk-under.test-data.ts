/** The real disk, for collections that are made in virtual time. */
import { join } from 'node:path'
import type { AppendFile, Disk } from '../../base/disk.ts'
import { realDisk } from '../../base/real-disk.ts'

/**
 * The virtual house writes under a relative name; here that lies in a folder of a test. A sync of a real device would take
 * hours of virtual time, and no test loses power here: it is done at once.
 */
export function diskUnder(folder: string): Disk {
  const at = (path: string) => join(folder, path)
  return {
    append: (path) => atOnce(realDisk.append(at(path))),
    read: (path, offset, length) => realDisk.read(at(path), offset, length),
    size: (path) => realDisk.size(at(path)),
    list: (path) => realDisk.list(at(path)),
    makeFolder: (path) => realDisk.makeFolder(at(path)),
    rename: (from, to) => realDisk.rename(at(from), at(to)),
    remove: (path) => realDisk.remove(at(path)),
    truncate: (path, size) => realDisk.truncate(at(path), size),
    syncFolder: async () => {},
  }
}

function atOnce(file: AppendFile): AppendFile {
  return {
    get size() {
      return file.size
    },
    write: (bytes) => file.write(bytes),
    sync: async () => {},
    close: () => file.close(),
  }
}
