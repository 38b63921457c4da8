/**
 * The life of a server once it is open: the work of every second, until it is told to stop, a limit is reached or, if it is
 * to end then, the crawl is over.
 */

import type { Coordinator } from './coordinator.ts'
import { type CrawlView, TICK } from './crawl-view.ts'
import type { CrawlWhy } from './crawl-why.ts'
import type { MaintenanceRole } from './maintenance-role.ts'

/** When nothing is left to do workers have this long to hear it. */
const FAREWELL = 3_000

export interface ServeEnd {
  why: CrawlWhy
  documents: number
}

export async function keepServing(
  coordinator: Coordinator,
  view: CrawlView,
  role: MaintenanceRole,
  stop: AbortSignal,
): Promise<ServeEnd> {
  const { clock, journal, settings } = coordinator.parts
  const until = clock.elapsed() + (settings.maxTime ?? Number.POSITIVE_INFINITY)
  let why: CrawlWhy | undefined
  let isTroubled = false
  while (why === undefined) {
    await clock.sleep(Math.min(TICK, until - clock.elapsed()), stop)
    if (stop.aborted) why = 'interrupted'
    else if (clock.elapsed() >= until) why = 'time'
    if (why !== undefined) break
    try {
      if (await role.isOurs()) await coordinator.tick()
      await view.refresh()
      why = endOf(coordinator, view)
      if (why === 'complete' && !(await isSettled(coordinator, view))) why = undefined
      isTroubled = false
    } catch (error) {
      // A database that is away comes back, or somebody reads this: nothing is lost meanwhile.
      if (coordinator.parts.database.dialect === 'sqlite') throw error
      if (!isTroubled) journal.record({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
      isTroubled = true
    }
  }
  if (why === 'complete' || why === 'pages') await clock.sleep(FAREWELL, stop)
  else coordinator.frontier.stop()
  await coordinator.finish()
  await view.refresh()
  return { why, documents: view.counters.get('documents') ?? 0 }
}

/** What was on its way from one bucket to another has come by now: does the frontier still say so? */
async function isSettled(coordinator: Coordinator, view: CrawlView): Promise<boolean> {
  if (!(await coordinator.intake.isSettled())) return false
  await view.refresh()
  return endOf(coordinator, view) === 'complete'
}

/** Undefined: it goes on. With `--max-pages` what is out is waited for, as it counts. */
function endOf({ intake, parts: { settings } }: Coordinator, { totals, counters }: CrawlView): CrawlWhy | undefined {
  const { untilDone, maxPages, maxSize } = settings
  const { sites, urls } = totals
  const isQuiet = sites.leased + sites.returning + intake.pending() === 0
  if (untilDone && isQuiet && urls.known > 0 && sites.waiting + sites.free === 0) return 'complete'
  if (maxSize !== undefined && (counters.get('bytes') ?? 0) >= maxSize) return 'size'
  if (maxPages !== undefined && isQuiet && (counters.get('documents') ?? 0) >= maxPages) return 'pages'
  return undefined
}
