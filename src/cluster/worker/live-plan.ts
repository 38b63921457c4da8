/**
 * The plan that a worker's threads follow, while the servers' plan may change: seeds are added, servers restart with other
 * settings. A thread with an old plan would drop the links of sites that were added since, and they would never be asked for
 * again. So visits whose URLs the plan does not want begin only after a server was asked for a newer plan.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Clock, Millis } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import type { SiteName, Visit } from '../../contracts/visit.ts'

/** Servers make a new plan at most this often: blacklists and seeds may change while the crawl runs. */
export const PLAN_FRESH: Millis = 5_000

export interface LivePlanTools<Plan> {
  clock: Clock
  journal: Journal<Event>
  /** Asks a server. */
  read(): Promise<Plan>
  /** Whether a plan wants a URL. */
  wantedBy(plan: Plan): (url: string) => boolean
  /** Restarts the threads. Visits given to the old ones from now on are given back unused. */
  renew(): void
  stop: AbortSignal
}

type Begun = Pick<Visit, 'site' | 'agenda'>

/** Sites that the newest plan does not want either. When there are more, all are asked about again. */
const MAX_UNWANTED = 10_000

export function livePlan<Plan extends { version: string }>(first: Plan, tools: LivePlanTools<Plan>) {
  const { clock, journal, read, wantedBy, renew, stop } = tools
  let plan = first
  let wants: ((url: string) => boolean) | undefined
  const unwanted = new Set<SiteName>()
  /** One question after the other: later ones profit from the answer. */
  let last: Promise<void> = Promise.resolve()

  const unknown = (visits: readonly Begun[]): readonly Begun[] => {
    const isWanted = (wants ??= wantedBy(plan))
    return visits.filter(
      ({ site, agenda: [begin] }) => begin !== undefined && !unwanted.has(site) && !isWanted(begin.url),
    )
  }
  /** Restarts the threads if the servers have another plan now. */
  const readAgain = async (): Promise<void> => {
    const { version } = plan
    const next = { ...(await read()), version }
    if (isDeepStrictEqual(next, plan)) return
    plan = next
    wants = undefined
    unwanted.clear()
    journal.record({ kind: 'trouble', what: 'the servers have a new plan: visits are given back and begun again' })
    renew()
  }
  const update = async (visits: readonly Begun[]): Promise<void> => {
    try {
      // A server may answer first with a plan that it made before these visits, but not after PLAN_FRESH.
      for (const rest of [0, PLAN_FRESH]) {
        if (unknown(visits).length === 0) return
        await clock.sleep(rest, stop)
        if (stop.aborted) return
        await readAgain()
      }
    } catch (error) {
      // By the old plan they would be visited wrongly.
      journal.record({ kind: 'trouble', what: `the plan cannot be read again: ${error}` })
      return renew()
    }
    // The scope has become narrower, or a sitemap named the address.
    for (const { site } of unknown(visits)) unwanted.add(site)
    if (unwanted.size > MAX_UNWANTED) unwanted.clear()
  }
  return {
    get plan(): Plan {
      return plan
    },
    readAgain,
    /** Await it before the threads get these visits. */
    async check(visits: readonly Begun[]): Promise<void> {
      if (unknown(visits).length === 0) return
      const turn = last.then(() => update(visits))
      last = turn
      await turn
    },
  }
}
