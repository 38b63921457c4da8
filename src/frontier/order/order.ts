/**
 * Which of the free sites comes first: one number, written with the row whenever a site begins to wait; the smallest wins.
 * So an order costs nothing at check-out, and a new one is one function.
 */
import type { Instant } from '../../base/clock.ts'

export interface RankFacts {
  /** Since when the site's oldest unmarked URL waits: enqueued, or due again. */
  oldest: Instant
  /** When the site began to wait, this time. */
  since: Instant
  /** The rank it had before; undefined for a new site. Orders that serve classes in turn go on from it. */
  last: number | undefined
  /** Its URLs, and those not marked. */
  known: number
  waiting: number
}

export interface Order {
  readonly name: string
  rank(site: RankFacts): number
}
