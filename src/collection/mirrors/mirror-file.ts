/** The list of mirrors on disk: read at the start of a crawl, written by `mirrors` and when pairs leave it. */
import { dirname, join } from 'node:path'
import { type Disk, replaceFile } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import type { Resolve } from '../../contracts/exchange.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { parseUrl } from '../../web/url/web-url.ts'
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
} from './list.ts'

export const MIRRORS_FILE = 'mirrors.txt'
const MAX_BYTES = 256 * 1024 * 1024

/** The file that the operator named, or the collection's own if it has one. */
export function mirrorFileOf(named: string | undefined, folder: string, disk: Disk): string | undefined {
  const own = join(folder, MIRRORS_FILE)
  return named ?? (disk.size(own) === undefined ? undefined : own)
}

/** Throws a Problem when the file cannot be read or parsed. */
export function readMirrorFile(disk: Disk, path: string): NamedPair[] {
  return pairsOf(linesOf(disk, path), path)
}

export function linesOf(disk: Disk, path: string): ListLine[] {
  const size = disk.size(path)
  if (size === undefined) throw new Problem('unreadable', `list of mirrors ${path}: there is no such file`)
  if (size > MAX_BYTES) throw new Problem('unreadable', `list of mirrors ${path}: over 256 MiB`)
  return parseList(new TextDecoder().decode(disk.read(path, 0, size)), path)
}

/** Atomic: the file has the old lines or the new ones. */
export async function writeMirrorFile(disk: Disk, path: string, lines: readonly ListLine[]): Promise<void> {
  await replaceFile(disk, path, formatList(lines))
}

/** What the list says of a site that was on it; undefined when there is no list or it cannot be read. */
export function leftMirror(disk: Disk, path: string | undefined, site: SiteName): LeftPair | undefined {
  try {
    return path === undefined ? undefined : leftPairOf(linesOf(disk, path), site)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** Adds what was found to the list, which need not exist yet. Names that only a person wrote are looked up as well. */
export async function renewMirrorFile(disk: Disk, path: string, renewal: Renewal, check?: CheckNames) {
  const before = disk.size(path) === undefined ? [] : linesOf(disk, path)
  const theirs = before.flatMap((line) => (line.kind === 'pair' && !line.ours ? [line.replica, line.original] : []))
  const more = check === undefined ? undefined : await check(theirs)
  const gone = new Set([...renewal.gone, ...(more?.gone ?? [])])
  const { lines, left } = renewed(before, { ...renewal, gone })
  pairsOf(lines, path)
  // It may be for a collection that does not exist yet.
  disk.makeFolder(dirname(path))
  await writeMirrorFile(disk, path, lines)
  /** Pairs that it has now, and how many of the earlier ones left. */
  return { pairs: lines.filter(({ kind }) => kind === 'pair').length, left }
}

/** Finds out which names of sites do not resolve any more. */
export type CheckNames = (names: readonly SiteName[]) => Promise<{
  /** Names that do not exist, or have only addresses that a crawl refuses. */
  gone: Set<SiteName>
  /** The resolver gave no answer, which proves nothing. */
  unanswered: number
}>

const NAMES_AT_ONCE = 50
/** A busy resolver drops some questions. */
const TRIES = 2

export function nameChecker(resolve: Resolve): CheckNames {
  return async (names) => {
    const signal = new AbortController().signal
    const gone = new Set<SiteName>()
    let unanswered = 0
    const waiting = [...new Set(names)]
    const isAnswered = async (name: SiteName): Promise<boolean> => {
      const answer = await resolve(parseUrl(`http://${name}/`)?.host ?? name, signal)
      if (answer.kind === 'addresses') return true
      const { kind } = answer.failure
      if (kind !== 'no-such-name' && kind !== 'address-refused') return false
      gone.add(name)
      return true
    }
    const line = async () => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
        let answered = false
        for (let tries = 0; tries < TRIES && !answered; tries++) answered = await isAnswered(name)
        if (!answered) unanswered++
      }
    }
    await Promise.all(Array.from({ length: NAMES_AT_ONCE }, line))
    return { gone, unanswered }
  }
}
