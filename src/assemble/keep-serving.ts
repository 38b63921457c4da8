/**
 * The life of a server once it is open: the work of every second, until it is told to stop or, if it is to end then, until
 * the crawl is over.
 */
import { type CrawlView, TICK } from './crawl-view.ts'
import type { House } from './house.ts'
import type { KeeperOffice } from './keeper-office.ts'

/** With `--until-done` workers have this long to hear that the crawl is over. */
const FAREWELL = 3_000

export async function keepServing(house: House, view: CrawlView, office: KeeperOffice, stop: AbortSignal) {
  const { clock, journal, settings } = house.parts
  let isOver = false
  let isTroubled = false
  while (!stop.aborted && !isOver) {
    await clock.sleep(TICK, stop)
    try {
      if (await office.isOurs()) await house.tick()
      await view.refresh()
      isOver = settings.untilDone && isComplete(view) && house.intake.pending() === 0
      isTroubled = false
    } catch (error) {
      // A database that is away comes back, or somebody reads this: nothing is lost meanwhile.
      if (house.parts.database.dialect === 'sqlite') throw error
      if (!isTroubled) journal.tell({ kind: 'trouble', what: error instanceof Error ? error.message : String(error) })
      isTroubled = true
    }
  }
  if (isOver) await clock.sleep(FAREWELL, stop)
  else house.frontier.stop()
  await house.finish()
  await view.refresh()
  return {
    why: isOver ? ('complete' as const) : ('interrupted' as const),
    documents: view.counters.get('documents') ?? 0,
  }
}

function isComplete({ totals: { sites, urls } }: CrawlView): boolean {
  return urls.known > 0 && sites.waiting + sites.free + sites.leased + sites.returning === 0
}
