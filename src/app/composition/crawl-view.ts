/** The state of a crawl, read from the database once per second, so that a snapshot costs nothing; and how it ended. */
import type { Instant, Millis } from '../../base/clock.ts'
import { EXIT } from '../../base/errors.ts'
import { type Freshness, recordedFreshness } from '../../cluster/maintenance/measure-freshness.ts'
import { lookCounts, readCounters } from '../../collection/counters/counters.ts'
import type { Tx } from '../../database/database.ts'
import type { Totals } from '../../frontier/contract.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import type { SeedSummary } from '../seeds/stored-seeds.ts'
import type { Coordinator } from './coordinator.ts'

export type CrawlSnapshot = ReturnType<CrawlView['snapshot']>

/** The worker threads of this process, if it has any. */
export interface WorkerLoad {
  readonly slow: { site: string; why: string }[]
  readonly lateMs: Millis
}

/** How often it is read. */
export const TICK: Millis = 1000

export class CrawlView {
  readonly #coordinator: Coordinator
  readonly #workerPool: WorkerLoad
  totals!: Totals
  counters: ReadonlyMap<string, number> = new Map()
  #next: { name: string; notBefore: Instant; politeAt: Instant } | undefined
  #waitsFor: 'courtesy' | 'retry' | undefined
  freshness: Freshness | undefined
  #lateMs = 0
  #last = 0
  /** Set while the work of every second is done. */
  isKept = false

  constructor(coordinator: Coordinator, workerPool: WorkerLoad) {
    this.#coordinator = coordinator
    this.#workerPool = workerPool
  }

  async refresh(): Promise<void> {
    const now = this.#coordinator.parts.clock.elapsed()
    // Waiting for the database is not the machine's lateness.
    const { until = 0 } = this.#coordinator.parts.database.outage?.() ?? {}
    if (this.#last > 0) this.#lateMs = until > this.#last ? 0 : Math.max(0, now - this.#last - TICK)
    this.#last = now
    await this.#coordinator.parts.database.read(async (tx) => {
      this.totals = await frontierQueries.totals(tx)
      this.counters = await readCounters(tx)
      if (this.#coordinator.parts.refresh !== undefined) this.freshness = await recordedFreshness(tx)
      this.#next = (await frontierQueries.nextDue(tx, 1)).at(0)
      const { leased, returning, free } = this.totals.sites
      const isIdle = leased + returning + free === 0 && this.#next !== undefined
      this.#waitsFor = isIdle ? await this.#waitOf(this.#next!, tx) : undefined
    })
  }

  /** A site that did not answer, or a URL that failed, waits longer than courtesy asks. */
  async #waitOf(next: { name: string; notBefore: Instant; politeAt: Instant }, tx: Tx): Promise<'courtesy' | 'retry'> {
    if (next.notBefore > next.politeAt) return 'retry'
    const memory = (await frontierQueries.site(tx, next.name))?.memory
    const robots = Object.values(memory?.robots ?? {})
    const isUnreachable = robots.length > 0 && robots.every(({ state }) => state === 'unreachable')
    const isSilent = (memory?.silent ?? 0) > 0 || isUnreachable
    return isSilent ? 'retry' : 'courtesy'
  }

  #outage(): { what: string; forMs: Millis } | undefined {
    const { clock, database } = this.#coordinator.parts
    const outage = database.outage?.()
    if (outage === undefined || outage.until !== undefined) return undefined
    return { what: outage.what, forMs: clock.elapsed() - outage.since }
  }

  snapshot() {
    const { sites, urls } = this.totals
    const sum = (prefix: string) =>
      [...this.counters].reduce((total, [name, value]) => (name.startsWith(prefix) ? total + value : total), 0)
    const now = this.#coordinator.parts.clock.now()
    const outage = this.#outage()
    const busy = sites.leased + sites.returning
    return {
      at: now,
      documents: this.counters.get('documents') ?? 0,
      bytes: this.counters.get('bytes') ?? 0,
      requests: this.counters.get('requests') ?? 0,
      sites: {
        busy,
        waiting: sites.waiting,
        free: sites.free,
        done: sites.crawled,
        barred: sites.barred,
        total: busy + sites.waiting + sites.free + sites.crawled + sites.barred + sites.held,
      },
      urls: { known: urls.known, waiting: urls.waiting, done: urls.marked },
      /** Of a refresh. */
      refresh:
        this.#coordinator.parts.refresh === undefined
          ? undefined
          : { pages: urls.refreshing, looks: lookCounts(this.counters), freshness: this.freshness },
      failures: sum('failure:'),
      refused: sum('refused:'),
      inbox: this.#coordinator.intake.pending(),
      /** URLs wait but no site may be asked: the next site waits for its pause, or for a retry. */
      waitsFor: this.#waitsFor,
      /** The site that may be asked first. */
      next:
        this.#next === undefined ? undefined : { site: this.#next.name, inMs: Math.max(0, this.#next.notBefore - now) },
      slow: this.#workerPool.slow,
      /** An operator paused it. */
      paused: this.#coordinator.decisions.crawl.paused,
      lateMs: Math.max(this.#lateMs, this.#workerPool.lateMs),
      /** How long the work of every second has been overdue. */
      stuckMs: this.isKept && outage === undefined ? this.#coordinator.parts.clock.elapsed() - this.#last : 0,
      /** How long the database has been unreachable. */
      outage,
    }
  }
}

/** Why a crawl, or a server, ended. */
export type CrawlEndReason = 'complete' | 'interrupted' | 'pages' | 'time' | 'size'

export const EXIT_OF: Readonly<Record<CrawlEndReason, number>> = {
  complete: EXIT.done,
  interrupted: EXIT.interrupted,
  pages: EXIT.pageLimit,
  time: EXIT.timeLimit,
  size: EXIT.sizeLimit,
}

/** A complete crawl has failed if no seed brought anything. */
export function exitOf(why: CrawlEndReason, seeds: SeedSummary): number {
  return why === 'complete' && seeds.areAllEmpty ? EXIT.failed : EXIT_OF[why]
}
