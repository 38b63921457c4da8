/**
 * Estimates how often a page changes from looks that only say whether it did. Three numbers per page: looks that found
 * a change, the sum of the intervals they ended, and the sum of the unchanged ones. Exact for equal intervals.
 */

/** How many looks the prior is worth. */
const PRIOR_LOOKS = 0.5

/** The prior must err low: a rate ten times too high hides a page for ever; one ten times too low costs 2 %. */
export function estimateRate(changes: number, changedTime: number, unchangedTime: number, prior: number): number {
  const mean = (PRIOR_LOOKS * Math.LN2) / prior
  const changed = changedTime + mean
  return ((changes + PRIOR_LOOKS) / changed) * Math.log1p(changed / (unchangedTime + mean))
}

/** Cho & Garcia-Molina's estimator for regular looks. */
export function estimateRegular(looks: number, changes: number, interval: number): number {
  return -Math.log((looks - changes + 0.5) / (looks + 0.5)) / interval
}

export class Estimates {
  readonly rate: Float64Array
  private readonly changes: Float32Array
  private readonly changedTime: Float64Array
  private readonly unchangedTime: Float64Array
  private readonly prior: number

  constructor(pages: number, prior: number) {
    this.rate = new Float64Array(pages).fill(prior)
    this.changes = new Float32Array(pages)
    this.changedTime = new Float64Array(pages)
    this.unchangedTime = new Float64Array(pages)
    this.prior = prior
  }

  observe(page: number, interval: number, isChanged: boolean): void {
    if (isChanged) {
      this.changes[page]++
      this.changedTime[page] += interval
    } else this.unchangedTime[page] += interval
    this.rate[page] = estimateRate(this.changes[page], this.changedTime[page], this.unchangedTime[page], this.prior)
  }
}
