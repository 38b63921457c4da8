/** Names of volumes: `PREFIX-TIMESTAMP17-SERIAL-HOST.warc.gz`, with `.open` appended while it is written. */
import type { Instant } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { timestamp17 } from '../../web/warc/instant-text.ts'

export const OPEN = '.open'
export const EXTENSION = '.warc.gz'
const LONGEST_PART = 64

export function isVolume(name: string): boolean {
  return name.endsWith(EXTENSION)
}

export function isOpenVolume(name: string): boolean {
  return name.endsWith(EXTENSION + OPEN)
}

/** `writer` is the host, and the worker where several write on one host. */
export function volumeName(prefix: string, at: Instant, serial: number, writer: string): string {
  // Of a long writer the end is kept: it distinguishes the workers of a host.
  const [first, last] = [plain(prefix).slice(0, LONGEST_PART), plain(writer).slice(-LONGEST_PART)]
  return `${first || 'x'}-${timestamp17(at)}-${String(serial).padStart(5, '0')}-${last || 'x'}${EXTENSION}`
}

/**
 * The file of a volume, closed or open; undefined when there is neither. Tries the closed one twice, because a crawl may
 * rename it in between.
 */
export function volumePath(disk: Disk, folder: string, name: string): string | undefined {
  const closed = `${folder}/${name}`
  return [closed, closed + OPEN, closed].find((path) => disk.size(path) !== undefined)
}

/** All volumes in a folder, in the order of their files. `name`: without `.open`. */
export function volumeFiles(disk: Disk, folder: string) {
  return disk.list(folder).flatMap((file) => {
    if (isVolume(file)) return [{ name: file, file, isOpen: false }]
    return isOpenVolume(file) ? [{ name: file.slice(0, -OPEN.length), file, isOpen: true }] : []
  })
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9._~-]+/g, '_')
}
