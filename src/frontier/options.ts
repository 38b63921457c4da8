/** The frontier as the coordinator holds it: the workers' port, the ledger, and the two moments of its life. */
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
  /** By which rules keys are made; `recover` throws 'bad-config' when the collection was made with others. */
  urls: UrlReader
  /** Limits of one visit. */
  slice: { pages: number; time: Millis }
  leaseMs: Millis
  addressPauseMs: Millis
  /** The configured courtesy pause of a site. */
  defaultPause(site: SiteName): Millis
  /** Whether an original is wanted, so that links into its other names may be entered there. Without it, it is. */
  mayReplace?(original: SiteName): boolean
  /** Whether a site may be held, when it is one of too many that nobody vouches for. Without it, it may. */
  mayHold?(site: SiteName): boolean
  /**
   * Pages that may still be collected, as the applied reports say: read it from the given transaction, so that it moves
   * together with `settle`. What is handed out never adds up to more. Without it there is no such bound.
   */
  budget?: { left(tx: Tx): number | Promise<number> }
  /**
   * Workers live elsewhere, and other servers may be at work: `recover` loses no lease and waits for nothing. On PostgreSQL
   * `clock.now()` must then be the database's time and never go back.
   */
  leasesOutlive?: boolean
  /** Where many workers share the frontier (PostgreSQL): who they are, and how long a site waits for the one that it leans to. */
  affinity?: { workers: KnownWorkers; windowMs: Millis }
}

export interface OpenFrontier {
  frontier: Frontier
  ledger: Ledger
  /**
   * Once, before the first check-out. `applyInbox` applies the parts that were durable when the last process ended; then
   * every lease that is still open is lost, its site waits its pause, and nothing is handed out for one address pause.
   */
  recover(applyInbox: () => Promise<void>): Promise<{ lost: number }>
  /** From now on nothing is handed out: the crawl is ending. */
  stop(): void
}
