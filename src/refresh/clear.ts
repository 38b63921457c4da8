/**
 * Prices that clear: each server sells at most `cap`, all of them together at most `total`, and what is asked for falls
 * as the price rises. The greedy allocation and the continuous bound both are this, with different demands.
 */

/** What a server's pages ask for at the price e^logPrice. Never rises with the price; 0 at the highest one. */
export type Demand = (server: number, logPrice: number) => number

export interface Clearing {
  servers: number
  demand: Demand
  cap: number
  total: number
  /** A price at which nobody asks for anything, as a logarithm. */
  highest: number
  /** How near to the target is near enough, as a share of it. */
  tolerance: number
}

/** The price of all, −Infinity when the servers' caps bind first; and of each server, never below it. Logarithms. */
export interface Prices {
  all: number
  each: Float64Array
}

export function clearingPrices({ servers, demand, cap, total, highest, tolerance }: Clearing): Prices {
  const sum = (logPrice: number) => {
    let asked = 0
    for (let server = 0; server < servers; server++) asked += Math.min(cap, demand(server, logPrice))
    return asked
  }
  const all = search(sum, total, highest, tolerance)
  const each = new Float64Array(servers).fill(all)
  if (cap < Number.POSITIVE_INFINITY)
    for (let server = 0; server < servers; server++)
      if (all === Number.NEGATIVE_INFINITY || demand(server, all) > cap)
        each[server] = search((logPrice) => demand(server, logPrice), cap, highest, tolerance)
  return { all, each }
}

/** Prices under e^−LOWEST of the highest are as good as none. */
const LOWEST = 200

/** −Infinity when even the lowest price does not sell `target`. */
function search(demand: (logPrice: number) => number, target: number, highest: number, tolerance: number): number {
  const missing = (logPrice: number) => Math.max(-50, Math.log(demand(logPrice) / target))
  let high = highest
  let highMissing = -50
  // Where pages are looked at often, demand falls as 1/√price.
  let low = highest - 1
  let lowMissing = missing(low)
  while (lowMissing < 0) {
    if (low < highest - LOWEST) return Number.NEGATIVE_INFINITY
    high = low
    highMissing = lowMissing
    low += Math.min(-0.5, Math.max(-8, 2.5 * lowMissing))
    lowMissing = missing(low)
  }
  // Illinois: false position; an end that stays twice counts half, so that both ends move.
  let stayed = 0
  for (let turn = 0; turn < 80 && high - low > 1e-13; turn++) {
    const isFar = highMissing <= -50 || turn % 8 === 7
    const guess = isFar ? (low + high) / 2 : low + ((high - low) * lowMissing) / (lowMissing - highMissing)
    const found = missing(guess)
    if (Math.abs(found) <= tolerance) return guess
    if (found > 0) {
      low = guess
      lowMissing = found
      if (stayed > 0) highMissing /= 2
      stayed = 1
    } else {
      high = guess
      highMissing = found
      if (stayed < 0) lowMissing /= 2
      stayed = -1
    }
  }
  return high
}
