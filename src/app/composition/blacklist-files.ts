/** Black lists in files, read again when they change: looked at now and then, so that no page waits for it. */
import type { Clock, Millis } from '../../base/clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { type Blacklist, parseBlacklist } from '../../crawl/scope/blacklist.ts'
import type { Settings } from '../config/keys.ts'

const LOOK_EVERY: Millis = 5_000
/** A look at a long list takes its time: so many times as long passes before the next one. */
const REST_FACTOR = 50
const LARGEST_FILE = 256 * 1024 * 1024

export function blacklistPaths(settings: Settings): string[] {
  const { blacklistUrls, blacklistDomains, blacklistAddresses } = settings
  return [blacklistUrls, blacklistDomains, blacklistAddresses].filter((path) => path !== undefined)
}

/** Throws a Problem when a file cannot be read or holds what is none of the three; for the start of a crawl. */
export function readBlacklists(paths: readonly string[], disk: Disk): Blacklist {
  return parsed(paths, bytesOf(paths, disk))
}

function bytesOf(paths: readonly string[], disk: Disk): Uint8Array[] {
  return paths.map((name) => {
    const size = disk.size(name)
    if (size === undefined) throw new Problem('unreadable', `black list ${name}: there is no such file`)
    if (size > LARGEST_FILE) throw new Problem('unreadable', `black list ${name}: over 256 MiB`)
    return disk.read(name, 0, size)
  })
}

function parsed(paths: readonly string[], files: readonly Uint8Array[]): Blacklist {
  return parseBlacklist(files.map((bytes, i) => ({ name: paths[i], text: new TextDecoder().decode(bytes) })))
}

export function blacklistFiles(
  settings: Settings,
  disk: Disk,
  clock: Clock,
  journal: Journal<Event>,
): (() => Blacklist) | undefined {
  const paths = blacklistPaths(settings)
  if (paths.length === 0) return undefined
  const files = bytesOf(paths, disk)
  let list = parsed(paths, files)
  // The texts themselves may be of some size, and are not kept.
  let digests = files.map((bytes) => sha1(bytes)).join()
  let nextLook = clock.elapsed() + LOOK_EVERY
  const view = () => {
    const now = bytesOf(paths, disk)
    const nowDigests = now.map((bytes) => sha1(bytes)).join()
    if (nowDigests === digests) return
    // Noted first: what cannot be read is told once, not at every look.
    digests = nowDigests
    list = parsed(paths, now)
  }
  return () => {
    const begin = clock.elapsed()
    if (begin < nextLook) return list
    try {
      view()
    } catch (error) {
      // A file in the middle of being written: the list that was good stays.
      journal.record({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
    }
    const end = clock.elapsed()
    nextLook = end + Math.max(LOOK_EVERY, (end - begin) * REST_FACTOR)
    return list
  }
}
