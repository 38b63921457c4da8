/**
 * The index policy: of all servers that may be asked, the one whose best page is worth most now.
 *
 * Each server has a queue for each class of pages, and only their heads are valued. To value every server at every
 * decision would cost far too much, so each rests under a bound: what it will be worth at some later time is at least what
 * it is worth until then. Only servers whose bound is not below the best found, or whose time is over, are valued again.
 * The choice is exact; how long servers rest decides only what it costs.
 */
import type { Estimates } from './estimate.ts'
import { ROUGH, roughWorth, roughWorthInverse, worth as worthOf } from './freshness.ts'
import { IdHeap } from './heap.ts'
import type { Chooser, Policy } from './policy.ts'
import type { Scenario } from './scenario.ts'
import { type Classes, classes } from './value.ts'

const NONE = -1
/** While rates are learnt, every so manieth look at a server goes to its page not looked at for longest. */
const EXPLORE_EVERY = 14
/** The longest rest, as a share of the horizon; and the shortest, in which values hardly move. */
const REST = { longest: 1 / 24, shortest: 1e-7 }
/** Which queues may be the best is found out for so many rests at once. */
const COUNTED_AHEAD = 16

export class Index implements Policy, Chooser {
  readonly isPaced = true
  readonly isStrict = false
  readonly observes: boolean
  readonly chooser = this
  private readonly scenario: Scenario
  private readonly rate: Float64Array
  private readonly estimates: Estimates | undefined
  private readonly classes: Classes
  private readonly last: Float64Array
  /** Of each server: its first queue. It has one for each class, or for each page where those are fewer. */
  private readonly first: Uint32Array
  private readonly queues: Queues
  private readonly heads: Heads
  /** Of each page its queue; NONE for one that is never worth a look. */
  private readonly queueOf: Int32Array
  /** Pages by their last look, a queue for each server; only while rates are learnt. */
  private readonly oldest: Queues | undefined
  private readonly looks: Uint32Array
  /** Of each server when it was last valued: the best queue, what its head was worth, and the time (NaN: it rests under a bound). */
  private readonly best: Int32Array
  private readonly worth: Float64Array
  private readonly valuedAt: Float64Array
  /** Of each server: the queues that may be the best until some time, and how many; NONE: any may. */
  private readonly candidates: Uint32Array
  private readonly count: Int32Array
  private readonly countedUntil: Float64Array
  private readonly byBound: IdHeap
  private readonly byEnd: IdHeap
  private readonly examined: number[] = []

  /** `since`: the last look at each page; undefined: 0. */
  constructor(scenario: Scenario, since: Float64Array | undefined, estimates: Estimates | undefined) {
    const { rate, weight, server, start } = scenario
    const servers = start.length - 1
    this.scenario = scenario
    this.estimates = estimates
    this.observes = estimates !== undefined
    this.rate = estimates?.rate ?? rate
    const known =
      estimates === undefined ? rangeOf(rate) : ([estimates.rate[0] / 100, estimates.rate[0] * 1000] as const)
    this.classes = classes(known, rangeOf(weight))
    this.last = since?.slice() ?? new Float64Array(rate.length)
    this.first = new Uint32Array(servers + 1)
    for (let s = 0; s < servers; s++)
      this.first[s + 1] = this.first[s] + Math.min(this.classes.count, start[s + 1] - start[s])
    this.queues = new Queues(this.first[servers], rate.length)
    this.heads = new Heads(this.first[servers])
    this.queueOf = new Int32Array(rate.length).fill(NONE)
    this.oldest = estimates === undefined ? undefined : new Queues(servers, rate.length)
    const order = Uint32Array.from(rate.keys())
    if (since !== undefined) order.sort((a, b) => since[a] - since[b] || a - b)
    for (const page of order) {
      // What never changes, or counts for nothing, is never worth a look.
      if (!(this.rate[page] > 0 && weight[page] > 0)) continue
      this.queueOf[page] = this.queueFor(page, server[page])
      this.append(page)
      this.oldest?.append(server[page], page)
    }
    this.looks = new Uint32Array(servers)
    this.best = new Int32Array(servers).fill(NONE)
    this.worth = new Float64Array(servers)
    this.valuedAt = new Float64Array(servers).fill(Number.NaN)
    this.candidates = new Uint32Array(this.first[servers])
    this.count = new Int32Array(servers).fill(NONE)
    this.countedUntil = new Float64Array(servers)
    this.byBound = new IdHeap(servers)
    this.byEnd = new IdHeap(servers)
  }

  begin(): number {
    this.byBound.clear()
    this.byEnd.clear()
    return 0
  }

  /** A server that has anything worth a look always has something to fetch. */
  due(server: number): number {
    for (let queue = this.first[server]; queue < this.first[server + 1]; queue++)
      if (this.queues.head[queue] !== NONE) return 0
    return Number.POSITIVE_INFINITY
  }

  rank(): number {
    return 0
  }

  offer(server: number): void {
    this.byBound.set(server, Number.NEGATIVE_INFINITY)
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

  /** What the server is worth now becomes its bound: it is exact until the decision has been taken. */
  private examine(server: number, now: number): void {
    const { last, rate, scale } = this.heads
    const first = this.first[server]
    const few = now > this.countedUntil[server] ? NONE : this.count[server]
    // The queue that was best is valued first: then few others need more than a rough value.
    let best = this.best[server]
    let max = best === NONE ? -1 : scale[best] * worthOf(rate[best] * (now - last[best]))
    if (Number.isNaN(max)) max = -1
    for (let at = first, end = few === NONE ? this.first[server + 1] : first + few; at < end; at++) {
      const queue = few === NONE ? at : this.candidates[at]
      const u = rate[queue] * (now - last[queue])
      // Only what may be the best is valued exactly.
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
    this.byBound.set(server, -max)
    this.byEnd.remove(server)
    this.examined.push(server)
  }

  /**
   * It was worth less than `chosen`: it rests until its best page has gone a quarter of the way there, on a scale of
   * logarithms. Most servers are worth nearly as much as the best: half the way costs twice as many valuations.
   */
  private rest(server: number, now: number, chosen: number): void {
    const { last, rate, scale } = this.heads
    const { horizon } = this.scenario
    const first = this.first[server]
    const best = this.best[server]
    const worth = this.worth[server]
    const level = worth > 0 ? worth * Math.sqrt(Math.sqrt(chosen / worth)) : chosen
    const reached = last[best] + roughWorthInverse(level / scale[best]) / rate[best]
    const end = Math.min(now + REST.longest * horizon, Math.max(now + REST.shortest * horizon, reached))
    if (this.count[server] === NONE || end > this.countedUntil[server])
      this.countCandidates(server, now + COUNTED_AHEAD * (end - now))
    let bound = 0
    for (let at = first; at < first + this.count[server]; at++) {
      const queue = this.candidates[at]
      const then = scale[queue] * roughWorth(rate[queue] * (end - last[queue]))
      if (then > bound) bound = then
    }
    bound *= 1 + ROUGH
    this.valuedAt[server] = Number.NaN
    this.byBound.set(server, -bound)
    this.byEnd.set(server, end)
  }

  /** What is not worth as much at that time as the best is now will not be the best until then. */
  private countCandidates(server: number, until: number): void {
    const { last, rate, scale } = this.heads
    const first = this.first[server]
    const min = this.worth[server] * (1 - 2 * ROUGH)
    let count = 0
    for (let queue = first; queue < this.first[server + 1]; queue++)
      if (scale[queue] * roughWorth(rate[queue] * (until - last[queue])) >= min)
        this.candidates[first + count++] = queue
    this.count[server] = count
    this.countedUntil[server] = until
  }

  take(server: number): number {
    if (this.oldest !== undefined && ++this.looks[server] % EXPLORE_EVERY === 0) return this.oldest.head[server]
    return this.queues.head[this.best[server]]
  }

  looked(page: number, server: number, now: number, elapsed: number, isChanged: boolean): void {
    this.last[page] = now
    this.count[server] = NONE
    this.estimates?.observe(page, elapsed, isChanged)
    const before = this.queueOf[page]
    this.queues.remove(before, page)
    this.showHead(before)
    if (this.estimates !== undefined) this.queueOf[page] = this.queueFor(page, server)
    this.append(page)
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

  private append(page: number): void {
    this.queues.append(this.queueOf[page], page)
    this.showHead(this.queueOf[page])
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

/** What is known of the heads of queues, side by side: valuing a server reads nothing else. `scale`: w/λ, NaN of an empty queue. */
class Heads {
  readonly last: Float64Array
  readonly rate: Float64Array
  readonly scale: Float64Array

  constructor(queues: number) {
    this.last = new Float64Array(queues)
    this.rate = new Float64Array(queues)
    this.scale = new Float64Array(queues).fill(Number.NaN)
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

/** Many queues over the same pages, each page in at most one of them. */
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
