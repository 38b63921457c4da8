/** Adds seeds to a collection without crawling, from whatever sources the operator names (V2). */
import { turn } from '../../base/clock.ts'
import { realDisk } from '../../base/real-disk.ts'
import type { SeedSource } from '../../frontier/ledger.ts'
import { seedViewsOf } from '../../frontier/open-frontier.ts'
import type { Settings } from '../config/keys.ts'
import { enterSeeds, type SourceReport } from '../seeds/enter.ts'
import { blacklistPaths, readBlacklists } from './blacklist-files.ts'
import { openForSeeding } from './open-for-seeding.ts'
import { scopeFor } from './scope-for.ts'
import { openInputs, type SeedRequest } from './seed-inputs.ts'

export interface SeedWatch {
  /** Asked between two batches: what was entered stays. */
  stopped(): boolean
  /** After each batch; `share` of the file that was read, when it has a size. */
  progress(report: SourceReport, share: number | undefined): void
}

export interface SeedsEntered {
  reports: SourceReport[]
  stopped: boolean
}

/** Who names these again wants those tried that gave no answer in a crawl that has ended; lists of others are no such wish. */
const NAMED: ReadonlySet<SeedSource | undefined> = new Set<SeedSource>(['given', 'file', 'names'])

export async function enterFromSources(
  settings: Settings,
  request: SeedRequest & { version: string },
  watch: SeedWatch,
): Promise<SeedsEntered> {
  const blacklist = readBlacklists(blacklistPaths(settings), realDisk)
  const open = openInputs(request, settings.collection)
  try {
    const { database, ledger, urls: reader, close } = await openForSeeding(settings, request.version)
    try {
      const looks = seedViewsOf(database)
      const { sites, urls } = await database.read((tx) => ledger.view.totals(tx))
      const isOver = urls.waiting + sites.leased + sites.returning === 0
      return await enterSeeds(open.inputs, {
        urls: reader,
        homes: request.homes,
        scopeWith: (seeds) => scopeFor(settings, seeds, () => blacklist)(),
        enter: (seeds) =>
          database.transact(async (tx) => {
            const places = await looks.statuses(tx, seeds)
            await ledger.seed(tx, seeds)
            const isNamed = isOver && NAMED.has(seeds[0]?.source)
            return { places, again: isNamed ? await ledger.tryAgain(tx, seeds) : 0 }
          }),
        stopped: watch.stopped,
        progress: (report) => watch.progress(report, open.share(report)),
        turn,
      })
    } finally {
      await close()
    }
  } finally {
    await open.close()
  }
}
