/** The frontier as the coordinator opens it. */
import type { Clock, Millis } from '../base/clock.ts'
import type { Frontier } from '../contracts/ports.ts'
import type { SiteName } from '../contracts/visit.ts'
import type { Tx } from '../database/database.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { KnownWorkers } from './affinity.ts'
import type { Ledger } from './ledger.ts'
import type { Order } from './order.ts'

export interface FrontierOptions {
  clock: Clock
  order: Order
  /** The rules by which keys are made. `recover` throws 'bad-config' when the collection was made with others. */
  urls: UrlReader
  /** Limits of one visit. */
  slice: { pages: number; time: Millis }
  leaseMs: Millis
  addressPauseMs: Millis
  /** The configured courtesy pause of a site. */
  defaultPause(site: SiteName): Millis
  /** Whether an original is in scope, so that links into its aliases may be entered there. Default: yes. */
  mayReplace?(original: SiteName): boolean
  /** Whether a site may be held when it is one of too many unendorsed ones. Default: yes. */
  mayHold?(site: SiteName): boolean
  /**
   * Pages that may still be collected. Read in the given transaction, so that it changes together with `applyParts`. Visits
   * never add up to more. Default: no limit.
   */
  budget?: { left(tx: Tx): number | Promise<number> }
  /**
   * Workers run elsewhere, and other servers may be running: `recover` loses no lease and waits for nothing. On PostgreSQL
   * `clock.now()` must then be the database's time and never go back.
   */
  leasesOutlive?: boolean
  /** PostgreSQL: which workers share the frontier, and how long a site waits for the process that it leans to. */
  affinity?: { workers: KnownWorkers; windowMs: Millis }
}

export interface OpenFrontier {
  frontier: Frontier
  ledger: Ledger
  /**
   * Once, before the first check-out. `applyInbox` applies the parts that were durable when the last process ended. Then
   * every open lease is lost, its site waits its pause, and nothing is handed out for one address pause.
   */
  recover(applyInbox: () => Promise<void>): Promise<{ lost: number }>
  /** Nothing is handed out any more: the crawl is ending. */
  stop(): void
}
