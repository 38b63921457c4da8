/** What every operation needs to know beside the transaction, whatever the database. */
import type { Clock, Instant, Millis } from '../base/clock.ts'
import type { SiteName } from '../contracts/visit.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { FrontierOptions } from './options.ts'
import type { Order } from './order.ts'
import type { SiteRow } from './rules/site.ts'

export interface SharedTools {
  clock: Clock
  time: FrontierTime
  order: Order
  urls: UrlReader
  mayReplace(original: SiteName): boolean
  mayHold(site: SiteName): boolean
  leaseMs: Millis
  addressPauseMs: Millis
  /** What the site asked for, when that is longer than what is configured now; so a changed setting counts at once. */
  learntPause(site: SiteRow, inForce: Millis): Millis
  pauseOf(site: SiteRow): Millis
}

/** Whole milliseconds, rounded up: the columns hold integers, and a pause may be longer but never shorter. */
export function sharedTools(options: FrontierOptions): SharedTools {
  const { clock, order, urls, leaseMs, addressPauseMs, defaultPause } = options
  return {
    clock,
    time: frontierTime(clock),
    order,
    urls,
    mayReplace: (original) => options.mayReplace?.(original) ?? true,
    mayHold: (site) => options.mayHold?.(site) ?? true,
    leaseMs: Math.ceil(leaseMs),
    addressPauseMs: Math.ceil(addressPauseMs),
    learntPause: (site, inForce) => (inForce > defaultPause(site.name) ? Math.ceil(inForce) : 0),
    pauseOf: (site) => Math.ceil(Math.max(site.pause, defaultPause(site.name))),
  }
}

/**
 * The time by which pauses and leases are kept: the wall's when the frontier was opened, and from then on only forwards,
 * as fast as the monotonic clock. A laptop that slept for a night, or a clock that is set, neither ends all leases at
 * once nor stretches a pause. What workers tell is in the wall's time; it is moved by the difference.
 */

export interface FrontierTime {
  now(): Instant
  /** An instant of the wall's clock in the coordinator's time. */
  of(instant: Instant): Instant
}

export function frontierTime(clock: Clock): FrontierTime {
  const begin = clock.now()
  const beginElapsed = clock.elapsed()
  const now = () => begin + Math.floor(clock.elapsed() - beginElapsed)
  return { now, of: (instant) => Math.ceil(instant + (now() - clock.now())) }
}

/**
 * The time of a clock that several servers share and that itself only goes forwards: the database's. One's own monotonic
 * clock would drift away from theirs by some seconds a day, which is more than a pause.
 */
export function sharedTime(clock: Clock): FrontierTime {
  return { now: () => Math.floor(clock.now()), of: (instant) => Math.ceil(instant) }
}
