/** The site that has waited longest since its last visit, whatever waits in it. */
import type { Order } from './order.ts'

export const roundRobin: Order = { name: 'round-robin', rank: (site) => site.since }
