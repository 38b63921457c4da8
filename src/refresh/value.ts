/**
 * The index policy's arithmetic (Olston & Pandey 2008): a look at a page is worth V = (w/λ)·h(λτ), τ since its last look.
 * Fetch what is worth most among free servers, if it is worth the price; no plan, and nothing to solve again when
 * capacity changes.
 */
import { roughWorthInverse, worth } from './freshness.ts'

/** What a look is worth now. `elapsed`: since the last one, with what hints of change have added. */
export function value(rate: number, weight: number, elapsed: number): number {
  return (weight / rate) * worth(rate * elapsed)
}

/** How long after a look a page is worth the price; Infinity: it never will be. */
export function timeToReach(rate: number, weight: number, price: number): number {
  return roughWorthInverse((price * rate) / weight) / rate
}

/** What one hint of change adds to `elapsed`: of all changes a share `recall` is hinted at, false hints come at `falseRate`. */
export function hintBonus(rate: number, recall: number, falseRate: number): number {
  return Math.log((falseRate + recall * rate) / falseRate) / ((1 - recall) * rate)
}

/**
 * Pages of a server are queued by class, first looked at first: inside a class they are worth nearly the same, so the
 * best page of a server is the best of the heads.
 */
export interface Classes {
  count: number
  of(rate: number, weight: number): number
}

const BY_RATE = 64
/** With weights a class is a cell of w·λ and λ. By Zipf weights index was 0.6 % above the bound, with 64 × 4 cells 3 %. */
const CELLS = { product: 32, rate: 16 }
/**
 * Classes by log λ. When weights differ, by log w·λ: until a page is likely to have changed, V is nearly w·λ·τ²/2; and
 * by log λ for what comes after. Ranges are of positive numbers.
 */
export function classes(rates: readonly [number, number], weights: readonly [number, number]): Classes {
  if (weights[0] === weights[1]) return { count: BY_RATE, of: steps(rates, BY_RATE) }
  const byProduct = steps([rates[0] * weights[0], rates[1] * weights[1]], CELLS.product)
  const byRate = steps(rates, CELLS.rate)
  return { count: CELLS.product * CELLS.rate, of: (r, w) => byProduct(r * w) * CELLS.rate + byRate(r) }
}

function steps([low, high]: readonly [number, number], count: number): (x: number) => number {
  const from = Math.log(low)
  const scale = high > low ? count / (Math.log(high) - from) : 0
  return (x) => Math.min(count - 1, Math.max(0, Math.floor((Math.log(x) - from) * scale)))
}

/**
 * The price creeps up while more servers are ready than can be served soon, and down when a fetcher finds none. It may
 * move e^5-fold while every page is looked at once: faster, and servers chase a price that runs away from them.
 */
export function adaptPrice(price: number, ready: number, crowd: number, pages: number): number {
  const step = Math.min(0.02, 5 / pages)
  if (ready === 0) return price * (1 - step)
  return ready > crowd ? price * (1 + step) : price
}
