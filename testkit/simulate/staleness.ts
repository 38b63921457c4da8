/**
 * How stale copies were, known from the servers' side: a copy is stale from the page's first change after our last look
 * until the next look. And the bound: the least staleness that the sites' pauses permit.
 */
import type { Instant, Millis } from '../../src/base/clock.ts'
import { bestRates } from '../../src/refresh/bounds.ts'
import { byServer, type Scenario } from '../../src/refresh/scenario.ts'
import type { TestWeb } from '../web/web.ts'

export interface WatchedPage {
  url: string
  /** Of the web. */
  site: number
  /** True changes per second. */
  rate: number
  /** When it was answered, whole or with 304, in order. */
  looks: Instant[]
}

export interface FreshnessDay {
  /** From 1. */
  day: number
  looks: number
  /** Share of the pages' time in which the copy was older than the page. */
  stale: number
  /** The same as expected from the looks and the true rates, without the chance of when pages changed. */
  expected: number
  /** Of `stale` around `expected`, by that chance; all of the time between two looks is counted where it ends. */
  variance: number
}

export const DAY: Millis = 86_400_000

/** Ordinary pages of the numbered sites. */
export function watchedPages(web: TestWeb): WatchedPage[] {
  const pages: WatchedPage[] = []
  for (let site = 0; site < web.siteCount; site++)
    for (let page = 0; page < web.site(site).pages; page++) {
      const url = web.urlOf(site, page)
      const content = web.define(url)?.content
      if (content !== undefined) pages.push({ url, site, rate: web.rateOf(content) / (DAY / 1000), looks: [] })
    }
  return pages
}

/** Only pages that were looked at before `from` count. The last day may be a part of one. */
export function stalenessByDay(
  web: TestWeb,
  pages: readonly WatchedPage[],
  from: Instant,
  days: number,
): FreshnessDay[] {
  const found = Array.from(
    { length: Math.ceil(days) },
    (_, i): FreshnessDay => ({ day: i + 1, looks: 0, stale: 0, expected: 0, variance: 0 }),
  )
  const until = from + days * DAY
  const seen = pages.filter(({ looks }) => looks.length > 0 && looks[0] <= from)
  for (const { url, rate, looks } of seen) {
    const changes = web.changesOf(url, looks[0], until)
    let next = 0
    looks.forEach((look, i) => {
      const end = Math.min(looks[i + 1] ?? until, until)
      const day = Math.floor((look - from) / DAY)
      if (look > from && look < until) found[day].looks++
      while (next < changes.length && changes[next] <= look) next++
      const since = changes[next] ?? until
      inDays(Math.max(from, since), end, from, (nth, a, b) => (found[nth].stale += b - a))
      inDays(
        Math.max(from, look),
        end,
        from,
        (nth, a, b) => (found[nth].expected += staleTime(rate, a - look, b - look)),
      )
      if (end > from) found[Math.ceil((end - from) / DAY) - 1].variance += staleVariance(rate, end - look)
    })
  }
  for (const one of found) {
    const length = Math.min(1, days - one.day + 1) * DAY * seen.length
    one.stale /= length
    one.expected /= length
    one.variance /= length ** 2
  }
  return found
}

/** Expected stale time from `a` to `b` after a look. */
function staleTime(rate: number, a: Millis, b: Millis): Millis {
  const perMs = rate / 1000
  return b - a - (Math.exp(-perMs * a) - Math.exp(-perMs * b)) / perMs
}

/** Of the stale time within `gap` after a look. */
function staleVariance(rate: number, gap: Millis): number {
  const perMs = rate / 1000
  const changed = -Math.expm1(-perMs * gap)
  return gap ** 2 - (2 * gap) / perMs + (2 * changed) / perMs ** 2 - (gap - changed / perMs) ** 2
}

function inDays(a: Instant, b: Instant, from: Instant, call: (day: number, a: Instant, b: Instant) => void): void {
  while (a < b) {
    const day = Math.floor((a - from) / DAY)
    const end = Math.min(b, from + (day + 1) * DAY)
    call(day, a, end)
    a = end
  }
}

/** The pages as the arena knows them, with enough crawlers for every site. `gapMs`: from look to look of a site. */
export function scenarioOf(pages: readonly WatchedPage[], gapMs: Millis): Scenario {
  const server = Uint32Array.from(pages, ({ site }) => site)
  const servers = server.reduce((max, site) => Math.max(max, site + 1), 0)
  const horizon = DAY / 1000
  return {
    ...byServer(server, servers),
    server,
    rate: Float64Array.from(pages, ({ rate }) => rate),
    weight: new Float64Array(pages.length).fill(1),
    size: undefined,
    horizon,
    politeness: gapMs / 1000,
    capacity: Math.ceil((horizon / gapMs) * 1000 + 1) * servers,
    crawlers: new Float64Array(servers).fill(1000),
    servers: new Float64Array(servers).fill(Number.POSITIVE_INFINITY),
  }
}

/** Sites share nothing but the crawler, which is not the limit here: so each is solved for itself, with its own gap. */
export function boundOf(pages: readonly WatchedPage[], gapOf: (site: number) => Millis): number {
  const bySite = Map.groupBy(pages, ({ site }) => site)
  let stale = 0
  for (const [site, some] of bySite) {
    const own = some.map((page) => ({ ...page, site: 0 }))
    stale += bestRates(scenarioOf(own, gapOf(site))).staleness * some.length
  }
  return stale / pages.length
}
