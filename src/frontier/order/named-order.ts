/** The orders by the names that `--order` takes. */
import type { Random } from '../../base/random.ts'
import { klwf } from './klwf.ts'
import type { Order } from './order.ts'
import { randomWalk } from './random-walk.ts'
import { roundRobin } from './round-robin.ts'

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
