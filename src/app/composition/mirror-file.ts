/** The list of mirrors on the disk: read at the start of a crawl, written anew by `mirrors` and at a crawl's end. */
import { dirname, join } from 'node:path'
import type { Disk } from '../../base/disk.ts'
import { replaceFile } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import {
  formatList,
  type LeftPair,
  type ListLine,
  leftPairOf,
  type NamedPair,
  pairsOf,
  parseList,
  type Renewal,
  renewed,
} from '../../collection/mirrors/list.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Settings } from '../config/keys.ts'
import type { CheckNames } from './check-names.ts'

export const MIRRORS_FILE = 'mirrors.txt'
const LARGEST_FILE = 256 * 1024 * 1024

/** The file that the settings name, or the collection's own if it has one. */
export function mirrorFileOf(settings: Settings, folder: string, disk: Disk): string | undefined {
  const own = join(folder, MIRRORS_FILE)
  return settings.mirrors ?? (disk.size(own) === undefined ? undefined : own)
}

/** Throws a Problem when the file cannot be read or holds what is no list. */
export function readMirrorFile(disk: Disk, path: string): NamedPair[] {
  return pairsOf(linesOf(disk, path), path)
}

export function linesOf(disk: Disk, path: string): ListLine[] {
  const size = disk.size(path)
  if (size === undefined) throw new Problem('unreadable', `list of mirrors ${path}: there is no such file`)
  if (size > LARGEST_FILE) throw new Problem('unreadable', `list of mirrors ${path}: over 256 MiB`)
  return parseList(new TextDecoder().decode(disk.read(path, 0, size)), path)
}

/** Whole or not at all, whatever happens meanwhile. */
export async function writeMirrorFile(disk: Disk, path: string, lines: readonly ListLine[]): Promise<void> {
  await replaceFile(disk, path, formatList(lines))
}

/** What the list says of a site that was on it; nothing when the list cannot be read, which is told elsewhere. */
export function leftMirror(settings: Settings, folder: string, disk: Disk, site: SiteName): LeftPair | undefined {
  const path = mirrorFileOf(settings, folder, disk)
  try {
    return path === undefined ? undefined : leftPairOf(linesOf(disk, path), site)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

export type MirrorRenewal = Renewal

export interface Renewed {
  /** Pairs that it has now, and of those it had before, how many left. */
  pairs: number
  left: number
}

/** Writes what was found into the list, which need not exist yet. Names that only a person wrote are looked up as well. */
export async function renewMirrorFile(
  disk: Disk,
  path: string,
  renewal: Renewal,
  check?: CheckNames,
): Promise<Renewed> {
  const before = disk.size(path) === undefined ? [] : linesOf(disk, path)
  const theirs = before.flatMap((line) => (line.kind === 'pair' && !line.ours ? [line.replica, line.original] : []))
  const more = check === undefined ? undefined : await check(theirs)
  const gone = new Set([...renewal.gone, ...(more?.gone ?? [])])
  const { lines, left } = renewed(before, { ...renewal, gone })
  pairsOf(lines, path)
  // The folder of the next collection may not be there yet.
  disk.makeFolder(dirname(path))
  await writeMirrorFile(disk, path, lines)
  return { pairs: lines.filter(({ kind }) => kind === 'pair').length, left }
}
