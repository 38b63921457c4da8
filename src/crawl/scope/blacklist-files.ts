/** Blacklists in files. They are read again when they change; the check runs now and then, so no page waits for it. */
import type { Clock, Millis } from '../../base/clock.ts'
import { sha1 } from '../../base/digest.ts'
import type { Disk } from '../../base/disk.ts'
import { Problem, reasonOf } from '../../base/errors.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import { type Blacklist, parseBlacklist } from './blacklist.ts'

const CHECK_EVERY: Millis = 5_000
/** A long list takes time to check: this many times as long passes before the next check. */
const REST_FACTOR = 50
const MAX_BYTES = 256 * 1024 * 1024

/** Throws a Problem when a file cannot be read or parsed. */
export function readBlacklists(paths: readonly string[], disk: Disk): Blacklist {
  return parsed(paths, bytesOf(paths, disk))
}

function bytesOf(paths: readonly string[], disk: Disk): Uint8Array[] {
  return paths.map((name) => {
    const size = disk.size(name)
    if (size === undefined) throw new Problem('unreadable', `blacklist ${name}: there is no such file`)
    if (size > MAX_BYTES) throw new Problem('unreadable', `blacklist ${name}: over 256 MiB`)
    return disk.read(name, 0, size)
  })
}

function parsed(paths: readonly string[], files: readonly Uint8Array[]): Blacklist {
  return parseBlacklist(files.map((bytes, i) => ({ name: paths[i], text: new TextDecoder().decode(bytes) })))
}

/** Undefined: there are none. Throws like `readBlacklists` at the start; later a file that cannot be read leaves the list as it is. */
export function blacklistFiles(
  paths: readonly string[],
  disk: Disk,
  clock: Clock,
  journal: Journal<Event>,
): (() => Blacklist) | undefined {
  if (paths.length === 0) return undefined
  const files = bytesOf(paths, disk)
  let list = parsed(paths, files)
  // Digests, for the texts may be large.
  let digests = files.map((bytes) => sha1(bytes)).join()
  let nextCheck = clock.elapsed() + CHECK_EVERY
  const check = () => {
    const now = bytesOf(paths, disk)
    const nowDigests = now.map((bytes) => sha1(bytes)).join()
    if (nowDigests === digests) return
    // Set first, so that a file that cannot be parsed is reported once, not at every check.
    digests = nowDigests
    list = parsed(paths, now)
  }
  return () => {
    const begin = clock.elapsed()
    if (begin < nextCheck) return list
    try {
      check()
    } catch (error) {
      // It may be half written.
      journal.record({ kind: 'trouble', what: reasonOf(error) })
    }
    const end = clock.elapsed()
    nextCheck = end + Math.max(CHECK_EVERY, (end - begin) * REST_FACTOR)
    return list
  }
}
