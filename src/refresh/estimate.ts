/**
 * Estimates how often a page changes, from looks that only say whether it did.
 *
 * A page has three numbers: looks that found a change, the sum of the intervals those looks ended, and the sum of the
 * unchanged intervals. A page that was hardly looked at shares what the other pages of its site have taught: the prior is
 * the site's own rate, halved, because a prior must err low. A rate ten times too high hides a page for ever; one ten
 * times too low costs 2 %.
 *
 * Rates of a site differ by orders of magnitude, so the prior is a distribution of ln λ, logistic around the prior rate.
 * Its pull is bounded: a page far from the others of its site is believed after a few changes.
 */

/** What looks have shown of a page, or of all pages of a site together. Times in seconds. */
export interface Looks {
  changes: number
  /** The sum of the intervals in which it changed. */
  changed: number
  /** The sum of those in which it did not. */
  unchanged: number
}

/** Before the first look at any page of a site: once in 30 days. */
export const FIRST_PRIOR = 1 / (30 * 86_400)
/**
 * The prior counts for at most this many changes, seen or missed. It is the inverse width of the logistic distribution,
 * whose standard deviation is then a factor of 3.6. Of 1 to 2, 1.4 did best for rates from narrow to heavy-tailed.
 */
const PULL = 1.4
/** By this factor a site's prior errs low. */
const LOW = 0.5
/** Two-sided 90 %: the normal quantile, and the same for a page never seen to change (−ln 0.05). */
const NINETY = { z: 1.645, unchanged: 3 }

/** No estimate is further from its prior, as ln λ. */
const FURTHEST = 25
/** Of ln λ. */
const TOLERANCE = 1e-6

/**
 * The most probable ln λ: X·u/(eᵘ − 1) − λS = pull, with u = λC/X for X changes in C and none in S. The left side falls
 * with λ and the pull grows, so Newton's steps between bounds find the only solution, most often in four steps. Exact for equal
 * intervals. For Poisson changes it was as good as the mean of the posterior distribution.
 */
export function estimateRate({ changes, changed, unchanged }: Looks, prior: number): number {
  if (changes === 0 && unchanged === 0) return prior
  const interval = changes > 0 ? changed / changes : 0
  const from = Math.log(prior)
  let low = from - FURTHEST
  let high = from + FURTHEST
  let log = Math.log(startFor(changes, interval, unchanged, prior))
  for (let step = 0; step < 100; step++) {
    if (!(log > low && log < high)) log = (low + high) / 2
    const rate = Math.exp(log)
    const u = rate * interval
    // u/(eᵘ − 1), and its derivative by ln λ.
    const seen = u < 1e-8 ? 1 : u / Math.expm1(u)
    const slope = seen * (1 - u - seen)
    const pull = Math.tanh((PULL / 2) * (log - from))
    const excess = changes * seen - rate * unchanged - PULL * pull
    const fall = rate * unchanged - changes * slope + (PULL ** 2 / 2) * (1 - pull ** 2)
    if (excess > 0) low = log
    else high = log
    const next = log + excess / fall
    if (Math.abs(next - log) < TOLERANCE || high - low < TOLERANCE) return rate
    log = next
  }
  return Math.exp(log)
}

/** Near the solution: exact without a prior, and right in order of magnitude where only the prior bounds it. */
function startFor(changes: number, interval: number, unchanged: number, prior: number): number {
  if (changes === 0) return prior / (1 + (prior * unchanged) / PULL)
  return Math.log1p((changes * interval) / (unchanged + PULL * interval)) / interval
}

/** The prior for a page of a site whose pages have shown this, together. */
export function sitePrior(site: Looks, first = FIRST_PRIOR): number {
  return LOW * estimateRate(site, first / LOW)
}

/** Between which rates the true one lies, with 90 % confidence, by the information that the looks hold. */
export function rateRange({ changes, changed, unchanged }: Looks, rate: number): readonly [low: number, high: number] {
  if (changes === 0) return [0, unchanged > 0 ? NINETY.unchanged / unchanged : Number.POSITIVE_INFINITY]
  const u = (rate * changed) / changes
  // How well ln λ is known: a look that was nearly sure to find a change tells little.
  const information = changes * u * u * (Math.exp(-u) / Math.expm1(-u) ** 2)
  const spread = Math.exp(NINETY.z / Math.sqrt(Math.max(information, 1e-6)))
  return [rate / spread, rate * spread]
}

/** The estimates of all pages, as columns. */
export class Estimates {
  readonly rate: Float64Array
  private readonly first: number
  private readonly site: ArrayLike<number>
  /** Per page, then per site. */
  private readonly pages: Columns
  private readonly sites: Columns

  /** `site`: of each page. `first`: the prior before the first look at a site. */
  constructor(site: ArrayLike<number>, first = FIRST_PRIOR) {
    this.first = first
    this.site = site
    this.rate = new Float64Array(site.length).fill(first)
    this.pages = new Columns(site.length)
    let sites = 0
    for (let page = 0; page < site.length; page++) sites = Math.max(sites, site[page] + 1)
    this.sites = new Columns(sites)
  }

  observe(page: number, interval: number, isChanged: boolean): void {
    const of = this.sites.add(this.site[page], interval, isChanged)
    this.rate[page] = estimateRate(this.pages.add(page, interval, isChanged), sitePrior(of, this.first))
  }
}

class Columns {
  private readonly changes: Float64Array
  private readonly changed: Float64Array
  private readonly unchanged: Float64Array
  constructor(length: number) {
    this.changes = new Float64Array(length)
    this.changed = new Float64Array(length)
    this.unchanged = new Float64Array(length)
  }

  add(at: number, interval: number, isChanged: boolean): Looks {
    if (isChanged) {
      this.changes[at]++
      this.changed[at] += interval
    } else this.unchanged[at] += interval
    return { changes: this.changes[at], changed: this.changed[at], unchanged: this.unchanged[at] }
  }
}
