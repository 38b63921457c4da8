/** Small random scenarios for property tests, and plain, slow ways to the same results. */
import fc from 'fast-check'
import { value } from './freshness.ts'
import { instantOf, type Plan } from './planned.ts'
import { byServer, type Scenario } from './scenario.ts'

export interface SmallPage {
  server: number
  rate: number
  weight: number
  size: number
}

export function scenarioOf(pages: readonly SmallPage[], change: Partial<Scenario> = {}): Scenario {
  const servers = 1 + Math.max(0, ...pages.map(({ server }) => server))
  const server = Uint32Array.from(pages, (page) => page.server)
  return {
    ...byServer(server, servers),
    server,
    rate: Float64Array.from(pages, (page) => page.rate),
    weight: Float64Array.from(pages, (page) => page.weight),
    size: undefined,
    horizon: 100,
    politeness: 10,
    capacity: 20,
    crawlers: Float64Array.of(1),
    servers: new Float64Array(servers).fill(Number.POSITIVE_INFINITY),
    ...change,
  }
}

/** Few different rates and weights, so that ties are common. */
const page = fc.record({
  server: fc.integer({ min: 0, max: 2 }),
  rate: fc.oneof(fc.constantFrom(0, 0.01, 0.02, 0.1), fc.double({ min: 1e-4, max: 2, noNaN: true })),
  weight: fc.oneof(fc.constantFrom(0, 1, 1, 2), fc.double({ min: 0.01, max: 5, noNaN: true })),
  size: fc.integer({ min: 0, max: 30 }),
})

export const smallScenario = fc
  .record({
    pages: fc.array(page, { minLength: 1, maxLength: 8 }),
    politeness: fc.constantFrom(0, 3, 7, 10, 25),
    capacity: fc.integer({ min: 0, max: 40 }),
    crawlers: fc.array(fc.constantFrom(0.2, 0.5, 1, 3), { minLength: 1, maxLength: 3 }),
    isSized: fc.boolean(),
  })
  .map(({ pages, politeness, capacity, crawlers, isSized }) => {
    // At least one page counts, or staleness has no meaning.
    const first = { ...pages[0], rate: pages[0].rate || 0.05, weight: pages[0].weight || 1 }
    const made = scenarioOf([first, ...pages.slice(1)], { politeness, capacity, crawlers: Float64Array.from(crawlers) })
    if (!isSized) return made
    return { ...made, size: Float64Array.from(pages, ({ size }) => size), servers: made.servers.map((_, s) => 2 + s) }
  })

/** Freshness of x evenly spread updates, as the paper prints it. */
export const printedFreshness = (a: number, x: number) => (a === 0 ? 1 : ((x + 1) / a) * (1 - Math.exp(-a / (x + 1))))

/** Staleness from the looks of one page, by its gaps. */
export function staleTime(rate: number, looks: readonly number[], until: number): number {
  const ends = [0, ...looks, until]
  return ends.slice(1).reduce((sum, end, i) => {
    const d = end - ends[i]
    return sum + (rate === 0 ? 0 : d - (1 - Math.exp(-rate * d)) / rate)
  }, 0)
}

/** Sums reach an instant by different ways: a rounding apart is the same time. */
const ROUNDING = 1e-12
const firstFree = (free: readonly number[], horizon: number) =>
  free.findIndex((at) => at <= Math.min(...free) + ROUNDING * horizon)
const sameInstant = (now: number, times: readonly number[], horizon: number) =>
  Math.max(now, ...times.filter((at) => at <= now + ROUNDING * horizon))

/** Phase 3 by looking at every server each time. */
export function plainDispatch(scenario: Scenario, plan: Plan): number[][] {
  const { horizon, politeness, crawlers } = scenario
  const lists: { at: number; page: number }[][] = Array.from(scenario.servers, () => [])
  const seen = new Map<number, number>()
  for (let s = 0; s < lists.length; s++) {
    const order = plan.order.slice(plan.begin[s], plan.begin[s + 1])
    order.forEach((page, i) => {
      const turn = (seen.get(page) ?? 0) + 1
      seen.set(page, turn)
      const own = instantOf(turn, plan.counts[page], horizon)
      lists[s].push({ page, at: plan.isMerged ? instantOf(i + 1, order.length, horizon) : own })
    })
  }
  const free = Array.from(crawlers, () => 0)
  const polite = lists.map(() => 0)
  const looks: number[][] = Array.from(scenario.rate, () => [])
  for (;;) {
    const crawler = firstFree(free, horizon)
    const from = lists.map((list, s) =>
      list.length === 0 ? Number.POSITIVE_INFINITY : Math.max(list[0].at, polite[s]),
    )
    const now = sameInstant(Math.max(free[crawler], Math.min(...from)), [...from, ...free], horizon)
    if (!(now < horizon * (1 - ROUNDING))) return looks
    const ready = lists.flatMap((list, s) => (from[s] <= now ? [{ s, at: list[0].at }] : []))
    const { s } = ready.reduce((best, one) => (one.at < best.at ? one : best))
    const { page } = lists[s].shift() ?? { page: -1 }
    looks[page].push(now)
    polite[s] = now + politeness
    free[crawler] = now + Math.max(1 / crawlers[crawler], (scenario.size?.[page] ?? 0) / scenario.servers[s])
  }
}

/** What every server's best page is worth, valued anew at each decision: the highest is fetched, ties by server, then by page. */
export function plainIndex(scenario: Scenario, last = new Float64Array(scenario.rate.length)): number[][] {
  const { horizon, politeness, crawlers, capacity, rate, weight, server } = scenario
  const pages = [...rate.keys()]
    .filter((page) => rate[page] > 0 && weight[page] > 0)
    .sort((a, b) => server[a] - server[b] || a - b)
  const since = last.slice()
  const free = Array.from(crawlers, () => 0)
  const polite = Array.from(scenario.servers, () => 0)
  const looks: number[][] = Array.from(rate, () => [])
  for (let fetches = 0; pages.length > 0; fetches++) {
    const crawler = firstFree(free, horizon)
    const first = Math.min(...pages.map((page) => polite[server[page]]))
    const token = ((fetches + 0.5) / capacity) * horizon
    const now = sameInstant(Math.max(free[crawler], first, token), [...polite, ...free], horizon)
    if (!(now < horizon * (1 - ROUNDING))) break
    const worth = (page: number) => value(rate[page], weight[page], now - since[page])
    const best = pages
      .filter((page) => polite[server[page]] <= now)
      .reduce((one, other) => (worth(other) > worth(one) ? other : one))
    looks[best].push(now)
    since[best] = now
    polite[server[best]] = now + politeness
    const bytes = (scenario.size?.[best] ?? 0) / scenario.servers[server[best]]
    free[crawler] = now + Math.max(1 / crawlers[crawler], bytes)
  }
  return looks
}
