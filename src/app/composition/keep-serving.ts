/** What a server does once it is open: the calls that it offers to workers, and the work of every second. */
import { type Clock, type Millis, remembered } from '../../base/clock.ts'
import { tellingOnce } from '../../base/journal.ts'
import { PLAN_FRESH } from '../../cluster/worker/live-plan.ts'
import type { ServerCalls } from '../../contracts/calls.ts'
import type { Database } from '../../database/database.ts'
import { type SharedRole, sharedRole } from '../../database/postgres/election.ts'
import type { Given, SettingName } from '../config/keys.ts'
import { planForWorkers } from '../config/plan-for-workers.ts'
import { scopeSeeds } from '../seeds/stored-seeds.ts'
import { type Coordinator, loseVisits } from './coordinator.ts'
import { type CrawlEndReason, type CrawlView, TICK } from './crawl-view.ts'

export function serverCalls(
  coordinator: Coordinator,
  given: ReadonlyMap<SettingName, Given>,
  version: string,
): ServerCalls {
  const { database, clock, disk, settings } = coordinator.parts
  const { ledger } = coordinator.frontier
  return {
    ...coordinator.calls,
    plan: remembered(clock, PLAN_FRESH, async () =>
      planForWorkers(settings, given, await scopeSeeds(coordinator.parts), version, disk),
    ),
    unreadable: (_worker, reading) => coordinator.recordUnreadable(reading),
    async leave(worker) {
      // Its reports count first.
      await coordinator.intake.idle()
      const lost = await loseVisits(coordinator, worker)
      return lost.map(({ visit }) => visit)
    },
    giveBack: (visits) => database.transact((tx) => ledger.giveBack(tx, visits)),
    takeBack: (worker, has) => database.transact((tx) => ledger.takeBack(tx, worker, has)),
  }
}

/** Of all servers of a crawl one does the periodic work: expired leases, mirrors, the reverse index, notes of progress. */
export const maintenanceRole = (database: Database, clock: Clock): SharedRole =>
  sharedRole(database, clock, 'maintenance')

/** When nothing is left to do, workers have this long to learn it. */
const END_GRACE: Millis = 3_000

/** Until it is asked to stop, a limit is reached or, with `--until-done`, the crawl is over. */
export async function keepServing(
  coordinator: Coordinator,
  view: CrawlView,
  role: SharedRole,
  stop: AbortSignal,
): Promise<{ why: CrawlEndReason; documents: number }> {
  const { clock, journal, settings, database } = coordinator.parts
  const until = clock.elapsed() + (settings.maxTime ?? Number.POSITIVE_INFINITY)
  let why: CrawlEndReason | undefined
  const attempt = tellingOnce(journal)
  view.isKept = true
  while (why === undefined) {
    await clock.sleep(Math.min(TICK, until - clock.elapsed()), stop)
    if (stop.aborted) why = 'interrupted'
    else if (clock.elapsed() >= until) why = 'time'
    if (why !== undefined) break
    const work = async () => {
      if (await role.isOurs()) await coordinator.tick()
      await view.refresh()
      const reason = endOf(coordinator, view)
      if (reason !== 'complete' || (await isSettled(coordinator, view))) why = reason
    }
    // An unreachable database comes back, or the operator reads this. Nothing is lost meanwhile.
    if (database.dialect === 'sqlite') await work()
    else await attempt('the work of every second failed', work)
  }
  view.isKept = false
  if (why === 'complete' || why === 'pages') await clock.sleep(END_GRACE, stop)
  else coordinator.frontier.stop()
  await coordinator.finish()
  await view.refresh()
  return { why, documents: view.counters.get('documents') ?? 0 }
}

/** Whether the crawl is still complete after everything that was on its way has arrived. */
async function isSettled(coordinator: Coordinator, view: CrawlView): Promise<boolean> {
  if (!(await coordinator.intake.isSettled())) return false
  await view.refresh()
  return endOf(coordinator, view) === 'complete'
}

/** Undefined: the crawl continues. With `--max-pages`, visits under way are awaited because their pages count. */
function endOf(
  { intake, parts: { settings } }: Coordinator,
  { totals, counters }: CrawlView,
): CrawlEndReason | undefined {
  const { untilDone, maxPages, maxSize } = settings
  const { sites, urls } = totals
  const isQuiet = sites.leased + sites.returning + intake.pending() === 0
  if (untilDone && isQuiet && urls.known > 0 && sites.waiting + sites.free === 0) return 'complete'
  if (maxSize !== undefined && (counters.get('bytes') ?? 0) >= maxSize) return 'size'
  if (maxPages !== undefined && isQuiet && (counters.get('documents') ?? 0) >= maxPages) return 'pages'
  return undefined
}
