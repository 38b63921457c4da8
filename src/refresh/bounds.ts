/** Lower bounds for every policy, as weighted staleness over the horizon (P2). */
import { clearingPrices } from './allocate.ts'
import { roughWorthInverse, staleShare, worthInverse } from './freshness.ts'
import { eachPlanned, type Plan } from './planned.ts'
import { type Scenario, totalWeight } from './scenario.ts'

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

export type Rates = ReturnType<typeof bestRatesWithin>

/** Under Σ f ≤ 1/P for each server and Σ f ≤ R/T. */
export function bestRates(scenario: Scenario): Rates {
  const { start, politeness, capacity, horizon } = scenario
  const cap = politeness > 0 ? 1 / politeness : Number.POSITIVE_INFINITY
  return bestRatesWithin(scenario, new Float64Array(start.length - 1).fill(cap), capacity / horizon)
}

export type RatedPages = Pick<Scenario, 'rate' | 'weight' | 'members' | 'start'>

/** Looks per second: more than none, so that every server has a price. */
const LEAST_CAP = 1e-12

/**
 * Maximises Σ w·(f/λ)(1 − e^(−λ/f)) under Σ f ≤ `permitted[s]` for each server and Σ f ≤ `total`, all in looks per second:
 * (w/λ)·h(λ/f) = price. `total` may be Infinity: then the servers' caps alone bind. No look is worth less than `minPrice`.
 */
export function bestRatesWithin(pages: RatedPages, permitted: Float64Array, total: number, minPrice = 0) {
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
  // The looks that a server has use for at the lowest price, whatever it permits.
  const caps = permitted.map((cap, server) =>
    minPrice > 0 ? Math.min(cap, Math.max(LEAST_CAP, demand(server, Math.log(minPrice)))) : cap,
  )
  let price = 0
  if (highest > Number.NEGATIVE_INFINITY && total > 0) {
    const prices = clearingPrices({ servers, demand, caps, total, highest, tolerance: 1e-6 })
    price = Math.exp(prices.all)
    const free: number[] = []
    let left = total
    for (let server = 0; server < servers; server++) {
      const own = Math.exp(prices.each[server])
      let asked = 0
      for (let at = start[server]; at < start[server + 1]; at++) {
        const page = members[at]
        if (!(weight[page] > 0 && rate[page] > 0 && own > 0)) continue
        looks[page] = rate[page] / worthInverse((own * rate[page]) / weight[page])
        asked += looks[page]
      }
      if (prices.each[server] > prices.all) {
        meet(pages, looks, [server], own, asked, caps[server])
        left -= caps[server]
      } else free.push(server)
    }
    if (left >= 0) shareRest(pages, looks, free, price, caps, left)
    else keepWithin(looks, total)
  }
  let stale = 0
  for (let page = 0; page < rate.length; page++)
    if (rate[page] > 0) stale += weight[page] * staleShare(rate[page] / looks[page])
  return {
    /** Looks per second, per page. */
    looks,
    /** Of capacity; 0 when the servers' limits bind first. */
    price,
    staleness: stale / totalWeight(pages),
  }
}

/** Full servers alone may exceed the total by the tolerance of their prices. */
function keepWithin(looks: Float64Array, total: number): void {
  const sum = looks.reduce((a, b) => a + b, 0)
  for (let page = 0; sum > total && page < looks.length; page++) looks[page] *= total / sum
}

/** How often, at most, the rest is shared out anew: what full servers leave may fill others. */
const MAX_ROUNDS = 8

/**
 * Shares out what is left of the total at the common price. A server that is full at nearly this price may come out above
 * its limit: it gets its limit, and the others get the rest.
 */
function shareRest(
  pages: RatedPages,
  looks: Float64Array,
  servers: readonly number[],
  price: number,
  caps: Float64Array,
  total: number,
): void {
  const { members, start } = pages
  const sumOf = (server: number) => {
    let sum = 0
    for (let at = start[server]; at < start[server + 1]; at++) sum += looks[members[at]]
    return sum
  }
  let open = servers
  let left = total
  for (let round = 0; round < MAX_ROUNDS && open.length > 0; round++) {
    if (price > 0) {
      const asked = open.reduce((sum, server) => sum + sumOf(server), 0)
      meet(pages, looks, open, price, asked, left)
    }
    const unfilled: number[] = []
    for (const server of open) {
      const sum = sumOf(server)
      const cap = caps[server]
      if (sum > cap) {
        for (let at = start[server]; at < start[server + 1]; at++) looks[members[at]] *= cap / sum
        left = Math.max(0, left - cap)
      } else unfilled.push(server)
    }
    if (unfilled.length === open.length) return
    open = unfilled
  }
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
