/**
 * PSP, MP2 and M-Wolf (P4): a plan for a horizon that starts with everything fresh, and phase 3, which executes it: the
 * server whose next update was scheduled first, never early, among those that politeness permits.
 */
import { allocate } from './allocate.ts'
import type { Estimates } from './estimate.ts'
import { Heap } from './heap.ts'
import type { Policy } from './policy.ts'
import { type ByServer, type Scenario, serverCap } from './scenario.ts'

export type PlannedName = 'psp' | 'mp2' | 'm-wolf'

/** Phases 1 and 2. M-Wolf ignores politeness; only PSP merges. */
export function planFor(name: PlannedName, scenario: Scenario, rate = scenario.rate): Plan {
  const cap = name === 'm-wolf' ? Number.POSITIVE_INFINITY : serverCap(scenario)
  return spread(allocate({ ...scenario, rate }, cap, scenario.capacity), scenario, name === 'psp')
}

export class Planned implements Policy {
  readonly isPaced = false
  readonly observes: boolean
  plan: Plan
  readonly name: PlannedName
  private readonly scenario: Scenario
  private readonly estimates: Estimates | undefined
  private readonly next: Uint32Array
  /** The next update of each page, for its own instants. */
  private readonly turn: Uint32Array
  private from = 0

  /** With estimates every horizon is replanned with the learnt rates. */
  constructor(name: PlannedName, scenario: Scenario, estimates: Estimates | undefined) {
    this.name = name
    this.scenario = scenario
    this.estimates = estimates
    this.observes = estimates !== undefined
    this.plan = planFor(name, scenario, estimates?.rate)
    this.next = new Uint32Array(scenario.start.length - 1)
    this.turn = new Uint32Array(this.plan.isMerged ? 0 : scenario.rate.length)
  }

  begin(from: number): number {
    if (this.estimates !== undefined && from > 0) this.plan = planFor(this.name, this.scenario, this.estimates.rate)
    this.from = from
    this.next.fill(0)
    this.turn.fill(0)
    return this.plan.order.length
  }

  due(server: number): number {
    const { begin, order, counts, isMerged } = this.plan
    const updates = begin[server + 1] - begin[server]
    const at = this.next[server]
    if (at === updates) return Number.POSITIVE_INFINITY
    const { horizon } = this.scenario
    if (isMerged) return this.from + instantOf(at + 1, updates, horizon)
    const page = order[begin[server] + at]
    return this.from + instantOf(this.turn[page] + 1, counts[page], horizon)
  }

  take(server: number): number {
    const page = this.plan.order[this.plan.begin[server] + this.next[server]++]
    if (!this.plan.isMerged) this.turn[page]++
    return page
  }

  looked(page: number, _server: number, _now: number, elapsed: number, isChanged: boolean): void {
    this.estimates?.observe(page, elapsed, isChanged)
  }
}

/**
 * Phase 2 of PSP: when. Each page's ideal instants j·T/(x + 1) are sorted per server, ties by page; MERGE then spaces
 * the server's updates evenly, i·T/(x_s + 1). A plan keeps only the order; the instants follow from it.
 */

export type Plan = ReturnType<typeof spread>

export function spread(counts: Uint32Array, { members, start }: ByServer, isMerged: boolean) {
  const servers = start.length - 1
  const begin = new Uint32Array(servers + 1)
  let largest = 0
  for (let s = 0; s < servers; s++) {
    let sum = 0
    for (let at = start[s]; at < start[s + 1]; at++) sum += counts[members[at]]
    begin[s + 1] = begin[s] + sum
    largest = Math.max(largest, start[s + 1] - start[s])
  }
  const order = new Uint32Array(begin[servers])
  const sorted = new Float64Array(largest)
  const heap = new Heap()
  for (let s = 0; s < servers; s++)
    mergeServer(counts, members.subarray(start[s], start[s + 1]), sorted, heap, order, begin[s])
  return {
    counts,
    /** Pages in order of their updates; those of server s are `order[begin[s]] … order[begin[s + 1] − 1]`. */
    order,
    begin,
    /** Whether instants are MERGE's or each page's own. */
    isMerged,
  }
}

/** Pages with equal counts share all their instants, so few groups are merged, however many updates there are. */
function mergeServer(
  counts: Uint32Array,
  pages: Uint32Array,
  sorted: Float64Array,
  heap: Heap,
  order: Uint32Array,
  from: number,
): void {
  let size = 0
  for (let at = 0; at < pages.length; at++)
    if (counts[pages[at]] > 0) sorted[size++] = counts[pages[at]] * pages.length + at
  const keys = sorted.subarray(0, size).sort()
  const countAt = (at: number) => Math.floor(keys[at] / pages.length)
  const first: number[] = []
  for (let at = 0; at < size; at++) {
    const count = countAt(at)
    if (at === 0 || count !== countAt(at - 1)) {
      heap.push(1 / (count + 1), first.length)
      first.push(at)
    }
  }
  first.push(size)
  const turn = new Uint32Array(first.length).fill(1)
  let out = from
  while (heap.size > 0) {
    const instant = heap.topKey()
    const tied = out
    let groups = 0
    while (heap.size > 0 && heap.topKey() === instant) {
      const group = heap.topId()
      const count = countAt(first[group])
      for (let at = first[group]; at < first[group + 1]; at++) order[out++] = pages[keys[at] - count * pages.length]
      groups++
      // Quotients of integers: equal instants are bitwise equal.
      if (turn[group]++ < count) heap.replaceTop(turn[group] / (count + 1), group)
      else heap.pop()
    }
    if (groups > 1) order.subarray(tied, out).sort()
  }
}

/**
 * The j-th of x instants, j·T/(x + 1). Dispatch breaks ties by server, so equal instants must be bitwise equal: for an
 * integer T the product is exact and rounded once; otherwise the quotient is rounded first, equally for 1/2 and 2/4.
 */
export function instantOf(nth: number, count: number, horizon: number): number {
  return Number.isInteger(horizon) ? (nth * horizon) / (count + 1) : (nth / (count + 1)) * horizon
}

/** Calls back for every planned look, server by server, in order. */
export function eachPlanned(plan: Plan, horizon: number, call: (page: number, instant: number) => void): void {
  const { counts, order, begin, isMerged } = plan
  const seen = new Uint32Array(isMerged ? 0 : counts.length)
  for (let s = 0; s + 1 < begin.length; s++) {
    const updates = begin[s + 1] - begin[s]
    for (let i = 0; i < updates; i++) {
      const page = order[begin[s] + i]
      call(page, isMerged ? instantOf(i + 1, updates, horizon) : instantOf(++seen[page], counts[page], horizon))
    }
  }
}
