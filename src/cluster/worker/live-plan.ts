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

export class LivePlan<Plan extends { version: string }> {
  readonly #tools: LivePlanTools<Plan>
  #plan: Plan
  #wants: ((url: string) => boolean) | undefined
  readonly #unwanted = new Set<SiteName>()
  /** One question after the other: later ones profit from the answer. */
  #last: Promise<void> = Promise.resolve()

  constructor(plan: Plan, tools: LivePlanTools<Plan>) {
    this.#plan = plan
    this.#tools = tools
  }

  get plan(): Plan {
    return this.#plan
  }

  /** Await it before the threads get these visits. */
  async check(visits: readonly Begun[]): Promise<void> {
    if (this.#unknown(visits).length === 0) return
    const turn = this.#last.then(() => this.#update(visits))
    this.#last = turn
    await turn
  }

  /** Restarts the threads if the servers have another plan now. */
  async readAgain(): Promise<void> {
    const { read, renew, journal } = this.#tools
    const { version } = this.#plan
    const next = { ...(await read()), version }
    if (isDeepStrictEqual(next, this.#plan)) return
    this.#plan = next
    this.#wants = undefined
    this.#unwanted.clear()
    journal.record({ kind: 'trouble', what: 'the servers have a new plan: visits are given back and begun again' })
    renew()
  }

  async #update(visits: readonly Begun[]): Promise<void> {
    const { clock, journal, renew, stop } = this.#tools
    try {
      // A server may answer first with a plan that it made before these visits, but not after PLAN_FRESH.
      for (const rest of [0, PLAN_FRESH]) {
        if (this.#unknown(visits).length === 0) return
        await clock.sleep(rest, stop)
        if (stop.aborted) return
        await this.readAgain()
      }
    } catch (error) {
      // By the old plan they would be visited wrongly.
      journal.record({ kind: 'trouble', what: `the plan cannot be read again: ${error}` })
      return renew()
    }
    // The scope has become narrower, or a sitemap named the address.
    for (const { site } of this.#unknown(visits)) this.#unwanted.add(site)
    if (this.#unwanted.size > MAX_UNWANTED) this.#unwanted.clear()
  }

  #unknown(visits: readonly Begun[]): readonly Begun[] {
    this.#wants ??= this.#tools.wantedBy(this.#plan)
    const wants = this.#wants
    return visits.filter(
      ({ site, agenda: [first] }) => first !== undefined && !this.#unwanted.has(site) && !wants(first.url),
    )
  }
}
