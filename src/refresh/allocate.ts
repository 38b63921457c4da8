/**
 * Phase 1 of PSP (P3): how often each page is updated within the horizon. The paper's greedy gives one update at a time to
 * the page that gains most (ties: the lower page), within the limits of its server and R. Gains fall with every update,
 * so the result is all updates above a price. The price is searched in closed form, and a heap finishes the exact rest:
 * the same counts as the plain greedy, in O(pages) instead of O(updates · log pages).
 */
import { gain, roughWorthInverse } from './freshness.ts'
import { Heap } from './heap.ts'
import type { Scenario } from './scenario.ts'

export type AllocateInput = Pick<Scenario, 'rate' | 'weight' | 'server' | 'members' | 'start' | 'horizon'>

/** `cap`: maximum updates per server; `capacity`: R. */
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
  const room = new Float64Array(servers).fill(max)
  const prices = clearingPrices({ servers, demand, caps: room, total: capacity, highest, tolerance: 1e-3 })

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
    if (isFull) applyGreedy(input, counts, members.subarray(start[s], start[s + 1]), max - taken, undefined, heap)
    if (isFull) taken = max
    room[s] = max - taken
    left -= taken
  }
  if (left !== 0) applyGreedy(input, counts, members, left, { server, room }, heap)
  return counts
}

/** How many updates of a page gain more than the price, off by at most two: gain(x) ≈ (w/a)·h(a/(x + 1.5)). */
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

/** Continues the greedy by `change` updates, or undoes as many, last given first. */
function applyGreedy(
  { rate, weight, horizon }: AllocateInput,
  counts: Uint32Array,
  pages: Uint32Array,
  change: number,
  within: { server: Uint32Array; room: Float64Array } | undefined,
  heap: Heap,
): void {
  const isMore = change > 0
  // When undoing, equal gains are taken from the higher page first.
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
    // Stop at zero gain.
    if (isMore && heap.topKey() >= 0) return
    counts[page] += isMore ? 1 : -1
    todo--
    heap.replaceTop(key(page), heap.topId())
  }
}

/**
 * Market-clearing prices: each server sells at most its cap, all together at most `total`, and demand falls as the price
 * rises. The greedy allocation and the continuous bound are both of this form, with different demands.
 */

interface Clearing {
  servers: number
  /** Of a server's pages at the price e^logPrice. Never rises with the price; 0 at the highest. */
  demand(server: number, logPrice: number): number
  /** Per server. */
  caps: Float64Array
  total: number
  /** The logarithm of a price without demand. */
  highest: number
  /** Relative tolerance of the target. */
  tolerance: number
}

/** The common price (−Infinity when the servers' caps bind first) and each server's, never below it. Logarithms. */
export function clearingPrices({ servers, demand, caps, total, highest, tolerance }: Clearing) {
  const sum = (logPrice: number) => {
    let asked = 0
    for (let server = 0; server < servers; server++) asked += Math.min(caps[server], demand(server, logPrice))
    return asked
  }
  const all = search(sum, total, highest, tolerance)
  const each = new Float64Array(servers).fill(all)
  for (let server = 0; server < servers; server++) {
    const cap = caps[server]
    if (cap === Number.POSITIVE_INFINITY) continue
    if (all === Number.NEGATIVE_INFINITY || demand(server, all) > cap)
      each[server] = search((logPrice) => demand(server, logPrice), cap, highest, tolerance)
  }
  return { all, each }
}

/** Prices below e^−LOWEST of the highest count as zero. */
const LOWEST = 200

/** An interval of 200 is halved 51 times until it is 10⁻¹³ wide, every fourth turn at worst. */
const MAX_TURNS = 210

/** −Infinity when even the lowest price doesn't sell `target`. */
function search(demand: (logPrice: number) => number, target: number, highest: number, tolerance: number): number {
  const missing = (logPrice: number) => Math.max(-50, Math.log(demand(logPrice) / target))
  let high = highest
  let highMissing = -50
  // For pages with many looks, demand falls as 1/√price.
  let low = highest - 1
  let lowMissing = missing(low)
  while (lowMissing < 0) {
    if (low < highest - LOWEST) return Number.NEGATIVE_INFINITY
    high = low
    highMissing = lowMissing
    low += Math.min(-0.5, Math.max(-8, 2.5 * lowMissing))
    lowMissing = missing(low)
  }
  // Illinois algorithm: false position in which an end that stays twice counts half. Where demand drops within the last
  // digits of a price that is slow, so the interval is halved whenever four turns have not done it.
  let stayed = 0
  let width = high - low
  for (let turn = 0; turn < MAX_TURNS && high - low > 1e-13; turn++) {
    let isFar = highMissing <= -50
    if (turn % 4 === 3) {
      if (high - low > width / 2) isFar = true
      width = high - low
    }
    const guess = isFar ? (low + high) / 2 : low + ((high - low) * lowMissing) / (lowMissing - highMissing)
    const found = missing(guess)
    if (Math.abs(found) <= tolerance) return guess
    if (found > 0) {
      low = guess
      lowMissing = found
      if (stayed > 0) highMissing /= 2
      stayed = 1
    } else {
      high = guess
      highMissing = found
      if (stayed < 0) lowMissing /= 2
      stayed = -1
    }
  }
  return high
}
