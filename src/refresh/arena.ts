/**
 * Where policies meet: an event-driven simulation of crawlers, servers and pages over one time line, as in the PSP paper.
 * Events are numbers on one heap: a crawler is free, a server may be asked, a page changes (only when changes are
 * drawn), statistics, capacity allows the next fetch, the server that a crawler waited for may be asked. All events of an instant come before its decisions.
 */
import type { Random } from '../base/random.ts'
import type { Changes } from './changes.ts'
import { meanAge, staleShare } from './freshness.ts'
import { Heap } from './heap.ts'
import type { Policy } from './policy.ts'
import { type Scenario, totalWeight } from './scenario.ts'

export interface ArenaOptions {
  /** Draws what policies observe, and nothing else when there are `changes`. */
  random: Random
  /** Undefined: staleness is the exact expectation only. */
  changes: Changes | undefined
  /** Statistics every so many seconds; 0: none. */
  every: number
  /** Keeps every look. */
  isDetailed: boolean
}

/** Means since 0, weighted. Ages in seconds. */
export interface Statistics {
  at: number
  /** The exact expectation for Poisson changes, given when the looks were. */
  staleness: number
  age: number
  /** What drawn changes gave. */
  stalenessSampled?: number
  ageSampled?: number
  fetches: number
}

/** A time is never compared closer than this: one ulp of a day's seconds is far smaller. */
const MOMENT = 1e-9

export class Arena {
  fetches = 0
  planned = 0
  dropped = 0
  /** Requests to a server sooner after another than politeness allows, counted apart from what decides. */
  violations = 0
  readonly statistics: Statistics[] = []
  /** With `isDetailed`: the looks of each page. */
  readonly realised: number[][] | undefined
  now = 0

  private readonly scenario: Scenario
  private readonly policy: Policy
  private readonly options: ArenaOptions
  private readonly weights: number
  /** Of pages: the last look; while stale by drawn changes, since when (else -1). */
  private readonly last: Float64Array
  private readonly staleSince: Float64Array
  /** Of servers: when the last request began. Of crawlers: until when they are busy. */
  private readonly started: Float64Array
  private readonly busyUntil: Float64Array
  private readonly idle: Uint32Array
  private idleFirst = 0
  private idleCount = 0
  private readonly timeline = new Heap(1024)
  private readonly ready = new Heap(1024)
  /** Of an eager policy: servers that may be asked and have nothing worth it yet, by when they will. */
  private readonly asleep = new Heap(1024)
  private stale = 0
  private aged = 0
  private staleSampled = 0
  private agedSampled = 0
  private nextStatistics: number
  private nextToken: number
  private isTokenDue = false
  private readonly tokenEvery: number
  private until = 0
  private fetchesBefore = 0
  /** Of crawlers that wait for a server: the page. */
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
    this.last = new Float64Array(pages)
    this.staleSince = new Float64Array(options.changes === undefined ? 0 : pages).fill(-1)
    this.started = new Float64Array(servers).fill(Number.NEGATIVE_INFINITY)
    this.busyUntil = new Float64Array(crawlers)
    this.idle = new Uint32Array(crawlers)
    this.held = new Uint32Array(crawlers)
    this.nextStatistics = options.every
    const page = crawlers + servers
    this.events = { server: crawlers, page, statistics: page + pages, token: page + pages + 1, held: page + pages + 2 }
    let speed = 0
    for (const rate of scenario.crawlers) speed += rate
    const allowed = scenario.capacity / scenario.horizon
    this.tokenEvery = policy.isPaced && allowed < speed * (1 - MOMENT) ? 1 / allowed : 0
    this.nextToken = this.tokenEvery / 2
    this.realised = options.isDetailed ? Array.from({ length: pages }, () => []) : undefined
  }

  /** One horizon more, from where the last one ended. Begins what `step` carries on. */
  begin(): void {
    const { policy, timeline } = this
    const from = this.until
    this.until = from + this.scenario.horizon
    this.planned = policy.begin(from)
    this.fetchesBefore = this.fetches
    this.ready.clear()
    this.asleep.clear()
    this.idleCount = 0
    this.isTokenDue = false
    // Drawn changes stay on the line; who does what is set up anew.
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

  /** Up to `events` events further; false when the horizon has ended. */
  step(events: number): boolean {
    const { timeline, until } = this
    const { page: pageEvents, server: serverEvents, statistics, token, held } = this.events
    for (let left = events; left > 0; left--) {
      if (timeline.size === 0 || timeline.topKey() >= until) {
        this.end()
        return false
      }
      this.now = timeline.topKey()
      const event = timeline.pop()
      if (event < serverEvents) this.idle[(this.idleFirst + this.idleCount++) % this.idle.length] = event
      else if (event < pageEvents) this.enter(event - serverEvents)
      else if (event < statistics) this.staleSince[event - pageEvents] = this.now
      else if (event === statistics) this.report()
      else if (event === token) this.isTokenDue = false
      else this.visit(this.held[event - held], event - held)
      if (timeline.size === 0 || timeline.topKey() > this.now) this.decide()
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
      if (this.staleSince[page] < 0) continue
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

  /** A server may be asked: it is ready, or not worth it yet, or has nothing more. */
  private enter(server: number): void {
    const { policy, now } = this
    const due = policy.due(server, now)
    if (due === Number.POSITIVE_INFINITY) return
    if (due <= now) this.ready.push(policy.rank(server, now), server)
    else if (policy.isEager) this.asleep.push(due, server)
    else if (due < this.until) this.timeline.push(due, this.events.server + server)
  }

  /** A server may not be asked before `polite`. Whoever knows already when it has something to fetch waits for that too. */
  private wait(server: number, polite: number): void {
    const { policy, timeline } = this
    const at = policy.isEager ? polite : Math.max(polite, policy.due(server, polite))
    if (at <= this.now) this.enter(server)
    else if (at < this.until) timeline.push(at, this.events.server + server)
  }

  private decide(): void {
    const { ready, asleep, policy } = this
    while (this.idleCount > 0) {
      if (this.tokenEvery > 0 && this.now < this.nextToken) {
        if (!this.isTokenDue) this.timeline.push(this.nextToken, this.events.token)
        this.isTokenDue = true
        return
      }
      while (asleep.size > 0 && asleep.topKey() <= this.now) this.enter(asleep.pop())
      policy.crowd(ready.size)
      if (ready.size === 0 && asleep.size === 0) return
      const server = ready.size > 0 ? ready.pop() : asleep.pop()
      if (policy.isStrict) this.hold(server)
      else this.fetch(server)
    }
  }

  private fetch(server: number): void {
    const page = this.policy.take(server, this.now)
    this.claim(server, this.now)
    this.visit(page, this.anyIdle())
    this.wait(server, this.now + this.scenario.politeness)
  }

  /** The next page in the queue, whether its server may be asked or not: its crawler waits for that. */
  private hold(server: number): void {
    const crawler = this.anyIdle()
    this.held[crawler] = this.policy.take(server, this.now)
    const at = Math.max(this.now, this.started[server] + this.scenario.politeness)
    this.timeline.push(at, this.events.held + crawler)
    if (at < this.until) this.claim(server, at)
    this.enter(server)
  }

  /** The crawler that has been idle for longest. */
  private anyIdle(): number {
    const crawler = this.idle[this.idleFirst]
    this.idleFirst = (this.idleFirst + 1) % this.idle.length
    this.idleCount--
    return crawler
  }

  /** A request to the server starts then. */
  private claim(server: number, at: number): void {
    if (at + MOMENT < this.started[server] + this.scenario.politeness) this.violations++
    this.started[server] = at
    this.fetches++
    this.nextToken += this.tokenEvery
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

  /** Closes the gap since the last look. Returns whether the look found a change, drawn if somebody wants to know. */
  private look(page: number, elapsed: number): boolean {
    const { now } = this
    const weight = this.scenario.weight[page]
    const u = this.scenario.rate[page] * elapsed
    const share = staleShare(u)
    this.stale += weight * elapsed * share
    this.aged += weight * elapsed * elapsed * meanAge(u, share)
    this.last[page] = now
    this.realised?.[page].push(now)
    const { changes } = this.options
    if (changes === undefined) return this.policy.observes && this.options.random.next() > Math.exp(-u)
    if (this.staleSince[page] < 0) return false
    const d = now - this.staleSince[page]
    this.staleSampled += weight * d
    this.agedSampled += (weight * d * d) / 2
    this.staleSince[page] = -1
    changes.pass(page, now)
    this.timeline.push(changes.next[page], this.events.page + page)
    return true
  }

  /** Pages that are fresh have their next change on the line; stale ones draw it at their next look. */
  private pendingChanges(): Uint32Array {
    const pages = Uint32Array.from(this.staleSince.keys())
    return pages.filter((page) => this.staleSince[page] < 0 && this.scenario.rate[page] > 0)
  }
}
