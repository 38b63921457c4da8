/** What refreshing intends with known pages, for `plan`: how often each changes, what a look is worth now, when it is due; and which change most. */
import type { Clock } from '../../base/clock.ts'
import { capOf } from '../../cluster/maintenance/measure-freshness.ts'
import { changeFigures } from '../../collection/change-figures.ts'
import { answerTimes } from '../../collection/pages/read-pages.ts'
import { inPieces } from '../../collection/row-id.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Database, Tx } from '../../database/database.ts'
import type { KnownPageRow, SeedPosition } from '../../frontier/contract.ts'
import { frontierQueries } from '../../frontier/queries.ts'
import { bestRatesWithin } from '../../refresh/bounds.ts'
import { rateRange } from '../../refresh/estimate.ts'
import { value, worthInverse } from '../../refresh/freshness.ts'
import type { ChangeReport, ChangingPage } from '../../report/change-tables.ts'
import { pauseOf } from '../composition/plan.ts'
import type { Settings } from '../config/keys.ts'

export type PagePlan = ReturnType<typeof planOf>
export type RefreshPlan = Awaited<ReturnType<typeof refreshPlan>>

export interface PlanAsk {
  url?: string
  site?: string
  atMost: number
}

const PAGES_AT_ONCE = 2000
/** Of larger collections, the first sites by their keys, which are hashes. */
const MAX_PAGES = 1_000_000
const DAY = 86_400
const HOUR = 3600
const BEFORE_ALL_KEYS = -(2n ** 63n)

/** The page, or the pages worth most now of the site or of the collection. */
export async function refreshPlan(
  database: Database,
  clock: Clock,
  settings: Settings,
  { url, site, atMost }: PlanAsk,
) {
  const { pages, price } = await database.read(async (tx) => ({
    pages: (await frontierQueries.totals(tx)).urls.refreshing,
    price: Math.max(await frontierQueries.price(tx), settings.refreshMinGain / 1000),
  }))
  const now = clock.now()
  const worth = (page: KnownPageRow) => value(page.rate, page.weight, Math.max(0, now - page.lookedAt) / 1000)
  let best: KnownPageRow[] = []
  let asked = 0
  if (url !== undefined) {
    const page = await database.read((tx) => frontierQueries.knownPage(tx, url))
    if (page !== undefined) best = [page]
    asked = best.length
  } else {
    for await (const some of site === undefined ? allPages(database) : pagesOf(database, siteKeyOf(site))) {
      asked += some.length
      best = [...best, ...some].sort((a, b) => worth(b) - worth(a)).slice(0, atMost)
    }
  }
  const looks = await looksPerSecond(database, settings, best, price)
  const texts = await database.read((tx) => frontierQueries.urlTexts(tx, best))
  const plans = best.map((page, at) => planOf(page, texts[at] ?? '', looks[at], worth(page)))
  return {
    /** Known pages of the collection, and those of them that were asked about. */
    pages,
    asked,
    /** Looks worth less are not made. In hours, as `valueHours`. */
    priceHours: price / HOUR,
    plans,
  }
}

function planOf(page: KnownPageRow, url: string, looks: number, worth: number) {
  const { rate, changes, changedMs, unchangedMs, lookedAt, refreshAt, weight, failures } = page
  const seen = { changes, changed: changedMs / 1000, unchanged: unchangedMs / 1000 }
  const [low, high] = rateRange(seen, rate)
  return {
    url,
    lookedAt,
    /** Expected; undefined: never, others are worth more. */
    dueAt: refreshAt ?? (looks > 0 ? lookedAt + 1000 / looks : undefined),
    /** Between which rates the true one lies with 90 % confidence. */
    changesPerDay: rate * DAY,
    low: low * DAY,
    high: high * DAY,
    changes,
    weight,
    /** Of a look now: hours of freshness that it brings, by weight. */
    valueHours: worth / HOUR,
    looksPerDay: looks * DAY,
    /** Looks in a row that did not bring the page. */
    failures,
  }
}

/** By the best rates of each page's site within its pause, or by the price if that is what limits them. */
async function looksPerSecond(
  database: Database,
  settings: Settings,
  pages: readonly KnownPageRow[],
  price: number,
): Promise<number[]> {
  const of = new Map<bigint, Map<bigint, number>>()
  for (const { site } of pages) {
    if (of.has(site)) continue
    const rows: KnownPageRow[] = []
    for await (const some of pagesOf(database, site)) rows.push(...some)
    const cap = await database.read((tx) => capOfSite(tx, site, settings))
    const looks = siteLooks(rows, cap, price)
    of.set(site, new Map(rows.map(({ key }, at) => [key, looks[at]])))
  }
  return pages.map(({ site, key }) => of.get(site)?.get(key) ?? 0)
}

async function capOfSite(tx: Tx, site: bigint, settings: Settings): Promise<number> {
  const [[found], [answer]] = await Promise.all([frontierQueries.sitePauses(tx, [site]), answerTimes(tx, [site])])
  const pause = found === undefined ? 0 : Math.max(found.pause, pauseOf(settings, found.name, undefined).pause)
  return capOf(pause, answer ?? 0)
}

/** Looks per second of each page of one site. */
export function siteLooks(pages: readonly Pick<KnownPageRow, 'rate' | 'weight'>[], cap: number, price: number) {
  const rate = Float64Array.from(pages, (page) => page.rate)
  const weight = Float64Array.from(pages, (page) => page.weight)
  const members = Uint32Array.from(pages, (_, at) => at)
  const start = Uint32Array.from([0, pages.length])
  const own = bestRatesWithin({ rate, weight, members, start }, new Float64Array([Number.POSITIVE_INFINITY]), cap)
  if (own.price >= price) return own.looks
  return rate.map((r, at) => r / worthInverse((price * r) / weight[at]))
}

async function* pagesOf(database: Database, site: bigint): AsyncGenerator<KnownPageRow[]> {
  for await (const rows of pagesAfter(database, { site, key: BEFORE_ALL_KEYS })) {
    const own = rows.filter((row) => row.site === site)
    yield own
    if (own.length < rows.length) return
  }
}

/** At most `MAX_PAGES`, and a piece more. */
async function* allPages(database: Database): AsyncGenerator<KnownPageRow[]> {
  let read = 0
  for await (const rows of pagesAfter(database)) {
    yield rows
    read += rows.length
    if (read >= MAX_PAGES) return
  }
}

const pagesAfter = (database: Database, from?: SeedPosition) =>
  inPieces<KnownPageRow>((last) => database.read((tx) => frontierQueries.knownPages(tx, last ?? from, PAGES_AT_ONCE)))

/** The figures of `report changes`, with the pages that change most and least: by the rates that refreshing has estimated. */
export async function changeReport(database: Database, atMost: number): Promise<ChangeReport> {
  const figures = await database.read((tx) => changeFigures(tx, atMost))
  let [most, least]: KnownPageRow[][] = [[], []]
  let pages = 0
  for await (const piece of allPages(database)) {
    // Pages that were not looked at again show nothing about change.
    const observed = piece.filter((page) => observedMs(page) > 0)
    pages += observed.length
    most = [...most, ...observed.filter(({ changes }) => changes > 0)].sort((a, b) => b.rate - a.rate).slice(0, atMost)
    least = [...least, ...observed].sort((a, b) => a.rate - b.rate || observedMs(b) - observedMs(a)).slice(0, atMost)
  }
  // In a small collection, no page is listed as both.
  least = least.filter((page) => !most.some(({ site, key }) => site === page.site && key === page.key))
  const hints = await database.read((tx) => frontierQueries.hintFigures(tx, atMost))
  return { ...figures, hints, pages, most: await named(database, most), least: await named(database, least) }
}

const observedMs = ({ changedMs, unchangedMs }: KnownPageRow) => changedMs + unchangedMs

async function named(database: Database, pages: readonly KnownPageRow[]): Promise<ChangingPage[]> {
  const urls = await database.read((tx) => frontierQueries.urlTexts(tx, pages))
  return pages.map((page, i) => ({
    url: urls[i] ?? '',
    changesPerDay: page.rate * DAY,
    changes: page.changes,
    observedMs: observedMs(page),
  }))
}
