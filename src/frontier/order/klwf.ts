/** Kind longest wait first (C6): the oldest URL of the whole queue whose server is free. Breadth first over the web. */
import type { Order } from './order.ts'

export const klwf: Order = { name: 'klwf', rank: (site) => site.oldest }
