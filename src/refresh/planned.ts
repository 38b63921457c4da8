/**
 * PSP, MP2 and M-Wolf: a plan for a horizon that begins with everything fresh, and the third phase, which carries it
 * out: the server whose next update was scheduled first, never early, among those that politeness permits.
 */
import { allocate } from './allocate.ts'
import type { Estimates } from './estimate.ts'
import type { Policy } from './policy.ts'
import { type Scenario, serverCap } from './scenario.ts'
import { instantOf, type Plan, spread } from './spread.ts'

export type PlannedName = 'psp' | 'mp2' | 'm-wolf'

/** Phases 1 and 2. M-Wolf counts without politeness; only PSP merges. */
export function planFor(name: PlannedName, scenario: Scenario, rate = scenario.rate): Plan {
  const cap = name === 'm-wolf' ? Number.POSITIVE_INFINITY : serverCap(scenario)
  return spread(allocate({ ...scenario, rate }, cap, scenario.capacity), scenario, name === 'psp')
}

export class Planned implements Policy {
  readonly isPaced = false
  readonly isStrict = false
  readonly observes: boolean
  readonly chooser = undefined
  plan: Plan
  readonly name: PlannedName
  private readonly scenario: Scenario
  private readonly estimates: Estimates | undefined
  private readonly next: Uint32Array
  /** Of each page, for its own instants: which update is next. */
  private readonly turn: Uint32Array
  private from = 0

  /** With estimates every horizon is planned anew, by what was learnt. */
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

  rank(server: number): number {
    return this.due(server)
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
