/**
 * Phase 1 of PSP: how often each page is updated within the horizon. The greedy of the paper gives one update at a time
 * to the page that gains most (ties: the lower page), while its server and R have room. Gains fall with every update,
 * so the result is all updates above a price; the price is searched in closed form, and a heap settles the exact rest.
 * The counts equal the plain greedy's, in O(pages) instead of O(updates · log pages).
 */
import { clearingPrices } from './clear.ts'
import { gain, roughWorthInverse } from './freshness.ts'
import { Heap } from './heap.ts'
import type { Scenario } from './scenario.ts'

export type AllocateInput = Pick<Scenario, 'rate' | 'weight' | 'server' | 'members' | 'start' | 'horizon'>

/** `cap`: updates that each server takes; `capacity`: R. */
export function allocate(input: AllocateInput, cap: number, capacity: number): Uint32Array {
  const { rate, weight, server, members, start, horizon } = input
  const servers = start.length - 1
  const counts = new Uint32Array(rate.length)
  let highest = Number.NEGATIVE_INFINITY
  for (let page = 0; page < rate.length; page++)
    if (rate[page] > 0 && weight[page] > 0)
      highest = Math.max(highest, Math.log(weight[page]) - Math.log(rate[page] * horizon))
  const max = Math.min(cap, capacity)
  if (highest === Number.NEGATIVE_INFINITY || max < 1) return counts

  const demand = (s: number, logPrice: number) => {
    const price = Math.exp(logPrice)
    let asked = 0
    for (let at = start[s]; at < start[s + 1]; at++) {
      const page = members[at]
      asked += roughCount(weight[page], rate[page] * horizon, price)
    }
    return asked
  }
  const prices = clearingPrices({ servers, demand, cap: max, total: capacity, highest, tolerance: 1e-3 })

  const room = new Float64Array(servers).fill(max)
  const heap = new Heap()
  let left = capacity
  for (let s = 0; s < servers; s++) {
    const price = Math.exp(prices.each[s])
    let taken = 0
    for (let at = start[s]; at < start[s + 1]; at++) {
      const page = members[at]
      counts[page] = exactCount(weight[page], rate[page] * horizon, price, max)
      taken += counts[page]
    }
    const isFull = prices.each[s] > prices.all || taken > max
    if (isFull) settle(input, counts, members.subarray(start[s], start[s + 1]), max - taken, undefined, heap)
    if (isFull) taken = max
    room[s] = max - taken
    left -= taken
  }
  if (left !== 0) settle(input, counts, members, left, { server, room }, heap)
  return counts
}

/** How many updates of a page gain more than the price, to within one or two: gain(x) is nearly (w/a)·h(a/(x + 1.5)). */
function roughCount(weight: number, a: number, price: number): number {
  if (!(weight > 0 && a > 0)) return 0
  const count = Math.ceil(a / roughWorthInverse((price * a) / weight) - 1.5)
  return count > 0 ? count : 0
}

function exactCount(weight: number, a: number, price: number, max: number): number {
  let count = Math.min(roughCount(weight, a, price), max)
  if (!(weight > 0 && a > 0)) return 0
  while (count < max && gain(weight, a, count) > price) count++
  while (count > 0 && gain(weight, a, count - 1) <= price) count--
  return count
}

interface Room {
  server: Uint32Array
  room: Float64Array
}

/** Goes on with the greedy for `change` updates, or goes back by as many: what was given last is taken first. */
function settle(
  { rate, weight, horizon }: AllocateInput,
  counts: Uint32Array,
  pages: Uint32Array,
  change: number,
  within: Room | undefined,
  heap: Heap,
): void {
  const isMore = change > 0
  // Going back, equal gains are taken from the higher page first.
  const last = counts.length - 1
  const key = (page: number) => {
    const a = rate[page] * horizon
    if (isMore) return -gain(weight[page], a, counts[page])
    return counts[page] === 0 ? Number.POSITIVE_INFINITY : gain(weight[page], a, counts[page] - 1)
  }
  heap.clear()
  for (let at = 0; at < pages.length; at++) {
    const page = pages[at]
    if (!(weight[page] > 0 && rate[page] > 0)) continue
    if (isMore && within !== undefined && within.room[within.server[page]] < 1) continue
    heap.append(key(page), isMore ? page : last - page)
  }
  heap.order()
  for (let todo = Math.abs(change); todo > 0 && heap.size > 0; ) {
    const page = isMore ? heap.topId() : last - heap.topId()
    if (isMore && within !== undefined && within.room[within.server[page]]-- < 1) {
      heap.pop()
      continue
    }
    // It stops at zero gain.
    if (isMore && heap.topKey() >= 0) return
    counts[page] += isMore ? 1 : -1
    todo--
    heap.replaceTop(key(page), heap.topId())
  }
}
