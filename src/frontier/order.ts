/**
 * Which free site comes first: one number, written with the row when a site begins to wait; the smallest wins. So an order
 * costs nothing at check-out, and a new one is one function.
 */
import type { Instant } from '../base/clock.ts'
import type { Random } from '../base/random.ts'

export interface RankFacts {
  /** Since when the site's oldest unmarked URL waits. */
  oldest: Instant
  /** When the site began to wait, this time. */
  since: Instant
  /** The rank it had before; undefined for a new site. */
  last: number | undefined
  /** Its URLs, and those not marked. */
  known: number
  waiting: number
}

export interface Order {
  readonly name: string
  rank(site: RankFacts): number
}

/** Kind longest wait first (C6): the site with the oldest waiting URL. Breadth first over the web. */

export const klwf: Order = { name: 'klwf', rank: (site) => site.oldest }

export const ORDER_NAMES = ['klwf', 'round-robin', 'random'] as const
export type OrderName = (typeof ORDER_NAMES)[number]

export function namedOrder(name: OrderName, random: Random): Order {
  switch (name) {
    case 'klwf':
      return klwf
    case 'round-robin':
      return roundRobin
    case 'random':
      return randomWalk(random)
  }
}

/** The site that has waited longest since its last visit. */

export const roundRobin: Order = { name: 'round-robin', rank: (site) => site.since }

/** A random free site (W10): drawn each time a site begins to wait, repeatable from the random seed. */

export function randomWalk(random: Random): Order {
  return { name: 'random', rank: () => random.next() }
}
