/**
 * What is wrong with a crawl or a server in this process: watched (`cluster/maintenance/problem-watch.ts`), and mailed
 * if `--mail-to` is given.
 */
import { statfsSync } from 'node:fs'
import { realClock } from '../../base/clock.ts'
import { type LocalLook, watchProblems } from '../../cluster/maintenance/problem-watch.ts'
import type { SharedRole } from '../../database/postgres/election.ts'
import type { Coordinator } from '../composition/coordinator.ts'
import type { CrawlEndReason, CrawlView } from '../composition/crawl-view.ts'
import type { Settings } from '../config/keys.ts'
import { mailName } from '../reader/status.ts'

export interface CrawlWatchOptions {
  /** Says which process it is, where several share a database. */
  url: string
  /** Whether this process looks after the whole crawl. */
  role: SharedRole
  /** By the supervisor of this process. */
  restarts: (() => LocalLook['restarts']) | undefined
}

export type CrawlWatch = ReturnType<typeof watchCrawl>

export function watchCrawl(
  { owner, parts: { database, clock, journal, settings, serves } }: Coordinator,
  view: CrawlView,
  { url, role, restarts }: CrawlWatchOptions,
) {
  const folders = foldersOf(settings)
  const isShared = database.dialect === 'postgres'
  const isOurs = () => role.isOurs()
  const problems = watchProblems({
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
    isOurs,
  })
  const openReporter = async () => {
    const { mailerOf, Reporter } = await import('./reporter.ts')
    const mailer = (await mailerOf(settings, clock))!
    const name = mailName(settings)
    const hour = settings.mailHour
    return new Reporter({ database, clock, journal, mailer, name, hour, isOurs, problems: problems.now }).start()
  }
  // Charts and mails are loaded only for those who get some.
  const reporter = settings.mailTo.length === 0 ? undefined : openReporter()
  return {
    ...problems,
    /** Mails how it ended. Who stopped it knows. */
    async ended(why: CrawlEndReason): Promise<void> {
      if (why !== 'interrupted') await (await reporter)?.end(MAILED_END[why])
    },
    async failed(reason: string): Promise<void> {
      await (await reporter)?.end(`it failed: ${reason}`)
    },
    async close(): Promise<void> {
      await problems.stop()
      await (await reporter)?.close()
    },
  }
}

const MAILED_END: Readonly<Record<CrawlEndReason, string>> = {
  complete: 'the crawl is complete',
  interrupted: 'it was stopped',
  pages: 'the limit of pages is reached',
  time: 'the limit of time is reached',
  size: 'the limit of size is reached',
}

/** The folders that this process writes. */
const foldersOf = ({ collection, volumes }: Pick<Settings, 'collection' | 'volumes'>): string[] => [
  collection,
  ...volumes.filter((target) => target.startsWith('dir:')).map((target) => target.slice('dir:'.length)),
]

function diskOf(folder: string): LocalLook['disks'] {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return [{ folder, free: bavail * bsize, total: blocks * bsize }]
  } catch {
    // Not there yet, or gone. Whoever writes there reports that.
    return []
  }
}
