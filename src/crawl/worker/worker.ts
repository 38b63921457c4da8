/** A worker: fills its slots with visits, renews their leases, sends their parts; until it must stop or the crawl is over. */

import { every, type Millis, Wakeup } from '../../base/clock.ts'
import { keepNewest } from '../../base/keep-newest.ts'
import type { Pulse } from '../../contracts/calls.ts'
import type { Orders } from '../../contracts/control.ts'
import type { Frontier, ReportSink } from '../../contracts/ports.ts'
import type { SiteName, Visit, VisitId } from '../../contracts/visit.ts'
import type { SiteCourtesy } from '../courtesy.ts'
import { crawlSite } from '../crawl.ts'
import { Reporter } from '../reporter.ts'
import type { SiteTools } from '../tools.ts'
import { type TimeRest, VisitTimes } from '../visit-times.ts'
import { Leases } from './leases.ts'
import { ReportSender } from './report-sender.ts'
import { StandingOrders } from './standing-orders.ts'

export interface WorkerOptions {
  id: string
  slots: number
  frontier: Frontier
  sink: ReportSink
  /** All but what the worker makes itself. */
  tools: Omit<SiteTools, 'worker' | 'durable' | 'enter' | 'failed' | 'visiting'>
  renewEvery: Millis
  /** Undefined: no operator steers it. */
  orders?: StandingOrders
  /** Called once a second. */
  pulse?: (pulse: Pulse) => void
}

/** Sites per check-out: few enough to keep the coordinator's transaction short. */
const MAX_AT_ONCE = 32
/** A new link may make a site due before the time that the frontier named. */
const LONGEST_SLEEP: Millis = 1000
const PULSE_EVERY: Millis = 1000
const CHECK_EVERY: Millis = 10_000
const NOTHING_NOW: Awaited<ReturnType<Frontier['checkOut']>> = { visits: [], next: LONGEST_SLEEP }
/** Slow sites that a pulse names. */
const MAX_SLOW = 5
/** Sites in orders that are remembered: until check-outs that were under way then are answered. */
const MAX_ORDERED = 10_000

export async function runWorker(options: WorkerOptions, stop: AbortSignal): Promise<void> {
  const worker = new Worker(options)
  const end = () => worker.stop()
  if (stop.aborted) end()
  else stop.addEventListener('abort', end)
  await worker.run()
  stop.removeEventListener('abort', end)
  await worker.close()
}

interface Running {
  site: SiteName
  giveUp(): void
}

class Worker {
  readonly #options: WorkerOptions
  readonly #tools: SiteTools
  readonly #sender: ReportSender
  readonly #leases: Leases
  readonly #bell = new Wakeup()
  readonly #over = new AbortController()
  readonly #background: Promise<void>[]
  readonly #courtesies = new Map<SiteName, SiteCourtesy>()
  readonly #visits = new Map<VisitId, Running>()
  readonly #timeRest: TimeRest = new Map()
  readonly #orders: StandingOrders
  /** When sites were last in an order, the oldest first. */
  readonly #orderedAt = new Map<SiteName, Millis>()
  #running = 0
  #ending = false
  #failure: unknown

  constructor(options: WorkerOptions) {
    const { id, frontier, sink, tools } = options
    const { clock, archive, journal } = tools
    this.#options = options
    this.#orders = options.orders ?? new StandingOrders()
    this.#orders.onNews = (news) => this.#obey(news)
    this.#sender = new ReportSender({ worker: id, clock, archive, sink, journal })
    this.#sender.onFailure = (error) => this.#fail(error)
    this.#leases = new Leases(id, frontier, clock)
    this.#tools = this.#siteTools()
    const { pulse } = options
    this.#background = [
      every(clock, options.renewEvery, this.#over.signal, () => this.#renew()).catch((error: unknown) =>
        this.#fail(error),
      ),
      every(clock, CHECK_EVERY, this.#over.signal, async () => this.#checkOverdue()),
    ]
    if (pulse === undefined) return
    this.#background.push(
      every(clock, PULSE_EVERY, this.#over.signal, async (lateMs) => {
        pulse({ visits: this.#running, lateMs, slow: slowest(this.#courtesies) })
      }),
    )
  }

  stop(): void {
    this.#ending = true
    this.#leases.stopAll()
    this.#bell.wake()
  }

  /** Until the worker stops or the crawl is over, and all visits have ended. */
  async run(): Promise<void> {
    const { id, slots } = this.#options
    const { clock, journal } = this.#tools
    while (!this.#ending) {
      const rung = this.#bell.signal()
      const requestedAt = clock.elapsed()
      const isAsking = this.#running < slots && !this.#orders.isPaused
      const { visits, next, heldMs = 0 } = isAsking ? await this.#checkOut() : NOTHING_NOW
      const tookMs = Math.max(0, clock.elapsed() - requestedAt - heldMs)
      for (const [nth, visit] of visits.entries()) {
        const times = new VisitTimes(clock, this.#timeRest)
        // One call, however many visits it brought.
        if (nth === 0) times.checkedOut(tookMs)
        this.#start(visit, requestedAt, times)
      }
      if (visits.length > 0) journal.record({ kind: 'checked-out', worker: id, sites: visits.length })
      else if (next === 'over' && this.#running === 0) break
      else await clock.sleep(next === 'over' ? LONGEST_SLEEP : Math.min(next, LONGEST_SLEEP), rung)
    }
    while (this.#running > 0) await clock.sleep(LONGEST_SLEEP, this.#bell.signal())
  }

  /** Everything the visits reported is durable before the worker ends. */
  async close(): Promise<void> {
    if (this.#failure === undefined) await this.#sender.send().catch((error: unknown) => this.#fail(error))
    this.#sender.close()
    this.#over.abort()
    await Promise.all(this.#background)
    if (this.#failure !== undefined) throw this.#failure
    await this.#tools.archive.close()
  }

  #fail(error: unknown): void {
    this.#failure ??= error
    this.stop()
  }

  /** A coordinator that does not answer ends the worker, but not before its visits have ended. */
  async #checkOut(): Promise<typeof NOTHING_NOW> {
    const { id, slots, frontier } = this.#options
    try {
      return await frontier.checkOut(id, Math.min(slots - this.#running, MAX_AT_ONCE))
    } catch (error) {
      this.#fail(error)
      return NOTHING_NOW
    }
  }

  /** Ends the visits that an operator's decision concerns, as if the worker stopped. */
  #obey({ isPaused, sites }: Orders): void {
    const now = this.#tools.clock.elapsed()
    const ordered = new Set(sites.map(({ site }) => site))
    for (const site of ordered) keepNewest(this.#orderedAt, site, now, MAX_ORDERED)
    for (const [id, { site }] of this.#visits) if (isPaused || ordered.has(site)) this.#leases.stop(id)
    this.#bell.wake()
  }

  #start(visit: Visit, requestedAt: Millis, times: VisitTimes): void {
    const fail = (error: unknown) => this.#fail(error)
    this.#running++
    this.#visit(visit, requestedAt, times)
      .catch(fail)
      .finally(() => {
        this.#running--
        this.#bell.wake()
        // No other visit has news to go with it, and this site may be the only work there is: send at once.
        if (this.#running === 0 && !this.#ending) this.#sender.send().then(() => this.#bell.wake(), fail)
      })
  }

  async #visit(visit: Visit, requestedAt: Millis, times: VisitTimes): Promise<void> {
    const { clock, journal, pauses } = this.#tools
    const { id, site, wait, lease, limits } = visit
    const courtesy = this.#tools.courtesyOf(site, wait, pauses, clock)
    const hold = this.#leases.hold(id, requestedAt, { wait, lease, time: limits.time, pause: () => courtesy.pause })
    const reporter = new Reporter(visit, () => courtesy.report(), times)
    this.#sender.add(reporter)
    this.#courtesies.set(site, courtesy)
    const givenUp = new Promise<'given up'>((resolve) => {
      this.#visits.set(id, { site, giveUp: () => resolve('given up') })
    })
    // It was granted before the order came, or may have been.
    if (this.#orders.isPaused || (this.#orderedAt.get(site) ?? -1) >= requestedAt) this.#leases.stop(id)
    try {
      const why = await Promise.race([crawlSite(reporter, courtesy, hold.lease, this.#tools, hold.end), givenUp])
      if (why === 'given up') {
        this.#leases.giveUp(id)
        this.#sender.forget(reporter)
        return
      }
      reporter.end(why)
      journal.record({ kind: 'visit-ended', site, why, pages: reporter.pageCount })
    } finally {
      this.#courtesies.delete(site)
      this.#visits.delete(id)
      this.#leases.release(id)
    }
  }

  async #renew(): Promise<void> {
    for (const id of await this.#leases.renew())
      this.#tools.journal.record({ kind: 'lease-lost', site: this.#visits.get(id)?.site ?? id })
  }

  #checkOverdue(): void {
    const { stop, giveUp } = this.#leases.overdue()
    for (const id of [...stop, ...giveUp]) {
      const site = this.#visits.get(id)?.site ?? id
      this.#tools.journal.record({ kind: 'visit-stuck', site, givenUp: giveUp.includes(id) })
    }
    for (const id of stop) this.#leases.stop(id)
    for (const id of giveUp) this.#visits.get(id)?.giveUp()
  }

  /** The tools of all visits. A failure of the disk or the coordinator ends the worker, whichever visit met it first. */
  #siteTools(): SiteTools {
    const { id, frontier, tools } = this.#options
    const { archive } = tools
    const fatal = (error: unknown): never => {
      this.#fail(error)
      throw error
    }
    return {
      ...tools,
      worker: id,
      failed: () => this.#failure !== undefined,
      visiting: (site) => this.#courtesies.get(site),
      archive: {
        keep(exchange, digest, copy) {
          try {
            return archive.keep(exchange, digest, copy)
          } catch (error) {
            return fatal(error)
          }
        },
        checks: () => archive.checks(),
        synced: () => archive.synced(),
        close: () => archive.close(),
      },
      findCopy: (digest) => tools.findCopy(digest).catch(fatal),
      enter: (worker, visit, address) => frontier.enter(worker, visit, address).catch(fatal),
      durable: ({ times }) => times.during('store', () => this.#sender.send()),
    }
  }
}

function slowest(courtesies: ReadonlyMap<SiteName, SiteCourtesy>): Pulse['slow'] {
  const slow = [...courtesies].flatMap(([site, { slow: why }]) => (why === undefined ? [] : [{ site, why }]))
  return slow.slice(0, MAX_SLOW)
}
