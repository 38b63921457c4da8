/** By which name the server of a folder is known to the others; undefined when none ever was here. */
import { join } from 'node:path'
import type { Disk } from '../base/disk.ts'

const FILE = 'server-id'
const LONGEST = 100

export function serverIdFile(folder: string): string {
  return join(folder, FILE)
}

export function serverIdIn(disk: Disk, folder: string): string | undefined {
  const path = serverIdFile(folder)
  const size = disk.size(path)
  if (size === undefined) return undefined
  return new TextDecoder().decode(disk.read(path, 0, Math.min(size, LONGEST))).trim()
}
