/** Policies that give each page an interval. They fetch the page most overdue among servers that politeness permits. */
import type { Estimates } from './estimate.ts'
import { Heap } from './heap.ts'
import type { Policy } from './policy.ts'
import type { Scenario } from './scenario.ts'

/** Every page equally often: the one with the oldest look whose server is free (KLWF), or of all (LWF, strict). */
export class RoundRobin implements Policy {
  readonly isPaced = true
  readonly isStrict: boolean
  readonly observes = false
  private readonly scenario: Scenario
  private readonly next: Uint32Array
  private readonly last: Float64Array

  constructor(scenario: Scenario, isStrict: boolean) {
    this.scenario = scenario
    this.isStrict = isStrict
    const { members, start } = scenario
    this.next = new Uint32Array(start.length - 1)
    this.last = new Float64Array(members.length)
    // All pages are equally old at first: spread each server over the whole first round.
    for (let s = 0; s + 1 < start.length; s++) {
      const pages = start[s + 1] - start[s]
      for (let at = 0; at < pages; at++) this.last[members[start[s] + at]] = (at + 0.5) / pages - 1
    }
  }

  begin(): number {
    return 0
  }
  due(server: number): number {
    const { start } = this.scenario
    return start[server] === start[server + 1] ? Number.POSITIVE_INFINITY : 0
  }
  rank(server: number): number {
    const { members, start } = this.scenario
    return this.last[members[start[server] + this.next[server]]]
  }
  take(server: number, now: number): number {
    const { members, start } = this.scenario
    const page = members[start[server] + this.next[server]]
    this.next[server] = (this.next[server] + 1) % (start[server + 1] - start[server])
    this.last[page] = now
    return page
  }
  looked(): void {}
}

/** Orders a server's pages by when they are due; each page has an interval. */
abstract class ByInterval implements Policy {
  readonly isPaced = true
  abstract readonly observes: boolean
  protected interval: Float64Array
  private readonly scenario: Scenario
  /** When each page is due; and of each server, its pages by that. */
  private next!: Float64Array
  private heaps!: Heap[]

  constructor(scenario: Scenario, interval: Float64Array) {
    this.scenario = scenario
    this.interval = interval
    // First due times are spread by the golden ratio, so that pages with equal intervals are never due at once.
    this.order(
      interval.map((length, page) =>
        length === Number.POSITIVE_INFINITY ? length : length * ((page * 0.6180339887498949) % 1),
      ),
    )
  }

  begin(_from: number): number {
    return 0
  }
  due(server: number): number {
    const heap = this.heaps[server]
    return heap.size === 0 ? Number.POSITIVE_INFINITY : heap.topKey()
  }
  take(server: number): number {
    return this.heaps[server].topId()
  }
  looked(page: number, server: number, now: number, elapsed: number, isChanged: boolean): void {
    this.adapt(page, elapsed, isChanged)
    this.next[page] = now + this.interval[page]
    this.heaps[server].replaceTop(this.next[page], page)
  }
  protected abstract adapt(page: number, elapsed: number, isChanged: boolean): void

  /** Replaces the intervals, each counted from the last look. */
  protected replace(interval: Float64Array): void {
    const before = this.interval
    this.interval = interval
    this.order(
      interval.map((length, page) =>
        before[page] === Number.POSITIVE_INFINITY ? length : this.next[page] - before[page] + length,
      ),
    )
  }

  private order(next: Float64Array): void {
    const { members, start } = this.scenario
    this.next = next
    this.heaps = Array.from({ length: start.length - 1 }, (_, server) => {
      const pages = members.subarray(start[server], start[server + 1])
      const heap = new Heap(pages.length)
      for (const page of pages) heap.append(next[page], page)
      heap.order()
      return heap
    })
  }
}

/** Looks in proportion to changes: f = κ·λ, with one κ for all servers not limited by politeness. */
export class Proportional extends ByInterval {
  readonly observes: boolean
  private readonly estimates: Estimates | undefined
  private readonly intervals: () => Float64Array

  /** With estimates every horizon uses intervals from the learnt rates. */
  constructor(scenario: Scenario, estimates: Estimates | undefined) {
    const intervals = () => proportionalIntervals(scenario, estimates?.rate ?? scenario.rate)
    super(scenario, intervals())
    this.intervals = intervals
    this.estimates = estimates
    this.observes = estimates !== undefined
  }
  override begin(from: number): number {
    if (this.estimates !== undefined && from > 0) this.replace(this.intervals())
    return 0
  }
  protected adapt(page: number, elapsed: number, isChanged: boolean): void {
    this.estimates?.observe(page, elapsed, isChanged)
  }
}

function proportionalIntervals(scenario: Scenario, rate: Float64Array): Float64Array {
  const { members, start, politeness, capacity, horizon } = scenario
  const servers = start.length - 1
  const changes = new Float64Array(servers)
  for (let s = 0; s < servers; s++) for (let at = start[s]; at < start[s + 1]; at++) changes[s] += rate[members[at]]
  const cap = politeness > 0 ? 1 / politeness : Number.POSITIVE_INFINITY
  // Cap servers from the busiest down, until one factor fits the rest.
  const busiest = Uint32Array.from(changes.keys()).sort((a, b) => changes[b] - changes[a])
  let left = capacity / horizon
  let others = changes.reduce((sum, x) => sum + x, 0)
  let held = 0
  while (held < servers && others > 0 && (left / others) * changes[busiest[held]] > cap) {
    left -= cap
    others -= changes[busiest[held++]]
  }
  const factor = held < servers && others > 0 ? left / others : Number.POSITIVE_INFINITY
  const interval = new Float64Array(rate.length)
  for (let s = 0; s < servers; s++) {
    const own = Math.min(factor, cap / changes[s])
    for (let at = start[s]; at < start[s + 1]; at++) {
      const its = rate[members[at]]
      interval[members[at]] = its > 0 ? 1 / (own * its) : Number.POSITIVE_INFINITY
    }
  }
  return interval
}

/** Nutch's AdaptiveFetchSchedule with its defaults; without its shift towards Last-Modified, which the model lacks. */
const NUTCH = { shorter: 0.2, longer: 0.4, min: 60, max: 365 * 86_400 }

export class NutchAdaptive extends ByInterval {
  readonly observes = true

  /** Starts with an equal share of the capacity, not with Nutch's 30 days: no experiment here lasts so long. */
  constructor(scenario: Scenario) {
    const equal = (scenario.rate.length * scenario.horizon) / Math.max(1, scenario.capacity)
    super(scenario, new Float64Array(scenario.rate.length).fill(clampInterval(equal)))
  }

  protected adapt(page: number, _elapsed: number, isChanged: boolean): void {
    const factor = isChanged ? 1 - NUTCH.shorter : 1 + NUTCH.longer
    this.interval[page] = clampInterval(this.interval[page] * factor)
  }
}

function clampInterval(seconds: number): number {
  return Math.min(NUTCH.max, Math.max(NUTCH.min, seconds))
}
