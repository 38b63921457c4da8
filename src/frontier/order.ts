/**
 * Which of the free sites comes first: one number, written with the row whenever a site begins to wait; the smallest wins.
 * So an order costs nothing at check-out, and a new one is one function.
 */
import type { Instant } from '../base/clock.ts'
import type { Random } from '../base/random.ts'

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

/** Kind longest wait first (C6): the oldest URL of the whole queue whose server is free. Breadth first over the web. */

export const klwf: Order = { name: 'klwf', rank: (site) => site.oldest }

/** The orders by the names that `--order` takes. */

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

/** The site that has waited longest since its last visit, whatever waits in it. */

export const roundRobin: Order = { name: 'round-robin', rank: (site) => site.since }

/** Any free site (W10): a draw each time a site begins to wait, repeatable from the seed. */

export function randomWalk(random: Random): Order {
  return { name: 'random', rank: () => random.next() }
}
