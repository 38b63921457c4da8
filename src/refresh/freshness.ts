/**
 * The model: a page changes as a Poisson process of rate λ, so `d` seconds after a look it is stale with probability 1
 * − e^(−λd). All functions take u = λd and stay accurate for tiny u, where the plain formulas cancel.
 */

/** Below this the series is used; its first omitted term is under 10⁻¹⁴ there. */
const SMALL = 0.02

/** The mean share of a gap in which the page is stale: 1 − (1 − e^(−u))/u. */
export function staleShare(u: number): number {
  if (u < SMALL) return (u / 2) * (1 - (u / 3) * (1 - (u / 4) * (1 - (u / 5) * (1 - (u / 6) * (1 - u / 7)))))
  return 1 - (1 - Math.exp(-u)) / u
}

/** The mean age over a gap, in units of the gap: 1/2 − 1/u + (1 − e^(−u))/u². `stale` is `staleShare(u)`. */
export function meanAge(u: number, stale: number): number {
  if (u < 0.1)
    return (u / 6) * (1 - (u / 4) * (1 - (u / 5) * (1 - (u / 6) * (1 - (u / 7) * (1 - (u / 8) * (1 - u / 9))))))
  return 0.5 - stale / u
}

/** h(u) = 1 − (1 + u)·e^(−u): what a look is worth after u expected changes, in units of w/λ. */
export function worth(u: number): number {
  if (u < SMALL) return ((u * u) / 2) * (1 - u * (2 / 3 - u * (1 / 4 - u * (1 / 15 - u * (1 / 72 - u / 420)))))
  return 1 - (1 + u) * Math.exp(-u)
}

/**
 * h from a table of h(u)/u², which is smooth down to 0: the relative error is at most `ROUGH`, in a quarter of the time
 * of `worth`.
 */
export const ROUGH = 2e-5
const CELLS = 256
const END = 16
const QUOTIENTS = Float64Array.from({ length: END * CELLS + 2 }, (_, i) =>
  i === 0 ? 0.5 : worth(i / CELLS) / (i / CELLS) ** 2,
)

export function roughWorth(u: number): number {
  if (u >= END) return 1
  const at = u * CELLS
  const left = at | 0
  const low = QUOTIENTS[left]
  return u * u * (low + (at - left) * (QUOTIENTS[left + 1] - low))
}

/**
 * h⁻¹ from a table over q = √(−ln(1 − v)), in which it is nearly linear. Interpolation is right to about 10⁻⁵, enough
 * to search prices; `worthInverse` is exact to rounding.
 */
const STEPS = 8192
const LAST_Q = 6.2
const TABLE = fillTable()

export function roughWorthInverse(v: number): number {
  if (v >= 1) return Number.POSITIVE_INFINITY
  if (v < 1e-5) return Math.sqrt(2 * v) + (2 / 3) * v
  const at = Math.sqrt(-Math.log(1 - v)) * (STEPS / LAST_Q)
  const left = at | 0
  return TABLE[left] + (at - left) * (TABLE[left + 1] - TABLE[left])
}

export function worthInverse(v: number): number {
  let u = roughWorthInverse(v)
  if (u === 0 || u === Number.POSITIVE_INFINITY) return u
  // h′(u) = u·e^(−u). From 10⁻⁵ two steps reach rounding; near v = 1 the slope is too small for more to help.
  for (let step = 0; step < 2; step++) {
    const next = u - (worth(u) - v) / (u * Math.exp(-u))
    if (!(next > 0 && next < 2 * u)) break
    u = next
  }
  return u
}

function fillTable(): Float64Array {
  const table = new Float64Array(STEPS + 2)
  let u = 0
  for (let i = 1; i < table.length; i++) {
    const z = ((i * LAST_Q) / STEPS) ** 2
    // z = u − ln(1 + u), by Newton from the entry before.
    if (u === 0) u = Math.sqrt(2 * z)
    for (let step = 0; step < 50; step++) u -= ((u - Math.log1p(u) - z) * (1 + u)) / u
    table[i] = u
  }
  return table
}

/** The gain in weighted freshness when a page with `x` evenly spread updates gets one more; a = λT. */
export function gain(weight: number, a: number, x: number): number {
  const u = a / (x + 1)
  if (u < 0.5) return weight * (staleShare(u) - staleShare(a / (x + 2)))
  // While a page changes far more often than it is updated, each update gains exactly the same: a true tie.
  return (weight / a) * (1 - (x + 2) * Math.exp(-a / (x + 2)) + (x + 1) * Math.exp(-u))
}

/**
 * The index policy's arithmetic (Olston & Pandey 2008): a look at a page is worth V = (w/λ)·h(λτ), τ since its last
 * look. Fetch the page worth most among free servers if it is worth the price. There is no plan, and nothing to solve
 * again when capacity changes.
 */

/** What a look is worth now. `elapsed`: since the last look. */
export function value(rate: number, weight: number, elapsed: number): number {
  return (weight / rate) * worth(rate * elapsed)
}

/** How long after a look a page is worth the price; Infinity: never. */
export function timeToReach(rate: number, weight: number, price: number): number {
  return roughWorthInverse((price * rate) / weight) / rate
}

/**
 * Pages of a server are queued by class, oldest look first. Within a class they are worth nearly the same, so the best
 * page of a server is one of the heads.
 */
export interface Classes {
  count: number
  of(rate: number, weight: number): number
}

const BY_RATE = 64
/** The range of classes while rates are learnt: from once in three years to once in a minute. */
export const LEARNT_RATES = [1e-8, 1 / 60] as const
/**
 * With weights, a class is a cell of w·λ and λ. With Zipf weights, index was 0.6 % above the bound; with 64 × 4 cells,
 * 3 %.
 */
const CLASS_CELLS = { product: 32, rate: 16 }
/**
 * Classes by log λ. If weights differ, by log w·λ (V is nearly w·λ·τ²/2 until a change is likely) and by log λ (for
 * later). Ranges are of positive numbers.
 */
export function classes(rates: readonly [number, number], weights: readonly [number, number]): Classes {
  if (weights[0] === weights[1]) return { count: BY_RATE, of: steps(rates, BY_RATE) }
  const byProduct = steps([rates[0] * weights[0], rates[1] * weights[1]], CLASS_CELLS.product)
  const byRate = steps(rates, CLASS_CELLS.rate)
  return {
    count: CLASS_CELLS.product * CLASS_CELLS.rate,
    of: (r, w) => byProduct(r * w) * CLASS_CELLS.rate + byRate(r),
  }
}

function steps([low, high]: readonly [number, number], count: number): (x: number) => number {
  const from = Math.log(low)
  const scale = high > low ? count / (Math.log(high) - from) : 0
  return (x) => Math.min(count - 1, Math.max(0, Math.floor((Math.log(x) - from) * scale)))
}
