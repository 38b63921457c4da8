/**
 * The index policy: of all servers that may be contacted, the one whose best page is worth most now.
 *
 * Each server has a queue per class of pages, and only the heads are valued. Valuing every server at every decision
 * would cost too much, so each rests under a bound: its worth at some later time, which its worth does not exceed until
 * then. Only servers whose bound is not below the best found, or whose rest is over, are valued again. The choice is
 * exact; rests only reduce its cost.
 */
import { EXPLORE_EVERY } from './choose-looks.ts'
import type { Estimates } from './estimate.ts'
import {
  type Classes,
  classes,
  LEARNT_RATES,
  ROUGH,
  roughWorth,
  roughWorthInverse,
  worth as worthOf,
} from './freshness.ts'
import { Heap } from './heap.ts'
import type { Chooser, Policy } from './policy.ts'
import type { Scenario } from './scenario.ts'

const NONE = -1
/** The longest rest, as a share of the horizon; and the shortest, in which values hardly move. */
const REST = { longest: 1 / 24, shortest: 1e-7 }

export class Index implements Policy, Chooser {
  readonly isPaced = true
  readonly observes: boolean
  readonly chooser = this
  private readonly scenario: Scenario
  private readonly rate: Float64Array
  private readonly estimates: Estimates | undefined
  private readonly classes: Classes
  private readonly last: Float64Array
  /** The first queue of each server. It has one per class, or per page if those are fewer. */
  private readonly first: Uint32Array
  private readonly queues: Queues
  /** Columns of the queues' heads: valuing a server reads nothing else. `scale`: w/λ, NaN for an empty queue. */
  private readonly heads: Readonly<Record<'last' | 'rate' | 'scale', Float64Array>>
  /** The queue of each page; NONE for a page never worth a look. */
  private readonly queueOf: Int32Array
  /** Pages by last look, one queue per server; only while rates are learnt. */
  private readonly oldest: Queues | undefined
  private readonly looks: Uint32Array
  /** Per server, when last valued: the best queue, the worth of its head, and the time (NaN: it rests under a bound). */
  private readonly best: Int32Array
  private readonly worth: Float64Array
  private readonly valuedAt: Float64Array
  private readonly byBound: Heap
  private readonly byEnd: Heap
  private readonly examined: number[] = []

  /** `since`: the last look at each page; undefined: 0. */
  constructor(scenario: Scenario, since: Float64Array | undefined, estimates: Estimates | undefined) {
    const { rate, weight, server, start } = scenario
    const servers = start.length - 1
    this.scenario = scenario
    this.estimates = estimates
    this.observes = estimates !== undefined
    this.rate = estimates?.rate ?? rate
    this.classes = classes(estimates === undefined ? rangeOf(rate) : LEARNT_RATES, rangeOf(weight))
    this.last = since?.slice() ?? new Float64Array(rate.length)
    this.first = new Uint32Array(servers + 1)
    for (let s = 0; s < servers; s++)
      this.first[s + 1] = this.first[s] + Math.min(this.classes.count, start[s + 1] - start[s])
    this.queues = new Queues(this.first[servers], rate.length)
    const queues = this.first[servers]
    this.heads = {
      last: new Float64Array(queues),
      rate: new Float64Array(queues),
      scale: new Float64Array(queues).fill(Number.NaN),
    }
    this.queueOf = new Int32Array(rate.length).fill(NONE)
    this.oldest = estimates === undefined ? undefined : new Queues(servers, rate.length)
    const order = Uint32Array.from(rate.keys())
    if (since !== undefined) order.sort((a, b) => since[a] - since[b] || a - b)
    for (const page of order) {
      // Pages that never change or have no weight are never worth a look.
      if (!(this.rate[page] > 0 && weight[page] > 0)) continue
      this.queueOf[page] = this.queueFor(page, server[page])
      const queue = this.queueOf[page]
      this.queues.append(queue, page)
      if (this.queues.head[queue] === page) this.showHead(queue)
      this.oldest?.append(server[page], page)
    }
    this.looks = new Uint32Array(servers)
    this.best = new Int32Array(servers).fill(NONE)
    this.worth = new Float64Array(servers)
    this.valuedAt = new Float64Array(servers).fill(Number.NaN)
    this.byBound = Heap.ofIds(servers)
    this.byEnd = Heap.ofIds(servers)
  }

  begin(): number {
    this.byBound.clear()
    this.byEnd.clear()
    return 0
  }

  /** A server with any page worth a look always has something to fetch. */
  due(server: number): number {
    for (let queue = this.first[server]; queue < this.first[server + 1]; queue++)
      if (this.queues.head[queue] !== NONE) return 0
    return Number.POSITIVE_INFINITY
  }

  offer(server: number): void {
    this.byBound.set(Number.NEGATIVE_INFINITY, server)
  }

  choose(now: number): number {
    const { byBound, byEnd, examined } = this
    while (byEnd.size > 0 && byEnd.topKey() <= now) this.examine(byEnd.topId(), now)
    let chosen = NONE
    while (chosen === NONE && byBound.size > 0) {
      const server = byBound.topId()
      if (this.valuedAt[server] === now) chosen = server
      else this.examine(server, now)
    }
    if (chosen !== NONE) {
      byBound.remove(chosen)
      this.valuedAt[chosen] = Number.NaN
    }
    for (const server of examined) if (server !== chosen) this.rest(server, now, this.worth[chosen])
    examined.length = 0
    return chosen
  }

  /** The server's worth now becomes its bound, exact until the decision is made. */
  private examine(server: number, now: number): void {
    const { last, rate, scale } = this.heads
    // Value the former best queue first: few others then need an exact value.
    let best = this.best[server]
    let max = best === NONE ? -1 : scale[best] * worthOf(rate[best] * (now - last[best]))
    if (Number.isNaN(max)) max = -1
    for (let queue = this.first[server]; queue < this.first[server + 1]; queue++) {
      const u = rate[queue] * (now - last[queue])
      // Compute the exact value only if it may be the best.
      if (!(scale[queue] * roughWorth(u) >= max * (1 - ROUGH))) continue
      const worth = scale[queue] * worthOf(u)
      if (worth > max || (worth === max && queue < best)) {
        max = worth
        best = queue
      }
    }
    this.best[server] = best
    this.worth[server] = max
    this.valuedAt[server] = now
    this.byBound.set(-max, server)
    this.byEnd.remove(server)
    this.examined.push(server)
  }

  /**
   * A server worth less than `chosen` rests until its best page has gone a quarter of the way there, on a log scale.
   * Most servers are worth nearly as much as the best: half the way costs twice as many valuations.
   */
  private rest(server: number, now: number, chosen: number): void {
    const { last, rate, scale } = this.heads
    const { horizon } = this.scenario
    const best = this.best[server]
    const worth = this.worth[server]
    const level = worth > 0 ? worth * Math.sqrt(Math.sqrt(chosen / worth)) : chosen
    const reached = last[best] + roughWorthInverse(level / scale[best]) / rate[best]
    const end = Math.min(now + REST.longest * horizon, Math.max(now + REST.shortest * horizon, reached))
    let bound = 0
    for (let queue = this.first[server]; queue < this.first[server + 1]; queue++) {
      const then = scale[queue] * roughWorth(rate[queue] * (end - last[queue]))
      if (then > bound) bound = then
    }
    bound *= 1 + ROUGH
    this.valuedAt[server] = Number.NaN
    this.byBound.set(-bound, server)
    this.byEnd.set(end, server)
  }

  take(server: number): number {
    if (this.oldest !== undefined && ++this.looks[server] % EXPLORE_EVERY === 0) return this.oldest.head[server]
    return this.queues.head[this.best[server]]
  }

  looked(page: number, server: number, now: number, elapsed: number, isChanged: boolean): void {
    this.last[page] = now
    this.estimates?.observe(page, elapsed, isChanged)
    const before = this.queueOf[page]
    this.queues.remove(before, page)
    if (this.estimates !== undefined) this.queueOf[page] = this.queueFor(page, server)
    const after = this.queueOf[page]
    this.queues.append(after, page)
    this.showHead(before)
    if (after !== before) this.showHead(after)
    this.oldest?.remove(server, page)
    this.oldest?.append(server, page)
  }

  private queueFor(page: number, server: number): number {
    const { weight, members, start } = this.scenario
    const pages = start[server + 1] - start[server]
    if (pages > this.classes.count) return this.first[server] + this.classes.of(this.rate[page], weight[page])
    if (this.queueOf[page] !== NONE) return this.queueOf[page]
    return this.first[server] + members.subarray(start[server], start[server + 1]).indexOf(page)
  }

  private showHead(queue: number): void {
    const { last, rate, scale } = this.heads
    const page = this.queues.head[queue]
    scale[queue] = page === NONE ? Number.NaN : this.scenario.weight[page] / this.rate[page]
    if (page === NONE) return
    rate[queue] = this.rate[page]
    last[queue] = this.last[page]
  }
}

function rangeOf(column: Float64Array): readonly [number, number] {
  let min = Number.POSITIVE_INFINITY
  let max = 0
  for (let i = 0; i < column.length; i++) {
    if (column[i] > 0 && column[i] < min) min = column[i]
    if (column[i] > max) max = column[i]
  }
  return max === 0 ? [1, 1] : [min, max]
}

/** Linked queues over the same pages, each page in at most one. */
class Queues {
  readonly head: Int32Array
  private readonly tail: Int32Array
  private readonly after: Int32Array
  private readonly before: Int32Array

  constructor(queues: number, pages: number) {
    this.head = new Int32Array(queues).fill(NONE)
    this.tail = new Int32Array(queues).fill(NONE)
    this.after = new Int32Array(pages).fill(NONE)
    this.before = new Int32Array(pages).fill(NONE)
  }

  append(queue: number, page: number): void {
    const last = this.tail[queue]
    this.before[page] = last
    this.after[page] = NONE
    if (last === NONE) this.head[queue] = page
    else this.after[last] = page
    this.tail[queue] = page
  }

  remove(queue: number, page: number): void {
    const before = this.before[page]
    const after = this.after[page]
    if (before === NONE) this.head[queue] = after
    else this.after[before] = after
    if (after === NONE) this.tail[queue] = before
    else this.before[after] = before
  }
}
