/**
 * Estimates how often a page changes, from looks that only say whether it did.
 *
 * A page has three numbers: looks that found a change, the sum of the intervals those looks ended, and the sum of the
 * unchanged intervals. The estimate is exact for equal intervals. A page that was hardly looked at shares what the other
 * pages of its site have taught: the prior is the site's own rate, halved, because a prior must err low. A rate ten times
 * too high hides a page for ever; one ten times too low costs 2 %.
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
/** How many looks a prior is worth. */
const PRIOR_LOOKS = 0.5
/** By this factor a site's prior errs low. */
const LOW = 0.5
/** Two-sided 90 %: the normal quantile, and the same for a page never seen to change (−ln 0.05). */
const NINETY = { z: 1.645, unchanged: 3 }

export function estimateRate({ changes, changed, unchanged }: Looks, prior: number): number {
  const mean = (PRIOR_LOOKS * Math.LN2) / prior
  const time = changed + mean
  return ((changes + PRIOR_LOOKS) / time) * Math.log1p(time / (unchanged + mean))
}

/** The prior for a page of a site whose pages have shown this, together. */
export function sitePrior(site: Looks, first = FIRST_PRIOR): number {
  return site.changed + site.unchanged > 0 ? LOW * estimateRate(site, first) : first
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

/** Cho & Garcia-Molina's estimator for regular looks. */
export function estimateRegular(looks: number, changes: number, interval: number): number {
  return -Math.log((looks - changes + 0.5) / (looks + 0.5)) / interval
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
