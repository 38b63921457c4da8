/**
 * How fresh a collection is now (B1), how old its pages are (P8), how fresh it could be at this politeness and capacity, and
 * what more of either would bring. Pages are columns of numbers, read some thousands at a time. Of more than a million pages a sample is measured:
 * whole sites in the order of their keys, which are hashes.
 */
import { type Clock, type Instant, type Millis, turn } from '../../base/clock.ts'
import { noteFreshness } from '../../collection/counters/counters.ts'
import { answerTimes } from '../../collection/pages/read-pages.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { KnownPageRow, SeedPosition } from '../../frontier/contract.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { readRecord, writeRecord } from '../../frontier/records.ts'
import { bestRatesWithin, type Rates } from '../../refresh/bounds.ts'
import { value } from '../../refresh/freshness.ts'
import type { Statistics } from '../wire/calls.ts'

/** The API returns it, except for what only the planner uses. */
export type Freshness = NonNullable<Statistics['freshness']> & {
  /** What a look is worth at the bound (0 when only pauses limit it), and on average now. */
  price: number
  meanValue: number
}

/** Without what only the planner uses. */
export function publicFreshness({ price: _price, meanValue: _value, ...rest }: Freshness) {
  return rest
}

export interface MeasureParts {
  database: Database
  clock: Clock
  /** The configured pause of a site. */
  defaultPause(site: SiteName): Millis
  /** Between any two requests to the address of a site; 0 where only the site's own pause holds. */
  addressPause(site: SiteName): Millis
  /** Looks per second; undefined: only pauses limit them. */
  capacity: number | undefined
  /** Freshness that a look must bring. */
  minGain: Millis
  /** Maximum pages measured; the last site may exceed it. */
  maxPages?: number
}

const MAX_PAGES = 1_000_000
/** Some milliseconds each. */
const PAGES_AT_ONCE = 2000
const SITES_AT_ONCE = 500
/** Where no page of a site was kept. */
const USUAL_ANSWER: Millis = 300
/** Without it, a host that answers at once could be asked any number of times. */
const LEAST_SECONDS = 0.001
const SHORTER = 0.9

export async function measureFreshness(parts: MeasureParts): Promise<Freshness | undefined> {
  const measure = new Measure(parts)
  while (await measure.step()) await turn()
  return measure.result()
}

/** A measure in pieces, the longest of which takes about a second for a million pages: call `step` until it answers false. */
export class Measure {
  readonly #parts: MeasureParts
  readonly #rates: number[] = []
  readonly #weights: number[] = []
  readonly #sites: bigint[] = []
  /** The first page of each site. */
  readonly #starts: number[] = []
  readonly #pauses: Millis[] = []
  readonly #answers: (Millis | undefined)[] = []
  readonly #shared = new SharedAddresses()
  #usualAnswer: Millis | undefined
  #last: SeedPosition | undefined
  #isReading = true
  #totals = { pages: 0, weight: 0, fresh: 0, age: 0, value: 0 }
  /** The bound now, with one more look per second, with shorter pauses. */
  readonly #solved: Rates[] = []

  constructor(parts: MeasureParts) {
    this.#parts = parts
  }

  async step(): Promise<boolean> {
    const { database, capacity = Number.POSITIVE_INFINITY } = this.#parts
    if (this.#isReading) this.#isReading = await database.read((tx) => this.#readPages(tx))
    else if (this.#pauses.length < this.#sites.length) await database.read((tx) => this.#readSites(tx))
    else if (this.#solved.length === 0) this.#solve(capacity, 1)
    // Where only pauses limit it, more capacity brings nothing.
    else if (this.#solved.length === 1 && capacity < Number.POSITIVE_INFINITY) this.#solve(capacity + 1, 1)
    else if (this.#solved.length === 1) this.#solved.push(this.#solved[0])
    else this.#solve(capacity, SHORTER)
    return this.#solved.length < 3
  }

  #solve(capacity: number, pauseFactor: number): void {
    const minPrice = this.#parts.minGain / 1000
    const starts = [...this.#starts, this.#rates.length]
    const { groups, caps } = this.#shared.group(this.#caps(pauseFactor), (site) => this.#answerOf(site))
    const members = new Uint32Array(this.#rates.length)
    const start = new Uint32Array(groups.length + 1)
    let size = 0
    for (const [at, sites] of groups.entries()) {
      for (const site of sites) for (let page = starts[site]; page < starts[site + 1]; page++) members[size++] = page
      start[at + 1] = size
    }
    const pages = { rate: Float64Array.from(this.#rates), weight: Float64Array.from(this.#weights), members, start }
    this.#solved.push(bestRatesWithin(pages, caps, capacity * this.#share(), minPrice))
  }

  /** Of all pages, those that are measured. */
  #share(): number {
    return Math.min(1, this.#rates.length / Math.max(1, this.#totals.pages))
  }

  async #readPages(tx: Tx): Promise<boolean> {
    const { maxPages = MAX_PAGES, clock } = this.#parts
    if (this.#last === undefined) this.#totals.pages = (await frontierQueries.totals(tx)).urls.refreshing
    const rows = await frontierQueries.knownPages(tx, this.#last, PAGES_AT_ONCE)
    const now = clock.now()
    for (const row of rows) {
      if (row.site !== this.#sites.at(-1)) {
        if (this.#rates.length >= maxPages) return false
        this.#sites.push(row.site)
        this.#starts.push(this.#rates.length)
      }
      this.#add(row, now)
    }
    this.#last = rows.at(-1)
    return rows.length === PAGES_AT_ONCE
  }

  #add({ rate, weight, lookedAt }: KnownPageRow, now: Instant): void {
    const since = Math.max(0, now - lookedAt) / 1000
    // The chance that it has not changed, and for how long it has been changed.
    const fresh = Math.exp(-rate * since)
    this.#rates.push(rate)
    this.#weights.push(weight)
    this.#totals.weight += weight
    this.#totals.fresh += weight * fresh
    this.#totals.age += weight * Math.max(0, since + Math.expm1(-rate * since) / rate)
    this.#totals.value += value(rate, weight, since)
  }

  async #readSites(tx: Tx): Promise<void> {
    const keys = this.#sites.slice(this.#pauses.length, this.#pauses.length + SITES_AT_ONCE)
    const { defaultPause, addressPause } = this.#parts
    const [pauses, answers] = await Promise.all([frontierQueries.sitePauses(tx, keys), answerTimes(tx, keys)])
    for (const site of pauses) {
      if (site !== undefined && site.address !== null)
        this.#shared.add(site.address, this.#pauses.length, addressPause(site.name))
      this.#pauses.push(site === undefined ? 0 : Math.max(site.pause, defaultPause(site.name)))
    }
    this.#answers.push(...answers)
  }

  /** Undefined when there are no known pages. */
  result(): Freshness | undefined {
    const { clock, capacity } = this.#parts
    const { weight, fresh, age, value } = this.#totals
    const measured = this.#rates.length
    if (measured === 0 || weight === 0) return undefined
    const [bound, more, shorter] = this.#solved
    const freshness = fresh / weight
    return {
      at: clock.now(),
      pages: Math.max(this.#totals.pages, measured),
      measured,
      sites: this.#sites.length,
      freshness,
      ageSeconds: age / weight,
      bound: 1 - bound.staleness,
      stalenessRatio: bound.staleness > 0 ? (1 - freshness) / bound.staleness : null,
      boundLooks: bound.looks.reduce((a, b) => a + b, 0) / this.#share(),
      capacity: capacity ?? null,
      price: bound.price,
      meanValue: value / measured,
      gain: {
        oneMoreLook: Math.max(0, bound.staleness - more.staleness),
        shorterPause: Math.max(0, bound.staleness - shorter.staleness),
      },
    }
  }

  /** Looks per second that each site permits: the pause counts from the end of the answer. */
  #caps(pauseFactor: number): Float64Array {
    return Float64Array.from(this.#pauses, (pause, site) => capOf(pause * pauseFactor, this.#answerOf(site)))
  }

  #answerOf(site: number): Millis {
    this.#usualAnswer ??= meanOf(this.#answers.filter((ms) => ms !== undefined)) ?? USUAL_ANSWER
    return this.#answers[site] ?? this.#usualAnswer
  }
}

function meanOf(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : numbers.reduce((a, b) => a + b) / numbers.length
}

/** Sites that share an IP address also share its pause: many slow sites on one machine are one that is asked in turn. */
class SharedAddresses {
  readonly #at = new Map<string, { sites: number[]; pause: Millis }>()

  add(address: string, site: number, pause: Millis): void {
    const at = this.#at.get(address)
    if (at === undefined) this.#at.set(address, { sites: [site], pause })
    else {
      at.sites.push(site)
      at.pause = Math.max(at.pause, pause)
    }
  }

  /**
   * The sites that share one limit of requests: the sites of an address if its pause permits less than theirs do, else
   * each site alone. Within an address the sites' own limits are left out, so the bound stays one.
   */
  group(caps: Float64Array, answerOf: (site: number) => Millis): { groups: number[][]; caps: Float64Array } {
    const groups: number[][] = []
    const limits: number[] = []
    const isGrouped = new Uint8Array(caps.length)
    for (const { sites, pause } of this.#at.values()) {
      const limit = capOf(pause, meanOf(sites.map(answerOf)) ?? 0)
      if (pause === 0 || sites.length === 1 || sites.reduce((sum, site) => sum + caps[site], 0) <= limit) continue
      groups.push(sites)
      limits.push(limit)
      for (const site of sites) isGrouped[site] = 1
    }
    for (const [site, cap] of caps.entries()) {
      if (isGrouped[site] === 1) continue
      groups.push([site])
      limits.push(cap)
    }
    return { groups, caps: Float64Array.from(limits) }
  }
}

/** Looks per second at a host with this pause and answer time. */
export function capOf(pause: Millis, answer: Millis): number {
  return 1 / Math.max(LEAST_SECONDS, (pause + answer) / 1000)
}

export async function recordFreshness(tx: Tx, freshness: Freshness): Promise<void> {
  await writeRecord(tx, 'freshness', JSON.stringify(freshness))
  await noteFreshness(tx, freshness.at, freshness.freshness, freshness.bound)
}

/** The last one that was measured, by whichever server. */
export async function recordedFreshness(tx: Tx): Promise<Freshness | undefined> {
  const text = await readRecord(tx, 'freshness')
  return text === undefined ? undefined : (JSON.parse(text) as Freshness)
}
