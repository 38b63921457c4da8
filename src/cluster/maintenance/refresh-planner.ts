/**
 * The planner of refreshing (B1), called once a second by one process: it enrols the pages that earlier crawls collected, adapts
 * what a look must be worth to what may be spent, and measures how fresh the collection is. What it decides is in the
 * tables, so another process goes on where it ended.
 */
import type { Millis } from '../../base/clock.ts'
import { readLooks } from '../../collection/counters/counters.ts'
import type { SharedRole } from '../../database/postgres/election.ts'
import type { Ledger } from '../../frontier/contract.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import {
  type Freshness,
  Measure,
  type MeasureParts,
  measureFreshness,
  recordedFreshness,
  recordFreshness,
} from './measure-freshness.ts'

export interface PlannerParts extends MeasureParts {
  ledger: Pick<Ledger, 'enrol' | 'setPrice'>
  /** Of the process that plans. */
  role: SharedRole
  /** Reads again what the weights of pages depend on. */
  renewWeights(): Promise<void>
}

/** Work of one tick, at most. */
const ENROL_FOR: Millis = 200
const MEASURE_FOR: Millis = 200
const FIRST_URLS = 500
const MAX_URLS = 20_000
/** A transaction should take about this long. */
const ENROL_AT_ONCE: Millis = 50
const PRICE_EVERY: Millis = 10_000
/** Looks per second are counted over this time. */
const WINDOW: Millis = 120_000
const MEASURE_EVERY: Millis = 60_000
/** A measure takes at most this share of the time. */
const MEASURE_SHARE = 0.05
const WEIGHTS_EVERY: Millis = 24 * 3_600_000
/** Pages measured at the end, which may not take long. */
const PAGES_AT_END = 100_000

export class RefreshPlanner {
  readonly #parts: PlannerParts
  #urlsAtOnce = FIRST_URLS
  #isOurs = false
  #isEnrolled = false
  #nextPrice = 0
  #samples: { at: Millis; looks: number }[] = []
  #measure: Measure | undefined
  #measureTook = 0
  #nextMeasure = 0
  #last: Freshness | undefined
  #nextWeights: Millis

  constructor(parts: PlannerParts) {
    this.#parts = parts
    this.#nextWeights = parts.clock.elapsed() + WEIGHTS_EVERY
  }

  /** This process still has to enrol pages of earlier crawls. */
  get isEnrolling(): boolean {
    return this.#isOurs && !this.#isEnrolled
  }

  async tick(): Promise<void> {
    const { clock, role, renewWeights } = this.#parts
    this.#isOurs = await role.isOurs()
    if (!this.#isOurs) return
    if (clock.elapsed() >= this.#nextWeights) {
      this.#nextWeights = clock.elapsed() + WEIGHTS_EVERY
      await renewWeights()
    }
    if (!this.#isEnrolled) await this.#enrolSome()
    if (clock.elapsed() >= this.#nextPrice) {
      this.#nextPrice = clock.elapsed() + PRICE_EVERY
      await this.#adaptPrice()
    }
    // Before its pages are enrolled, a measurement of a collection says little.
    if (this.#isEnrolled && clock.elapsed() >= this.#nextMeasure) await this.#measureSome()
  }

  /** A run of less than a minute would report how fresh the pages were before it. */
  async finish(): Promise<void> {
    await this.#parts.role.release()
    if (!this.#isOurs || !this.#isEnrolled) return
    const measured = await measureFreshness({ ...this.#parts, maxPages: PAGES_AT_END })
    if (measured !== undefined) await this.#parts.database.transact((tx) => recordFreshness(tx, measured))
  }

  async #enrolSome(): Promise<void> {
    const { clock, database, ledger } = this.#parts
    const until = clock.elapsed() + ENROL_FOR
    while (!this.#isEnrolled && clock.elapsed() <= until) {
      const began = clock.elapsed()
      this.#isEnrolled = !(await database.transact((tx) => ledger.enrol(tx, this.#urlsAtOnce)))
      const took = clock.elapsed() - began
      const next = took > ENROL_AT_ONCE ? this.#urlsAtOnce / 2 : this.#urlsAtOnce * 2
      this.#urlsAtOnce = Math.min(MAX_URLS, Math.max(1, Math.floor(next)))
    }
  }

  async #adaptPrice(): Promise<void> {
    const { clock, database, ledger, capacity } = this.#parts
    const now = clock.elapsed()
    await database.transact(async (tx) => {
      const [price, { sites, urls }, { performed: looks }] = await Promise.all([
        frontierQueries.price(tx),
        frontierQueries.totals(tx),
        readLooks(tx),
      ])
      this.#samples = [...this.#samples.filter(({ at }) => at >= now - WINDOW), { at: now, looks }]
      const [first] = this.#samples
      const before = this.#samples.at(-2)
      if (before === undefined) return
      this.#last ??= await recordedFreshness(tx)
      const next = nextPrice({
        price,
        target: capacity,
        bound: this.#last?.price ?? 0,
        usual: this.#last?.meanValue ?? 0,
        looks: looks - before.looks,
        perSecond: ((looks - first.looks) * 1000) / (now - first.at),
        free: sites.free,
        leased: sites.leased,
        pages: urls.refreshing,
      })
      if (next === price) return
      await ledger.setPrice(tx, next)
      // Looks made at a very different price say nothing about this one.
      if (next > price * FAR || next < price / FAR) this.#samples = this.#samples.slice(-1)
    })
  }

  async #measureSome(): Promise<void> {
    const { clock, database } = this.#parts
    const began = clock.elapsed()
    this.#measure ??= new Measure(this.#parts)
    let isMore = true
    while (isMore && clock.elapsed() - began <= MEASURE_FOR) isMore = await this.#measure.step()
    const measured = isMore ? undefined : this.#measure.result()
    this.#measureTook += clock.elapsed() - began
    if (isMore) return
    this.#nextMeasure = clock.elapsed() + Math.max(MEASURE_EVERY, this.#measureTook / MEASURE_SHARE)
    this.#measureTook = 0
    this.#measure = undefined
    if (measured === undefined) return
    this.#last = measured
    await database.transact((tx) => recordFreshness(tx, measured))
  }
}

export interface PriceFacts {
  price: number
  /** Looks per second that the operator wants to spend; undefined: as many as politeness and the workers permit. */
  target: number | undefined
  /** The price at the bound for that target, and what a look is worth on average; 0: not known yet. */
  bound: number
  usual: number
  /** Looks since the last time, and per second over some minutes. */
  looks: number
  perSecond: number
  /** Sites that may be asked now, and those that are being visited. */
  free: number
  leased: number
  /** Known pages. */
  pages: number
}

/** The share of the error that is corrected at once: the rate is seen minutes later, and a larger one would swing. */
const GAIN = 0.12
/** Further from the price of the bound it is not corrected but set. */
const FAR = 8
/** This many free sites are taken before the next tick. */
const FEW = 20
/** Below this part of what a look is worth, the price is 0. */
const NEGLIGIBLE = 1e-4
/** At most e^5-fold while every page is looked at once: if faster, sites would chase the price. */
const step = (looks: number, pages: number) => Math.min(0.5, looks * Math.min(0.02, 5 / Math.max(1, pages)))
const MIN_FALL = 0.05

/** What a look must be worth from now on. */
export function nextPrice(facts: PriceFacts): number {
  const { price, target, usual } = facts
  const next = target === undefined ? byFreeSites(facts) : byTarget(facts, target)
  if (next >= price && price > 0) return next
  return next < usual * NEGLIGIBLE ? 0 : next
}

/** Looks fall about with the root of the price. */
function byTarget({ price, bound, usual, perSecond }: PriceFacts, target: number): number {
  if (bound > 0 && (price < bound / FAR || price > bound * FAR)) return bound
  if (price === 0) return perSecond > target ? usual / 10 : 0
  return price * Math.min(1.25, Math.max(0.8, (perSecond / target) ** GAIN))
}

/** Rises only while more sites are free than workers take. */
function byFreeSites({ price, usual, looks, free, leased, pages }: PriceFacts): number {
  if (free === 0) return price * Math.exp(-Math.max(MIN_FALL, step(looks, pages)))
  if (free <= Math.max(FEW, leased)) return price
  return price === 0 ? usual / 10 : price * Math.exp(step(looks, pages))
}
