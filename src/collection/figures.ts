/** The figures of `report` and `status`, which are those of the papers' tables, from counters and the catalogue. */
import type { Instant } from '../base/clock.ts'
import { OPERATIONS, type Operation } from '../contracts/counts.ts'
import type { Tx } from '../database/database.ts'
import { countOf, queries } from '../database/queries.ts'
import { dayOf, MINUTE_MS, type Progress, readCounters } from './counters/counters.ts'

/** From the frontier, given by the caller. */
export interface FrontierFigures {
  /** URLs known, and those of them still to fetch. */
  seen: number
  waiting: number
}

const NEVER_REFUSED = { robots: 0, scope: 0, hazard: 0, classifier: 0 }

export type Figures = Awaited<ReturnType<typeof figures>>

export async function figures(tx: Tx, frontier: FrontierFigures) {
  const counters = await readCounters(tx)
  const counted = (name: string) => counters.get(name) ?? 0
  const documents = counted('documents')
  const fetched = counted('fetched')
  const days = await ratesByDay(tx)
  return {
    documents,
    bytes: counted('bytes'),
    servers: await countOf(tx, COUNT_SERVERS),
    urls: { seen: frontier.seen, fetched, waiting: frontier.waiting },
    links: counted('links'),
    /** Documents minus different contents. */
    duplicates: await countDuplicates(tx),
    /** Captures whose payload came again before its first record was durable, and was stored again. */
    storedTwice: await countOf(tx, COUNT_STORED_TWICE),
    statuses: withPrefix(counters, 'status:'),
    failures: withPrefix(counters, 'failure:'),
    refused: { ...NEVER_REFUSED, ...withPrefix(counters, 'refused:') } as Record<string, number>,
    unwanted: withPrefix(counters, 'unwanted:'),
    /** By limit and hazard, the one that stopped most sites first (VN's Table 7). */
    stopped: await stoppedByRule(tx, counters),
    documentsByType: byType(counters),
    perServer: await perServer(tx),
    ratesByDay: days,
    /** Where the time of visits went, by day (VN's Fig. 7, CoBWeb's Table 1). */
    timesByDay: await timesByDay(tx, days),
    /** Documents per URL fetched (VN's Table 9). */
    downloadsPerUrl: fetched === 0 ? 0 : documents / fetched,
    requests: counted('requests'),
    wireBytes: counted('wireBytes'),
    malformed: counted('malformed'),
    cut: counted('cut'),
    /** Documents by their annotation in crawl.log: `certificate:expired`, `coding:damaged`, `links>50000` … */
    troubles: withPrefix(counters, 'trouble:'),
    seedLinksDropped: counted('seedLinksDropped'),
  }
}

/** Contents with several URLs (C8), those with most first. All URLs are counted, some are named. */
export async function duplicateContents(tx: Tx, atMost: number, urlsEach: number, skip = 0) {
  const db = queries(tx)
  const contents = await db.all<{ digest: string; bytes: number; count: number }>(
    `SELECT digest, min(bytes) AS bytes, count(*) AS count FROM page WHERE outcome = 'kept' AND digest IS NOT NULL
     GROUP BY digest HAVING count(*) > 1 ORDER BY count DESC, digest LIMIT ? OFFSET ?`,
    atMost,
    skip,
  )
  const named: ((typeof contents)[number] & { urls: string[] })[] = []
  for (const content of contents) {
    const rows = await db.all<{ url: string }>(
      `SELECT url FROM page WHERE digest = ? AND outcome = 'kept' ORDER BY id LIMIT ?`,
      content.digest,
      urlsEach,
    )
    named.push({ ...content, urls: rows.map(({ url }) => url) })
  }
  return named
}

/** Oldest first, at most one per minute: shows whether the queue grows or shrinks. */
export async function progressSince(tx: Tx, since: Instant, atMost = 1440): Promise<Progress[]> {
  const rows = await queries(tx).all<{ minute: number; known: number; collected: number; waiting: number }>(
    `SELECT minute, known, collected, waiting FROM minute WHERE minute >= ? AND known IS NOT NULL
     ORDER BY minute DESC LIMIT ?`,
    Math.floor(since / MINUTE_MS),
    atMost,
  )
  return rows.reverse().map(({ minute, ...figures }) => ({ at: minute * MINUTE_MS, ...figures }))
}

/** A stretch of the crawl: what came in it, and how it stood at the end. */
export type Stretch = Awaited<ReturnType<typeof evolution>>[number]

/** Null: nothing was noted in it. `freshness`: of a collection that is refreshed, and the most that was possible. */
type Standing = Record<'known' | 'collected' | 'waiting' | 'freshness' | 'bound', number | null>

/** The crawl from its beginning in at most `stretches` stretches of equal length (VN's Fig. 8). Reads every minute. */
export async function evolution(tx: Tx, stretches = 240) {
  const db = queries(tx)
  const span = await db.get<{ first: number | null; last: number | null }>(
    'SELECT min(minute) AS first, max(minute) AS last FROM minute',
  )
  if (span === undefined || span.first === null || span.last === null) return []
  const minutes = Math.max(1, Math.ceil((span.last - span.first + 1) / stretches))
  const rows = await db.all<Record<'nth' | 'requests' | 'documents' | 'bytes' | 'visitMs', number> & Standing>(
    `SELECT (minute - CAST(?1 AS INTEGER)) / CAST(?2 AS INTEGER) AS nth, sum(requests) AS requests, sum(documents) AS documents, sum(bytes) AS bytes,
       sum(visit_ms) AS "visitMs", max(known) AS known, max(collected) AS collected, max(waiting) AS waiting,
       avg(freshness) AS freshness, avg(freshness_bound) AS bound
     FROM minute GROUP BY (minute - CAST(?1 AS INTEGER)) / CAST(?2 AS INTEGER) ORDER BY nth`,
    span.first,
    minutes,
  )
  const { first } = span
  return rows.map(({ nth, visitMs, ...sums }) => {
    const visitsAtOnce = visitMs / (minutes * MINUTE_MS)
    return { at: (first + nth * minutes) * MINUTE_MS, minutes, ...sums, visitsAtOnce }
  })
}

function withPrefix(counters: ReadonlyMap<string, number>, prefix: string): Record<string, number> {
  const found = [...counters].filter(([name]) => name.startsWith(prefix))
  found.sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  return Object.fromEntries(found.map(([name, value]) => [name.slice(prefix.length), value]))
}

function byType(counters: ReadonlyMap<string, number>) {
  const types = Object.entries(withPrefix(counters, 'type:'))
  return Object.fromEntries(
    types.map(([type, count]) => {
      const bytes = counters.get(`typeBytes:${type}`) ?? 0
      return [type, { count, bytes, mean: count === 0 ? 0 : Math.round(bytes / count) }]
    }),
  )
}

const COUNT_SERVERS = 'SELECT count(*) AS n FROM site_stats WHERE requests > 0'
const COUNT_DUPLICATES = `SELECT count(digest) - count(DISTINCT digest) AS n FROM page WHERE outcome = 'kept'`
const COUNT_STORED_TWICE = `SELECT count(*) AS n FROM capture WHERE kind = 'response' AND duplicate = 1`

/** Kept pages minus their different contents: the first page with a content is no duplicate. */
export const countDuplicates = (tx: Tx): Promise<number> => countOf(tx, COUNT_DUPLICATES)

async function perServer(tx: Tx): Promise<Record<'mean' | 'median' | 'max', number>> {
  const db = queries(tx)
  const { n, sum, max } = (await db.get<{ n: number; sum: number; max: number }>(
    `SELECT count(*) AS n, coalesce(sum(documents), 0) AS sum, coalesce(max(documents), 0) AS max
     FROM site_stats WHERE requests > 0`,
  ))!
  if (n === 0) return { mean: 0, median: 0, max: 0 }
  const middle = await db.all<{ documents: number }>(
    'SELECT documents FROM site_stats WHERE requests > 0 ORDER BY documents LIMIT ? OFFSET ?',
    2 - (n % 2),
    Math.floor((n - 1) / 2),
  )
  const median = middle.reduce((all, { documents }) => all + documents, 0) / middle.length
  return { mean: sum / n, median, max }
}

/**
 * Documents per minute over the minutes with requests. Only part of the first and last minute counts: a crawl of 22 s may
 * span two.
 */
async function ratesByDay(tx: Tx) {
  const db = queries(tx)
  const rows = await db.all<Record<'day' | 'documents' | 'bytes' | 'minutes' | 'first' | 'last', number>>(
    `SELECT minute / 1440 AS day, sum(documents) AS documents, sum(bytes) AS bytes,
       count(DISTINCT minute) FILTER (WHERE requests > 0) AS minutes,
       min(minute) FILTER (WHERE requests > 0) AS first, max(minute) FILTER (WHERE requests > 0) AS last
     FROM minute GROUP BY minute / 1440 HAVING sum(requests) > 0 ORDER BY day`,
  )
  const span = await db.get<{ first: number | null; last: number | null }>(
    'SELECT min(first_at) AS first, max(last_at) AS last FROM site_stats',
  )
  const partOf = (ms: number) => (ms > 0 && ms < MINUTE_MS ? ms : 0)
  return rows.map(({ day, documents, bytes, minutes, first, last }, at) => {
    const before = at === 0 ? partOf((span?.first ?? 0) - first * MINUTE_MS) : 0
    const after = at === rows.length - 1 ? partOf((last + 1) * MINUTE_MS - (span?.last ?? 0)) : 0
    const ms = Math.max(SHORTEST_MS, minutes * MINUTE_MS - before - after)
    const documentsPerMinute = documents / (ms / MINUTE_MS)
    return { day: dayOf(day * 1440 * MINUTE_MS), documents, bytes, documentsPerMinute, activeMs: ms }
  })
}

/** Over a shorter time a rate means nothing. */
const SHORTEST_MS = 1000

/**
 * The time of a day's visits, in ms; summed over visits that ran at once, so it is longer than the day. `wireBytes`: of bodies, kept or
 * not. `visitsAtOnce`: on average, while requests were made: the number of collectors of the papers. `checkOuts`: calls that brought
 * visits, and how long they took together.
 */
export type TimesOfDay = Awaited<ReturnType<typeof timesByDay>>[number]

const COUNTED_BY_DAY = ['documents', 'requests', 'wireBytes', 'checkOuts'] as const
const TIME_NAMES = [...COUNTED_BY_DAY, ...[...OPERATIONS, 'check-out'].map((name) => `elapsed:${name}`)]
const READ_DAYS = `SELECT day, name, sum(value) AS value FROM counter
  WHERE name IN (${TIME_NAMES.map(() => '?').join(', ')}) GROUP BY day, name ORDER BY day`

/** Days of an earlier version, which measured no times, are left out. */
async function timesByDay(tx: Tx, active: readonly { day: string; activeMs: number }[]) {
  const days = new Map<string, Map<string, number>>()
  for (const { day, name, value } of await queries(tx).all<{ day: string; name: string; value: number }>(
    READ_DAYS,
    ...TIME_NAMES,
  )) {
    let values = days.get(day)
    if (values === undefined) days.set(day, (values = new Map()))
    values.set(name, value)
  }
  const activeMs = new Map(active.map((one) => [one.day, one.activeMs]))
  return [...days].flatMap(([day, values]) => {
    const of = (name: string) => values.get(name) ?? 0
    const time = (operation: Operation) => of(`elapsed:${operation}`)
    const whole = OPERATIONS.reduce((sum, operation) => sum + time(operation), 0)
    if (whole === 0) return []
    const [documents, requests, wireBytes, checkOuts] = COUNTED_BY_DAY.map(of)
    const [store, processing, download, courtesy] = OPERATIONS.map(time)
    const visitsAtOnce = whole / Math.max(SHORTEST_MS, activeMs.get(day) ?? 0)
    const times = { store, processing, download, courtesy, checkOuts, checkOut: of('elapsed:check-out') }
    return [{ day, documents, requests, wireBytes, visitsAtOnce, ...times }]
  })
}

/** The crawls of a collection may have different limits, but only a few. */
const MAX_LIMITS = 5

/** What a limit or hazard stopped (Table 7 of the VN paper): sites from findings, URLs from counters. */
async function stoppedByRule(tx: Tx, counters: ReadonlyMap<string, number>) {
  /**
   * `rule`: `site-urls`, `maze` …; `time` and `size` for truncated answers. `limits`: those that applied: `site-urls>=5000`. `urls`: not
   * followed, or answers truncated. `withdrawn`: findings that samples contradicted.
   */
  const blank = (rule: string) => ({ rule, limits: [] as string[], sites: 0, urls: 0, withdrawn: 0 })
  const rules = new Map<string, ReturnType<typeof blank>>()
  const entry = (rule: string) => {
    const found = rules.get(rule) ?? blank(rule)
    rules.set(rule, found)
    return found
  }
  const db = queries(tx)
  for (const { rule: limit } of await db.all<{ rule: string }>(READ_LIMITS)) {
    const rule = limit.split('>', 1)[0]
    const { limits } = entry(rule)
    if (rule !== limit && limits.length < MAX_LIMITS) limits.push(limit)
  }
  // `site-urls>=5000` and `site-urls>=100000` are one rule; a site that reached both counts once.
  for (const [rule, found] of rules)
    Object.assign(found, await db.get<{ sites: number; withdrawn: number }>(COUNT_SITES, rule, `${rule}>`, `${rule}?`))
  for (const [name, value] of counters) {
    if (name.startsWith('stopped:')) entry(name.slice('stopped:'.length)).urls += value
  }
  for (const [rule, note] of CUT) {
    const { sites, urls } = (await db.get<{ sites: number; urls: number }>(
      `SELECT count(DISTINCT site) AS sites, count(*) AS urls FROM page WHERE annotations LIKE ?`,
      `%${note}%`,
    ))!
    if (urls > 0) Object.assign(entry(rule), { sites, urls })
  }
  return [...rules.values()].sort((a, b) => b.sites - a.sites || b.urls - a.urls || (a.rule < b.rule ? -1 : 1))
}

const READ_LIMITS = 'SELECT DISTINCT rule FROM finding ORDER BY rule LIMIT 1000'
/** In byte order everything that begins with `rule>` is between that and `rule?`, the next character. */
const COUNT_SITES = `
  SELECT count(DISTINCT CASE WHEN withdrawn_at IS NULL THEN site END) AS sites,
    sum(CASE WHEN withdrawn_at IS NULL THEN 0 ELSE 1 END) AS withdrawn
  FROM finding WHERE rule = ? OR (rule >= ? AND rule < ?)`

/** Answers that a limit truncated, by their annotations in crawl.log. */
const CUT = [
  ['size', 'lenTrunc'],
  ['time', 'timeTrunc'],
] as const
