/** Any free site (W10): a draw each time a site begins to wait, repeatable from the seed. */
import type { Random } from '../../base/random.ts'
import type { Order } from './order.ts'

export function randomWalk(random: Random): Order {
  return { name: 'random', rank: () => random.next() }
}
