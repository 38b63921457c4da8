/** Names of volumes: `PREFIX-TIMESTAMP17-SERIAL-HOST.warc.gz`, and `.open` behind it while it is written. */
import type { Instant } from '../../base/clock.ts'
import type { Disk } from '../../base/disk.ts'
import { timestamp17 } from '../../web/warc/instant-text.ts'

export const OPEN = '.open'
const EXTENSION = '.warc.gz'

export function isVolume(name: string): boolean {
  return name.endsWith(EXTENSION)
}

export function isOpenVolume(name: string): boolean {
  return name.endsWith(EXTENSION + OPEN)
}

/** `who` is the host, and the worker where several write on one host. */
export function volumeName(prefix: string, at: Instant, serial: number, who: string): string {
  return `${plain(prefix)}-${timestamp17(at)}-${String(serial).padStart(5, '0')}-${plain(who)}${EXTENSION}`
}

/**
 * The file of a volume, closed or still open; undefined when there is neither. Asked twice for the closed one: a crawl
 * may rename it between two questions.
 */
export function volumePath(disk: Disk, folder: string, name: string): string | undefined {
  const closed = `${folder}/${name}`
  return [closed, closed + OPEN, closed].find((path) => disk.size(path) !== undefined)
}

function plain(text: string): string {
  return text.replace(/[^A-Za-z0-9._~-]+/g, '_').slice(0, 64) || 'x'
}
