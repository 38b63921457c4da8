/**
 * An event-driven simulation of crawlers, servers and pages on one time line, as in the PSP paper (P1, P7, P8). Events are numbers
 * on one heap: a crawler is free, a server may be contacted, a page changes (only when changes are drawn), statistics,
 * capacity for the next fetch, the end of a crawler's wait for a server. All events of an instant come before its
 * decisions.
 */
import type { Random } from '../base/random.ts'
import { meanAge, staleShare } from './freshness.ts'
import { Heap } from './heap.ts'
import type { Policy } from './policy.ts'
import { type Scenario, totalWeight } from './scenario.ts'

export interface ArenaOptions {
  /** Draws whether a look found a change; unused with `changes`. */
  random: Random
  /** Undefined: only the exact expectation of staleness is computed. */
  changes: Changes | undefined
  /** Seconds between statistics; 0: none. */
  every: number
  /** Keeps every look. */
  isDetailed: boolean
  /** Last look at each page, at most 0; undefined: all are fresh at 0. */
  since: Float64Array | undefined
}

/** Means since 0, weighted. Ages in seconds. */
export interface Statistics {
  at: number
  /** The exact expectation for Poisson changes, given the looks. */
  staleness: number
  age: number
  /** With drawn changes. */
  stalenessSampled?: number
  ageSampled?: number
  fetches: number
}

/**
 * Times closer than this share of the time since 0 are one instant (some 4,500 roundings): sums of politeness and of
 * download times reach the same instant with different last digits, and ties must not depend on that.
 */
const INSTANT = 1e-12

const NONE = -1
const FRESH = Number.POSITIVE_INFINITY

export class Arena {
  fetches = 0
  planned = 0
  dropped = 0
  /** Requests that broke politeness, counted independently of the decisions. */
  violations = 0
  readonly statistics: Statistics[] = []
  /** With `isDetailed`: the looks of each page. */
  readonly realised: number[][] | undefined
  now = 0

  private readonly scenario: Scenario
  private readonly policy: Policy
  private readonly options: ArenaOptions
  private readonly weights: number
  /** Per page: the last look; with drawn changes, since when it is stale (Infinity: fresh). */
  private readonly last: Float64Array
  private readonly staleSince: Float64Array
  /** Per server: start of the last request. Per crawler: busy until. */
  private readonly started: Float64Array
  private readonly busyUntil: Float64Array
  /** Idle crawlers, by when they became idle. */
  private readonly idle = new Heap(16)
  private readonly timeline = new Heap(1024)
  private readonly ready = new Heap(1024)
  private stale = 0
  private aged = 0
  private staleSampled = 0
  private agedSampled = 0
  private nextStatistics: number
  private isTokenDue = false
  private from = 0
  private until = 0
  /** The width of an instant, and when the current one began. */
  private instant = 0
  private instantFrom = 0
  private fetchesBefore = 0
  /** The page of each crawler that waits for a server. */
  private readonly held: Uint32Array
  private readonly events: { server: number; page: number; statistics: number; token: number; held: number }

  constructor(scenario: Scenario, policy: Policy, options: ArenaOptions) {
    this.scenario = scenario
    this.policy = policy
    this.options = options
    const pages = scenario.rate.length
    const servers = scenario.start.length - 1
    const crawlers = scenario.crawlers.length
    this.weights = totalWeight(scenario)
    this.last = options.since?.slice() ?? new Float64Array(pages)
    this.staleSince = new Float64Array(options.changes === undefined ? 0 : pages).fill(FRESH)
    this.started = new Float64Array(servers).fill(Number.NEGATIVE_INFINITY)
    this.busyUntil = new Float64Array(crawlers)
    this.held = new Uint32Array(crawlers)
    this.nextStatistics = options.every
    const page = crawlers + servers
    this.events = { server: crawlers, page, statistics: page + pages, token: page + pages + 1, held: page + pages + 2 }
    this.realised = options.isDetailed ? Array.from({ length: pages }, () => []) : undefined
    // Staleness before 0 does not count.
    for (let page = 0; options.since !== undefined && page < pages; page++) this.closeGap(page, 0, -1)
    for (let page = 0; page < this.staleSince.length; page++) {
      const next = options.changes?.next[page] ?? FRESH
      if (!(next < 0)) continue
      this.staleSince[page] = next
      this.closeStale(page, 0, -1)
    }
  }

  /** Starts the next horizon; `step` runs it. */
  begin(): void {
    const { policy, timeline } = this
    const from = this.until
    this.from = from
    this.until = from + this.scenario.horizon
    this.instant = INSTANT * this.until
    this.planned = policy.begin(from)
    this.fetchesBefore = this.fetches
    this.ready.clear()
    this.idle.clear()
    this.instantFrom = from
    this.isTokenDue = false
    // Drawn changes stay on the time line; the rest is set up again.
    const changed = this.options.changes === undefined ? [] : this.pendingChanges()
    timeline.clear()
    for (const page of changed) timeline.append(this.options.changes?.next[page] ?? 0, this.events.page + page)
    for (let crawler = 0; crawler < this.busyUntil.length; crawler++)
      timeline.append(Math.max(from, this.busyUntil[crawler]), crawler)
    if (this.options.every > 0) timeline.append(this.nextStatistics, this.events.statistics)
    timeline.order()
    this.now = from
    for (let server = 0; server < this.started.length; server++) {
      if (policy.isStrict) this.enter(server)
      else this.wait(server, Math.max(from, this.started[server] + this.scenario.politeness))
    }
  }

  /** Runs up to `events` events; false when the horizon has ended. */
  step(events: number): boolean {
    const { timeline, until } = this
    const { page: pageEvents, server: serverEvents, statistics, token, held } = this.events
    for (let left = events; left > 0; left--) {
      if (timeline.size === 0 || timeline.topKey() >= until - this.instant) {
        this.end()
        return false
      }
      this.now = timeline.topKey()
      if (this.now > this.instantFrom + this.instant) this.instantFrom = this.now
      const event = timeline.pop()
      if (event < serverEvents) this.idle.push(this.instantFrom, event)
      else if (event < pageEvents) this.enter(event - serverEvents)
      else if (event < statistics) this.staleSince[event - pageEvents] = this.now
      else if (event === statistics) this.report()
      else if (event === token) this.isTokenDue = false
      else this.visit(this.held[event - held], event - held)
      if (timeline.size === 0 || timeline.topKey() > this.now + this.instant) this.decide()
    }
    return true
  }

  /** Means from 0 to now. */
  measure(at: number): Statistics {
    const { rate, weight } = this.scenario
    let stale = this.stale
    let aged = this.aged
    for (let page = 0; page < rate.length; page++) {
      const d = at - this.last[page]
      const u = rate[page] * d
      const share = staleShare(u)
      stale += weight[page] * d * share
      aged += weight[page] * d * d * meanAge(u, share)
    }
    const whole = at * this.weights
    const exact = { at, staleness: stale / whole, age: aged / whole, fetches: this.fetches }
    if (this.options.changes === undefined) return exact
    let staleSampled = this.staleSampled
    let agedSampled = this.agedSampled
    for (let page = 0; page < rate.length; page++) {
      if (this.staleSince[page] === FRESH) continue
      const d = at - this.staleSince[page]
      staleSampled += weight[page] * d
      agedSampled += (weight[page] * d * d) / 2
    }
    return { ...exact, stalenessSampled: staleSampled / whole, ageSampled: agedSampled / whole }
  }

  private end(): void {
    this.now = this.until
    if (this.planned > 0) this.dropped += this.planned - (this.fetches - this.fetchesBefore)
  }

  private report(): void {
    this.statistics.push(this.measure(this.now))
    this.nextStatistics += this.options.every
    this.timeline.push(this.nextStatistics, this.events.statistics)
  }

  /** A server may be contacted: it is ready, or has nothing due yet, or nothing more. */
  private enter(server: number): void {
    const { policy, now } = this
    const due = policy.due(server, now)
    if (due === Number.POSITIVE_INFINITY) return
    if (due > now) this.timeline.push(due, this.events.server + server)
    else if (policy.chooser === undefined) this.ready.push(policy.rank?.(server) ?? due, server)
    else policy.chooser.offer(server)
  }

  /** A server may not be contacted before `polite`, nor before it has something to fetch. */
  private wait(server: number, polite: number): void {
    const at = Math.max(polite, this.policy.due(server, polite))
    if (at <= this.now) this.enter(server)
    else if (at < this.until) this.timeline.push(at, this.events.server + server)
  }

  private decide(): void {
    const { policy } = this
    while (this.idle.size > 0) {
      if (policy.isPaced && this.isTooSoon()) return
      const server = policy.chooser === undefined ? this.firstReady() : policy.chooser.choose(this.now)
      if (server === NONE) return
      if (policy.isStrict) this.hold(server)
      else this.fetch(server)
    }
  }

  private firstReady(): number {
    return this.ready.size > 0 ? this.ready.pop() : NONE
  }

  /** R is spread over the horizon: the k-th fetch waits for the middle of the k-th of R equal parts. */
  private isTooSoon(): boolean {
    const { capacity, horizon } = this.scenario
    const next = this.from + ((this.fetches - this.fetchesBefore + 0.5) / capacity) * horizon
    if (next <= this.now + this.instant) return false
    if (!this.isTokenDue) this.timeline.push(next, this.events.token)
    this.isTokenDue = true
    return true
  }

  private fetch(server: number): void {
    const page = this.policy.take(server, this.now)
    this.claim(server, this.now)
    this.visit(page, this.idle.pop())
    this.wait(server, this.now + this.scenario.politeness)
  }

  /** Takes the next page of the queue even if its server may not be contacted yet; the crawler waits. */
  private hold(server: number): void {
    const crawler = this.idle.pop()
    const at = Math.max(this.now, this.started[server] + this.scenario.politeness)
    // Too late for this horizon: the page stays first for the next one.
    if (at >= this.until - this.instant) return
    this.held[crawler] = this.policy.take(server, at)
    this.timeline.push(at, this.events.held + crawler)
    this.claim(server, at)
    this.enter(server)
  }

  /** Records a request to the server that starts at `at`. */
  private claim(server: number, at: number): void {
    if (at + this.instant < this.started[server] + this.scenario.politeness) this.violations++
    this.started[server] = at
    this.fetches++
  }

  private visit(page: number, crawler: number): void {
    const { now, policy, scenario } = this
    const server = scenario.server[page]
    const elapsed = now - this.last[page]
    policy.looked(page, server, now, elapsed, this.look(page, elapsed))
    const bytes = scenario.size === undefined ? 0 : scenario.size[page] / scenario.servers[server]
    const done = now + Math.max(1 / scenario.crawlers[crawler], bytes)
    this.busyUntil[crawler] = done
    this.timeline.push(done, crawler)
  }

  /** Closes the gap since the last look. Returns whether the look found a change, drawn if the policy observes. */
  private look(page: number, elapsed: number): boolean {
    const { now } = this
    this.closeGap(page, now, 1)
    this.last[page] = now
    this.realised?.[page].push(now)
    const { changes } = this.options
    if (changes === undefined) {
      if (!this.policy.observes) return false
      return this.options.random.next() > Math.exp(-this.scenario.rate[page] * elapsed)
    }
    if (this.staleSince[page] === FRESH) return false
    this.closeStale(page, now, 1)
    this.staleSince[page] = FRESH
    changes.pass(page, now)
    this.timeline.push(changes.next[page], this.events.page + page)
    return true
  }

  /** Adds (or subtracts) a page's staleness from its last look until then. */
  private closeGap(page: number, until: number, sign: 1 | -1): void {
    const weight = sign * this.scenario.weight[page]
    const elapsed = until - this.last[page]
    const u = this.scenario.rate[page] * elapsed
    const share = staleShare(u)
    this.stale += weight * elapsed * share
    this.aged += weight * elapsed * elapsed * meanAge(u, share)
  }

  /** The same for drawn changes. */
  private closeStale(page: number, until: number, sign: 1 | -1): void {
    const weight = sign * this.scenario.weight[page]
    const d = until - this.staleSince[page]
    this.staleSampled += weight * d
    this.agedSampled += (weight * d * d) / 2
  }

  /** Fresh pages have their next change on the time line; stale ones draw it at their next look. */
  private pendingChanges(): Uint32Array {
    const pages = Uint32Array.from(this.staleSince.keys())
    return pages.filter((page) => this.staleSince[page] === FRESH && this.scenario.rate[page] > 0)
  }
}

/**
 * Drawn changes. Every page is fresh at its first look; its changes are a renewal process with mean interval 1/λ. The
 * shares of the mixture are Wolf's, its parameters ours: 60 % Poisson; 30 % Pareto with shape 1.5; 10 %
 * quasi-deterministic, intervals of 0.9/λ to 1.1/λ after a random phase.
 */

export type ChangeKind = 'poisson' | 'mixture'

const SHAPE = 1.5
const JITTER = 0.1

export class Changes {
  /** When each page changes next. */
  readonly next: Float64Array
  private readonly process: Uint8Array
  private readonly rate: Float64Array
  private readonly random: Random

  /** `since`: the first look at each page; undefined: 0. */
  constructor(rate: Float64Array, kind: ChangeKind, random: Random, since?: Float64Array) {
    this.rate = rate
    this.random = random
    this.process = new Uint8Array(rate.length)
    this.next = new Float64Array(rate.length)
    for (let page = 0; page < rate.length; page++) {
      const share = kind === 'poisson' ? 0 : random.next()
      this.process[page] = share < 0.6 ? 0 : share < 0.9 ? 1 : 2
      const first = this.process[page] === 2 ? random.next() / rate[page] : this.interval(page)
      this.next[page] = (since?.[page] ?? 0) + first
    }
  }

  /** Draws until a change lies after `now`. */
  pass(page: number, now: number): void {
    // Poisson changes are memoryless: one draw is enough, however many were missed.
    if (this.process[page] === 0) this.next[page] = now + this.interval(page)
    while (this.next[page] <= now) this.next[page] += this.interval(page)
  }

  private interval(page: number): number {
    const mean = 1 / this.rate[page]
    const chance = 1 - this.random.next()
    if (this.process[page] === 0) return -Math.log(chance) * mean
    if (this.process[page] === 1) return ((mean * (SHAPE - 1)) / SHAPE) * chance ** (-1 / SHAPE)
    return mean * (1 - JITTER + 2 * JITTER * chance)
  }
}
