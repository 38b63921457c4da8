/** The index policy over queues: each server has one for each class of pages, and only their heads are looked at. */
import type { Estimates } from './estimate.ts'
import type { Policy } from './policy.ts'
import type { Scenario } from './scenario.ts'
import { adaptPrice, type Classes, classes, timeToReach, value } from './value.ts'

const NONE = -1
/** While rates are learnt, every so manieth look at a server goes to its page not looked at for longest. */
const EXPLORE_EVERY = 14
/** A price may fall while a server sleeps: it looks again after this share of the horizon. */
const LONGEST_SLEEP = 1 / 24
/** Ready servers beyond this share of all are a crowd; some must be, or the best one is never a choice. */
const CROWD = 1 / 50

export class Index implements Policy {
  readonly isPaced = true
  readonly isEager = true
  readonly isStrict = false
  readonly observes: boolean
  price: number
  private readonly scenario: Scenario
  private readonly rate: Float64Array
  private readonly estimates: Estimates | undefined
  private readonly classes: Classes
  private readonly last: Float64Array
  private readonly queues: Queues
  private readonly queueOf: Uint32Array
  /** Pages by their last look, a queue for each server; only while rates are learnt. */
  private readonly oldest: Queues | undefined
  private readonly looks: Uint32Array
  /** Of each server: the page found best, and what it is worth. */
  private readonly best: Int32Array
  private readonly worth: Float64Array
  private readonly crowded: number

  constructor(scenario: Scenario, price: number, estimates: Estimates | undefined) {
    const { rate, weight, server, start } = scenario
    const servers = start.length - 1
    this.scenario = scenario
    this.price = price
    this.estimates = estimates
    this.observes = estimates !== undefined
    this.rate = estimates?.rate ?? rate
    const known =
      estimates === undefined ? rangeOf(rate) : ([estimates.rate[0] / 100, estimates.rate[0] * 1000] as const)
    this.classes = classes(known, rangeOf(weight), servers)
    this.last = new Float64Array(rate.length)
    this.queues = new Queues(servers * this.classes.count, rate.length)
    this.queueOf = new Uint32Array(rate.length)
    this.oldest = estimates === undefined ? undefined : new Queues(servers, rate.length)
    for (let page = 0; page < rate.length; page++) {
      this.enqueue(page, server[page])
      this.oldest?.append(server[page], page)
    }
    this.looks = new Uint32Array(servers)
    this.best = new Int32Array(servers)
    this.worth = new Float64Array(servers)
    this.crowded = Math.max(2, servers * CROWD)
  }

  begin(): number {
    return 0
  }

  /** Now, if its best page is worth the price; else when the first of the heads will be. */
  due(server: number, now: number): number {
    const { head } = this.queues
    const { rate, last, price } = this
    const { weight } = this.scenario
    const from = server * this.classes.count
    let most = 0
    let best = NONE
    for (let queue = from; queue < from + this.classes.count; queue++) {
      const page = head[queue]
      if (page === NONE) continue
      const worth = value(rate[page], weight[page], now - last[page])
      if (worth > most || best === NONE) {
        most = worth
        best = page
      }
    }
    this.best[server] = best
    this.worth[server] = most
    if (best === NONE) return Number.POSITIVE_INFINITY
    if (most >= price) return now
    let wake = now + this.scenario.horizon * LONGEST_SLEEP
    for (let queue = from; queue < from + this.classes.count; queue++) {
      const page = head[queue]
      if (page !== NONE) wake = Math.min(wake, last[page] + timeToReach(rate[page], weight[page], price))
    }
    return wake
  }

  rank(server: number): number {
    return -this.worth[server]
  }

  take(server: number): number {
    const isToExplore = this.oldest !== undefined && ++this.looks[server] % EXPLORE_EVERY === 0
    return isToExplore && this.oldest !== undefined ? this.oldest.head[server] : this.best[server]
  }

  looked(page: number, server: number, now: number, elapsed: number, isChanged: boolean): void {
    this.last[page] = now
    this.queues.remove(this.queueOf[page], page)
    this.estimates?.observe(page, elapsed, isChanged)
    this.enqueue(page, server)
    this.oldest?.remove(server, page)
    this.oldest?.append(server, page)
  }

  crowd(ready: number): void {
    this.price = adaptPrice(this.price, ready, this.crowded, this.last.length)
  }

  private enqueue(page: number, server: number): void {
    const weight = this.scenario.weight[page]
    // What never changes, or counts for nothing, is never worth a look.
    if (!(this.rate[page] > 0 && weight > 0)) return
    this.queueOf[page] = server * this.classes.count + this.classes.of(this.rate[page], weight)
    this.queues.append(this.queueOf[page], page)
  }
}

function rangeOf(column: Float64Array): readonly [number, number] {
  let least = Number.POSITIVE_INFINITY
  let most = 0
  for (let i = 0; i < column.length; i++) {
    if (column[i] > 0 && column[i] < least) least = column[i]
    if (column[i] > most) most = column[i]
  }
  return most === 0 ? [1, 1] : [least, most]
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
