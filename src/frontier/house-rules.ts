/** What every operation needs to know beside the transaction, whatever the database. */
import type { Clock, Millis } from '../base/clock.ts'
import type { SiteName } from '../contracts/visit.ts'
import type { UrlReader } from '../web/url/web-url.ts'
import type { FrontierOptions } from './house.ts'
import { type HouseTime, houseTime } from './house-time.ts'
import type { Order } from './order/order.ts'
import type { SiteRow } from './site-row.ts'

export interface HouseRules {
  clock: Clock
  time: HouseTime
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
export function houseRules(options: FrontierOptions): HouseRules {
  const { clock, order, urls, leaseMs, addressPauseMs, defaultPause } = options
  return {
    clock,
    time: houseTime(clock),
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
