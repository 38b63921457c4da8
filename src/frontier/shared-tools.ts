/** What every operation needs to know beside the transaction, whatever the database. */
import type { Clock, Millis } from '../base/clock.ts'
import type { SiteName } from '../contracts/visit.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import { type FrontierTime, frontierTime } from './frontier-time.ts'
import type { FrontierOptions } from './options.ts'
import type { Order } from './order/order.ts'
import type { SiteRow } from './site-row.ts'

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
