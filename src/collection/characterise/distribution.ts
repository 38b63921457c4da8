/**
 * The distribution of a number, in bounded memory: integers up to 4,095 are counted exactly, larger ones in 256 steps per power
 * of two, so that a quantile is off by at most 0.4 %.
 */

const EXACT = 4096
const EXACT_BITS = 12
const STEPS = 256
const STEP_BITS = 8
/** Larger numbers are counted as the largest. */
const LARGEST_BITS = 45

export interface Bin {
  /** Both inclusive. */
  from: number
  to: number
  count: number
}

export type Summary = ReturnType<Distribution['summary']>

export class Distribution {
  readonly #counts = new Float64Array(EXACT + (LARGEST_BITS - EXACT_BITS) * STEPS)
  #count = 0
  #sum = 0
  #min = Number.POSITIVE_INFINITY
  #max = 0

  add(value: number, times = 1): void {
    const whole = Math.max(0, Math.round(value))
    this.#counts[binOf(whole)] += times
    this.#count += times
    this.#sum += whole * times
    this.#min = Math.min(this.#min, whole)
    this.#max = Math.max(this.#max, whole)
  }

  get count(): number {
    return this.#count
  }

  /** The smallest number that at least this share of the values does not exceed. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(this.#count * share - 1e-9))
    let seen = 0
    for (let at = 0; at < this.#counts.length; at++) {
      seen += this.#counts[at]
      if (seen >= rank) return Math.min(this.#max, lastOf(at))
    }
    return this.#max
  }

  summary() {
    const count = this.#count
    return {
      count,
      sum: this.#sum,
      mean: count === 0 ? 0 : this.#sum / count,
      min: count === 0 ? 0 : this.#min,
      median: this.quantile(0.5),
      p90: this.quantile(0.9),
      p99: this.quantile(0.99),
      p999: this.quantile(0.999),
      max: this.#max,
      /** By powers of two: 0, 1, 2–3, 4–7, … without empty bins at both ends. */
      histogram: this.#histogram(),
    }
  }

  #histogram(): Bin[] {
    const bins: Bin[] = []
    for (let at = 0; at < this.#counts.length; at++) {
      const count = this.#counts[at]
      const to = lastOf(at)
      const bits = to === 0 ? 0 : Math.floor(Math.log2(to)) + 1
      for (let next = bins.length; next <= bits && count > 0; next++) bins.push(bin(next))
      if (count > 0) bins[bits].count += count
    }
    const first = bins.findIndex((one) => one.count > 0)
    return first < 0 ? [] : bins.slice(first)
  }
}

export const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole)

function bin(bits: number): Bin {
  return bits === 0 ? { from: 0, to: 0, count: 0 } : { from: 2 ** (bits - 1), to: 2 ** bits - 1, count: 0 }
}

function binOf(value: number): number {
  if (value < EXACT) return value
  const bits = Math.floor(Math.log2(value))
  if (bits >= LARGEST_BITS) return EXACT + (LARGEST_BITS - EXACT_BITS) * STEPS - 1
  const step = Math.floor(value / 2 ** (bits - STEP_BITS)) - STEPS
  return EXACT + (bits - EXACT_BITS) * STEPS + step
}

/** The largest number in a bin. */
function lastOf(at: number): number {
  if (at < EXACT) return at
  const bits = EXACT_BITS + Math.floor((at - EXACT) / STEPS)
  const step = (at - EXACT) % STEPS
  return (STEPS + step + 1) * 2 ** (bits - STEP_BITS) - 1
}
