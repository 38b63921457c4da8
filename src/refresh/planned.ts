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
  const order = new Uint32Array(counts.reduce((sum, count) => sum + count, 0))
  const turn = new Uint32Array(counts.length).fill(1)
  const heap = new Heap()
  let out = 0
  for (let s = 0; s < servers; s++) {
    for (let at = start[s]; at < start[s + 1]; at++) {
      const page = members[at]
      if (counts[page] > 0) heap.append(1 / (counts[page] + 1), page)
    }
    heap.order()
    // Quotients of integers: equal instants are bitwise equal, and the heap then has the lower page first.
    while (heap.size > 0) {
      const page = heap.topId()
      order[out++] = page
      if (turn[page]++ < counts[page]) heap.replaceTop(turn[page] / (counts[page] + 1), page)
      else heap.pop()
    }
    begin[s + 1] = out
  }
  return {
    counts,
    /** Pages in order of their updates; those of server s are `order[begin[s]] … order[begin[s + 1] − 1]`. */
    order,
    begin,
    /** Whether instants are MERGE's or each page's own. */
    isMerged,
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
