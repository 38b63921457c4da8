/** Which known pages of a site a visit looks at, and when the site is worth the next visit. Instants in milliseconds. */
import { timeToReach, value } from './freshness.ts'

/** A page, as far as its value goes. `rate`: changes per second. */
export interface Valued {
  looked_at: number
  rate: number
  weight: number
}

export interface Slots {
  /** When the first look can be made, and the time from one look to the next. */
  from: number
  step: number
  count: number
  /** Pages that were read of each class, at most: a class that has as many may have more. */
  perClass: number
  /** What a look must be worth. */
  price: number
  /** Looks at the site so far: it explores by this count. Undefined: it never does, because rates are known. */
  looks: number | undefined
  /** Each look goes to the page not looked at for longest, whatever it is worth. */
  inTurn: boolean
}

/** While rates are learnt, every 14th look at a site goes to its page with the oldest look. */
export const EXPLORE_EVERY = 14

/**
 * Pages of a class are worth nearly the same and come with the oldest look first, so the page worth most is the head of a
 * class. Later looks of the visit are valued at the time at which they will be made: that is exact as long as rates do not
 * change meanwhile. When all that was read of a class is chosen, its next page may be worth most: the visit ends there.
 */
export function chooseLooks<Page extends Valued>(classes: readonly (readonly Page[])[], slots: Slots): Page[] {
  const chosen: Page[] = []
  const heads = classes.map(() => 0)
  for (let slot = 0; slot < slots.count; slot++) {
    const at = slots.from + slot * slots.step
    const explores = slots.looks !== undefined && (slots.looks + slot + 1) % EXPLORE_EVERY === 0
    let best = -1
    let bestValue = Number.NEGATIVE_INFINITY
    let oldest = -1
    for (const [nth, pages] of classes.entries()) {
      const head = pages.at(heads[nth])
      if (head === undefined) continue
      if (oldest === -1 || head.looked_at < classes[oldest][heads[oldest]].looked_at) oldest = nth
      const worth = value(head.rate, head.weight, Math.max(0, at - head.looked_at) / 1000)
      if (worth <= bestValue) continue
      best = nth
      bestValue = worth
    }
    if (best === -1 || (!slots.inTurn && bestValue < slots.price)) break
    const nth = slots.inTurn || explores ? oldest : best
    chosen.push(classes[nth][heads[nth]++])
    if (heads[nth] >= slots.perClass) break
  }
  return chosen
}

/** When the first of these is worth the price; Infinity: never. */
export function worthFrom(heads: Iterable<Valued>, price: number): number {
  let first = Number.POSITIVE_INFINITY
  for (const { looked_at, rate, weight } of heads)
    first = Math.min(first, looked_at + 1000 * timeToReach(rate, weight, price))
  return first
}
