/** A planted bug: what was to be synced is not. */
import type { Disk } from '../../src/base/disk.ts'

export function forgetting(disk: Disk, bug: 'no-file-sync' | 'no-folder-sync'): Disk {
  if (bug === 'no-folder-sync') return { ...disk, syncFolder: async () => {} }
  return {
    ...disk,
    append(path) {
      const file = disk.append(path)
      return {
        get size() {
          return file.size
        },
        write: file.write,
        sync: async () => {},
        close: file.close,
      }
    },
  }
}
