/** The orders by the names that `--order` takes. */
import type { Random } from '../../base/random.ts'
import { klwf } from './klwf.ts'
import type { Order } from './order.ts'

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
