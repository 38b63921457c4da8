/** The watch over what is wrong (`cluster/maintenance/problem-watch.ts`) of a crawl or a server in this process. */
import { statfsSync } from 'node:fs'
import { realClock } from '../../base/clock.ts'
import { type LocalLook, type ProblemWatch, watchProblems } from '../../cluster/maintenance/problem-watch.ts'
import type { SharedRole } from '../../database/postgres/election.ts'
import type { Settings } from '../config/keys.ts'
import { mailName } from '../reader/status.ts'
import type { Coordinator } from './coordinator.ts'
import type { CrawlEndReason, CrawlView } from './crawl-view.ts'
import type { Reporter } from './reporter.ts'

export interface CrawlWatchOptions {
  /** Says which process it is, where several share a database. */
  url: string
  /** Whether this process looks after the whole crawl. */
  role: SharedRole
  /** By the supervisor of this process. */
  restarts: (() => LocalLook['restarts']) | undefined
}

export function watchCrawlProblems(
  { owner, parts: { database, clock, journal, settings, serves } }: Coordinator,
  view: CrawlView,
  { url, role, restarts }: CrawlWatchOptions,
): ProblemWatch {
  const folders = foldersOf(settings)
  const isShared = database.dialect === 'postgres'
  return watchProblems({
    database,
    clock,
    journal,
    server: isShared ? { id: owner, url } : undefined,
    isServed: serves === true,
    counters: () => view.counters,
    local() {
      const { lateMs, outage } = view.snapshot()
      const clockOffsetMs = isShared ? clock.now() - realClock.now() : 0
      return { disks: folders.flatMap(diskOf), lateMs, clockOffsetMs, outage, restarts: restarts?.() }
    },
    isOurs: () => role.isOurs(),
  })
}

/** In mails. */
export const MAILED_END: Readonly<Record<CrawlEndReason, string>> = {
  complete: 'the crawl is complete',
  interrupted: 'it was stopped',
  pages: 'the limit of pages is reached',
  time: 'the limit of time is reached',
  size: 'the limit of size is reached',
}

/** Mails about a crawl, where somebody gets them. */
export async function reporterOf(
  { parts: { database, clock, journal, settings } }: Coordinator,
  problems: ProblemWatch,
  role: SharedRole,
): Promise<Reporter | undefined> {
  // Charts and mails are loaded only for those who get some.
  if (settings.mailTo.length === 0) return undefined
  const { mailerOf, Reporter } = await import('./reporter.ts')
  const mailer = (await mailerOf(settings, clock))!
  return new Reporter({
    ...{ database, clock, journal, mailer },
    name: mailName(settings),
    hour: settings.mailHour,
    isOurs: () => role.isOurs(),
    problems: problems.now,
  }).start()
}

/** Those that this process writes. */
const foldersOf = ({ collection, volumes }: Pick<Settings, 'collection' | 'volumes'>): string[] => [
  collection,
  ...volumes.filter((target) => target.startsWith('dir:')).map((target) => target.slice('dir:'.length)),
]

function diskOf(folder: string): LocalLook['disks'] {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return [{ folder, free: bavail * bsize, total: blocks * bsize }]
  } catch {
    // Not there yet, or gone: who writes there says so.
    return []
  }
}
