/**
 * The plan by which a worker's threads go, while the servers' own may change: seeds are added, servers are started again with
 * other settings. A thread with the seeds of yesterday would drop the links of the sites of today, and nobody would ask for
 * them again: so visits whose URLs the plan does not want are not begun before a server was asked for a newer one.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import type { Journal } from '../../base/journal.ts'
import type { Event } from '../../contracts/events.ts'
import type { SiteName, Visit } from '../../contracts/visit.ts'
import { emptyBlacklist } from '../../crawl/scope/blacklist.ts'
import { type CrawlPlan, urlsOf } from './plan.ts'
import { PLAN_FRESH } from './plan-for-workers.ts'
import { scopeFor } from './scope-for.ts'

export interface LivePlanTools {
  clock: Clock
  journal: Journal<Event>
  /** Asks a server. */
  read(): Promise<CrawlPlan>
  /** Threads are to begin anew: visits that are handed to the old ones from now on are given back unused. */
  renew(): void
  /** Nothing is begun any more. */
  stop: AbortSignal
}

type Begun = Pick<Visit, 'site' | 'agenda'>

/** Sites of which it is known that the newest plan does not want them either: more are asked for once more. */
const MAX_SETTLED = 10_000

export class LivePlan {
  readonly #tools: LivePlanTools
  #plan: CrawlPlan
  #wants: ((url: string) => boolean) | undefined
  readonly #settled = new Set<SiteName>()
  /** One question after the other: who comes later may profit from the answer. */
  #last: Promise<void> = Promise.resolve()

  constructor(plan: CrawlPlan, tools: LivePlanTools) {
    this.#plan = plan
    this.#tools = tools
  }

  get plan(): CrawlPlan {
    return this.#plan
  }

  /** To be awaited before the threads hear of these visits. */
  async check(visits: readonly Begun[]): Promise<void> {
    if (this.#strange(visits).length === 0) return
    const turn = this.#last.then(() => this.#settle(visits))
    this.#last = turn
    await turn
  }

  /** Now and then: whether it is another by now. Threads are told so. */
  async readAgain(): Promise<void> {
    const { read, renew, journal } = this.#tools
    const { version: _, ...next } = await read()
    const { version, ...now } = this.#plan
    if (isDeepStrictEqual(next, now)) return
    this.#plan = { ...next, version }
    this.#wants = undefined
    this.#settled.clear()
    journal.record({
      kind: 'trouble',
      what: 'the servers have another plan by now: visits are given back, and begun anew',
    })
    renew()
  }

  async #settle(visits: readonly Begun[]): Promise<void> {
    const { clock, journal, renew, stop } = this.#tools
    try {
      // The second time whatever the server had remembered of its plan is older than these visits.
      for (const rest of [0, PLAN_FRESH]) {
        if (this.#strange(visits).length === 0) return
        await clock.sleep(rest, stop)
        if (stop.aborted) return
        await this.readAgain()
      }
    } catch (error) {
      // By the old plan they would be visited wrongly.
      journal.record({ kind: 'trouble', what: `the plan cannot be read again: ${error}` })
      return renew()
    }
    // A scope that has become narrower, or an address that a sitemap named.
    for (const { site } of this.#strange(visits)) this.#settled.add(site)
    if (this.#settled.size > MAX_SETTLED) this.#settled.clear()
  }

  #strange(visits: readonly Begun[]): readonly Begun[] {
    this.#wants ??= wantedBy(this.#plan)
    const wants = this.#wants
    return visits.filter(
      ({ site, agenda: [first] }) => first !== undefined && !this.#settled.has(site) && !wants(first.url),
    )
  }
}

function wantedBy({ settings, seeds, alternates = [] }: CrawlPlan): (url: string) => boolean {
  const urls = urlsOf(settings)
  const read = (texts: readonly string[]) => texts.map((text) => urls.parse(text)).filter((url) => url !== undefined)
  const scope = scopeFor(settings, read(seeds), () => emptyBlacklist, read(alternates))()
  return (text) => {
    const url = urls.parse(text)
    return url === undefined || scope.judge(url, 0).yes
  }
}
