/** Black lists in files, read again when they change: looked at now and then, so that no page waits for it. */
import type { Clock, Millis } from '../base/clock.ts'
import type { Disk } from '../base/disk.ts'
import { Problem } from '../base/errors.ts'
import type { Journal } from '../base/journal.ts'
import type { Settings } from '../config/keys.ts'
import { type Blacklist, type BlacklistText, parseBlacklist } from '../scope/blacklist.ts'
import type { Event } from '../visit/events.ts'

const LOOK_EVERY: Millis = 5_000
const LARGEST_FILE = 256 * 1024 * 1024

export function blacklistPaths(settings: Settings): string[] {
  const { blacklistUrls, blacklistDomains, blacklistAddresses } = settings
  return [blacklistUrls, blacklistDomains, blacklistAddresses].filter((path) => path !== undefined)
}

/** Throws a Problem when a file cannot be read or holds what is none of the three; for the start of a crawl. */
export function readBlacklists(paths: readonly string[], disk: Disk): { list: Blacklist; texts: BlacklistText[] } {
  const texts = paths.map((name): BlacklistText => {
    const size = disk.size(name)
    if (size === undefined) throw new Problem('unreadable', `black list ${name}: there is no such file`)
    if (size > LARGEST_FILE) throw new Problem('unreadable', `black list ${name}: over 256 MiB`)
    return { name, text: new TextDecoder().decode(disk.read(name, 0, size)) }
  })
  return { list: parseBlacklist(texts), texts }
}

export function blacklistFiles(
  settings: Settings,
  disk: Disk,
  clock: Clock,
  journal: Journal<Event>,
): (() => Blacklist) | undefined {
  const paths = blacklistPaths(settings)
  if (paths.length === 0) return undefined
  let { list, texts } = readBlacklists(paths, disk)
  let lookedAt = clock.elapsed()
  return () => {
    if (clock.elapsed() - lookedAt < LOOK_EVERY) return list
    lookedAt = clock.elapsed()
    try {
      const read = readBlacklists(paths, disk)
      if (read.texts.some(({ text }, i) => text !== texts[i].text)) ({ list, texts } = read)
    } catch (error) {
      // A file in the middle of being written: the list that was good stays.
      journal.tell({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
    }
    return list
  }
}
