/** The end of a volunteer: volumes are brought where they belong, servers hear that it leaves, reports are delivered. */
import { finishesWithin, type Millis, realClock } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { RemoteServers } from '../../cluster/wire/remote-coordinator.ts'
import type { Event } from '../../contracts/events.ts'
import type { OpenLocations } from './open-locations.ts'

export interface Leaving {
  remote: RemoteServers
  locations: OpenLocations
  journal: Journal<Event>
  version: string
}

/** Over a slow line a volume takes longer than anybody waits for an end: the rest is shipped at the next start. */
const SHIPPING: Millis = 60_000
/** That it leaves is told if a server hears it within this. */
const LAST_WORD: Millis = 2000
/** Reports that are left have this long to be delivered; then they wait for the next start. */
const FAREWELL: Millis = 20_000

/** Says how many parts of reports wait here. */
export async function sayFarewell({ remote, locations, journal, version }: Leaving): Promise<number> {
  await finishesWithin(realClock, SHIPPING, shipAll(locations, journal))
  // Else it would be missed: status says of who falls silent that it may be dead.
  const gone = { visits: 0, lateMs: 0, pagesPerSecond: 0, state: 'ending', version } as const
  await finishesWithin(realClock, LAST_WORD, remote.alive(gone)).catch(() => {})
  const undelivered = await remote.close(FAREWELL)
  locations.close()
  return undelivered
}

async function shipAll({ list }: OpenLocations, journal: Journal<Event>): Promise<void> {
  const waits = (error: unknown) => journal.record({ kind: 'trouble', what: `volumes wait here: ${error}` })
  // Whole volumes whose place failed at the end: once more, to the next.
  for (let round = 1; round <= 2; round++) {
    await list.ship().catch(waits)
    await list.settled().catch(waits)
  }
}
