/** Lower bounds for every policy, as weighted staleness over the horizon (P2). */
import { clearingPrices } from './allocate.ts'
import { roughWorthInverse, staleShare, worthInverse } from './freshness.ts'
import { eachPlanned, type Plan } from './planned.ts'
import { type Scenario, totalWeight } from './scenario.ts'

export interface Bounds {
  /** Weak politeness: PSP's counts, each page at its own ideal instants. */
  wp: number
  /** The best counts under R alone. */
  nonPolite: number
  /** MERGE's instants, kept exactly. */
  infCrawlers: number
  /** The best constant rates under every server's limit and the capacity. */
  kkt: number
}

/** Staleness of evenly spread updates: WP with PSP's counts, NonPolite with counts limited by R alone. */
export function stalenessOfCounts(scenario: Scenario, counts: Uint32Array): number {
  const { rate, weight, horizon } = scenario
  let stale = 0
  for (let page = 0; page < rate.length; page++)
    stale += weight[page] * staleShare((rate[page] * horizon) / (counts[page] + 1))
  return stale / totalWeight(scenario)
}

/** Exact staleness if every look of a plan happens at its instant (InfCrawlers, for MERGE's). */
export function stalenessOfPlan(scenario: Scenario, plan: Plan): number {
  const { rate, weight, horizon } = scenario
  const last = new Float64Array(rate.length)
  let stale = 0
  const gap = (page: number, until: number) => {
    const d = until - last[page]
    stale += weight[page] * d * staleShare(rate[page] * d)
    last[page] = until
  }
  eachPlanned(plan, horizon, gap)
  for (let page = 0; page < rate.length; page++) gap(page, horizon)
  return stale / (horizon * totalWeight(scenario))
}

export interface Rates {
  /** Looks per second, per page. */
  looks: Float64Array
  staleness: number
  /** The price of capacity; 0 when the servers' limits bind first. */
  price: number
}

/** Under Σ f ≤ 1/P for each server and Σ f ≤ R/T. */
export function bestRates(scenario: Scenario): Rates {
  const { start, politeness, capacity, horizon } = scenario
  const cap = politeness > 0 ? 1 / politeness : Number.POSITIVE_INFINITY
  return bestRatesWithin(scenario, new Float64Array(start.length - 1).fill(cap), capacity / horizon)
}

export type RatedPages = Pick<Scenario, 'rate' | 'weight' | 'members' | 'start'>

/**
 * Maximises Σ w·(f/λ)(1 − e^(−λ/f)) under Σ f ≤ `caps[s]` for each server and Σ f ≤ `total`, all in looks per second:
 * (w/λ)·h(λ/f) = price. `total` may be Infinity: then the servers' caps alone bind.
 */
export function bestRatesWithin(pages: RatedPages, caps: Float64Array, total: number): Rates {
  const { rate, weight, members, start } = pages
  const servers = start.length - 1
  const looks = new Float64Array(rate.length)
  let highest = Number.NEGATIVE_INFINITY
  for (let page = 0; page < rate.length; page++)
    if (rate[page] > 0 && weight[page] > 0) highest = Math.max(highest, Math.log(weight[page]) - Math.log(rate[page]))
  const demand = (server: number, logPrice: number) => {
    const price = Math.exp(logPrice)
    let asked = 0
    for (let at = start[server]; at < start[server + 1]; at++) {
      const page = members[at]
      if (weight[page] > 0 && rate[page] > 0)
        asked += rate[page] / roughWorthInverse((price * rate[page]) / weight[page])
    }
    return asked
  }
  let price = 0
  if (highest > Number.NEGATIVE_INFINITY && total > 0) {
    const prices = clearingPrices({ servers, demand, caps, total, highest, tolerance: 1e-6 })
    price = Math.exp(prices.all)
    const asked = new Float64Array(servers)
    const free: number[] = []
    let left = total
    let askedFree = 0
    for (let server = 0; server < servers; server++) {
      const own = Math.exp(prices.each[server])
      for (let at = start[server]; at < start[server + 1]; at++) {
        const page = members[at]
        if (!(weight[page] > 0 && rate[page] > 0 && own > 0)) continue
        looks[page] = rate[page] / worthInverse((own * rate[page]) / weight[page])
        asked[server] += looks[page]
      }
      if (prices.each[server] > prices.all) {
        meet(pages, looks, [server], own, asked[server], caps[server])
        left -= caps[server]
      } else {
        free.push(server)
        askedFree += asked[server]
      }
    }
    if (price > 0) meet(pages, looks, free, price, askedFree, Math.max(0, left))
    // A server that is full at nearly the common price may exceed its limit by a rounding error.
    for (const server of free) {
      const cap = caps[server]
      let sum = 0
      for (let at = start[server]; at < start[server + 1]; at++) sum += looks[members[at]]
      for (let at = start[server]; sum > cap && at < start[server + 1]; at++) looks[members[at]] *= cap / sum
    }
  }
  let stale = 0
  for (let page = 0; page < rate.length; page++)
    if (rate[page] > 0) stale += weight[page] * staleShare(rate[page] / looks[page])
  return { looks, price, staleness: stale / totalWeight(pages) }
}

/**
 * Scales rates to meet their limit; this near the optimum the error is of second order. A page that changes far more
 * often than it can be looked at has its demand within the last digits of its price. Then no double is the price, and
 * the rest of the limit goes to the pages at that margin.
 */
function meet(
  { rate, weight, members, start }: RatedPages,
  looks: Float64Array,
  servers: readonly number[],
  price: number,
  asked: number,
  limit: number,
): void {
  const each = (call: (page: number) => void) => {
    for (const server of servers) for (let at = start[server]; at < start[server + 1]; at++) call(members[at])
  }
  const isMarginal = (page: number) => Math.abs((rate[page] * price) / weight[page] - 1) < 1e-9
  let margin = 0
  each((page) => {
    if (isMarginal(page)) margin += rate[page]
  })
  if (margin === 0 && asked === 0) return
  each((page) => {
    if (margin === 0 || asked > limit) looks[page] *= limit / asked
    else if (isMarginal(page)) looks[page] += ((limit - asked) * rate[page]) / margin
  })
}
