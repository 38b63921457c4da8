/**
 * The crawl's counters: what visits counted, summed by day, by minute and by site. They are written in the transaction that
 * applies the parts, so each part counts exactly once.
 */
import type { Instant, Millis } from '../../base/clock.ts'
import { type CountName, OPERATIONS } from '../../contracts/counts.ts'
import type { Counts } from '../../contracts/report.ts'
import { type SiteName, siteKeyOf } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { replaced, rowWriter, writeRows } from '../../database/write-rows.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { siteNamed } from '../row-id.ts'

/** Every counter's sum over all days. `which`: a condition, for some of them. */
export async function readCounters(tx: Tx, which = '', ...values: string[]): Promise<Map<string, number>> {
  const sql = `SELECT name, sum(value) AS value FROM counter ${which} GROUP BY name`
  const rows = await queries(tx).all<{ name: string; value: number }>(sql, ...values)
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** One counter's sum: `documents` for the limit on a crawl's pages. */
export async function readCounter(tx: Tx, name: CountName): Promise<number> {
  const sql = 'SELECT coalesce(sum(value), 0) AS value FROM counter WHERE name = ?'
  return (await queries(tx).get<{ value: number }>(sql, name))!.value
}

export type LookCounts = ReturnType<typeof lookCounts>

/** Looks at known pages, and hints that they changed (CoBWeb's Table 3, C7), of all counters. */
export function lookCounts(counters: ReadonlyMap<string, number>) {
  const of = (...names: string[]) => names.reduce((sum, name) => sum + (counters.get(name) ?? 0), 0)
  const looks = [...counters].filter(([name]) => name.startsWith('looks:'))
  return {
    performed: looks.reduce((sum, [, value]) => sum + value, 0),
    /** Looks that brought the page, and looks that found it unchanged. */
    changed: of('looks:changed'),
    unchanged: of('looks:same', 'looks:unmodified'),
    moved: of('looks:moved'),
    /** No longer permitted or wanted. */
    refused: of('looks:refused'),
    failed: of('looks:failed'),
    hints: { performed: of('hints:performed'), discarded: of('hints:discarded'), new: of('hints:new') },
  }
}

export async function readLooks(tx: Tx): Promise<LookCounts> {
  const names = `WHERE name >= 'looks:' AND name < 'looks;' OR name >= 'hints:' AND name < 'hints;'`
  return lookCounts(await readCounters(tx, names))
}

/** UTC. */
export function dayOf(at: Instant): string {
  return isoInstant(at).slice(0, 10)
}

/** Documents that were collected from a site. */
export async function documentsOf(tx: Tx, site: SiteName): Promise<number> {
  const sql = 'SELECT documents FROM site_stats WHERE bucket = ? AND site = ?'
  const row = await queries(tx).get<{ documents: number }>(sql, ...siteNamed(tx, site))
  return row?.documents ?? 0
}

/** The times of the first and the last result. */
export async function spanOf(tx: Tx): Promise<{ begunAt: Instant | undefined; lastAt: Instant | undefined }> {
  const row = await queries(tx).get<{ first: number | null; last: number | null }>(
    'SELECT min(first_at) AS first, max(last_at) AS last FROM site_stats',
  )
  return { begunAt: row?.first ?? undefined, lastAt: row?.last ?? undefined }
}

export const MINUTE_MS = 60_000

const RATE = ['requests', 'documents', 'bytes'] as const

interface MinuteSums extends Record<(typeof RATE)[number], number> {
  /** The time of visits: over a minute it says how many there were at once (C11). */
  visitMs: Millis
}

interface SiteSums extends MinuteSums {
  /** Requests that failed, answers with an error status among them. */
  errors: number
  firstAt: Instant
  lastAt: Instant
}

/** What the parts of one transaction counted: the row of each counter, minute and site is written once. */
export class CounterSums {
  /** By day, then by name. */
  readonly days = new Map<string, Map<string, number>>()
  readonly minutes = new Map<number, MinuteSums>()
  readonly sites = new Map<SiteName, SiteSums>()

  add(site: SiteName, counts: Counts, given: Instant): void {
    if (counts.size === 0) return
    const at = Math.round(given)
    const day = dayOf(at)
    let sums = this.days.get(day)
    if (sums === undefined) this.days.set(day, (sums = new Map()))
    let errors = 0
    for (const [name, value] of counts) {
      sums.set(name, (sums.get(name) ?? 0) + value)
      if (name.startsWith('failure:')) errors += value
    }
    const minute = Math.floor(at / MINUTE_MS)
    let rate = this.minutes.get(minute)
    if (rate === undefined) this.minutes.set(minute, (rate = { requests: 0, documents: 0, bytes: 0, visitMs: 0 }))
    const visitMs = OPERATIONS.reduce((sum, operation) => sum + (counts.get(`elapsed:${operation}`) ?? 0), 0)
    rate.visitMs += visitMs
    let ofSite = this.sites.get(site)
    if (ofSite === undefined) {
      ofSite = { requests: 0, documents: 0, bytes: 0, errors: 0, visitMs: 0, firstAt: at, lastAt: at }
      this.sites.set(site, ofSite)
    }
    ofSite.lastAt = Math.max(ofSite.lastAt, at)
    ofSite.errors += errors
    ofSite.visitMs += visitMs
    for (const name of RATE) {
      const value = counts.get(name) ?? 0
      rate[name] += value
      ofSite[name] += value
    }
  }
}

const added = (table: string, names: readonly string[]) =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

export const ADD_COUNTERS = rowWriter<{ name: string; day: string; value: number }>(
  'counter',
  ['name', 'day', 'value'],
  'name, day',
  added('counter', ['value']),
)
export const ADD_MINUTES = rowWriter<MinuteSums & { minute: number }>(
  'minute',
  ['minute', ...RATE, 'visitMs'],
  'minute',
  added('minute', [...RATE, 'visit_ms']),
)
export const ADD_SITE_STATS = rowWriter<SiteSums & { site: bigint; name: string }>(
  'site_stats',
  ['site', 'name', ...RATE, 'errors', 'visitMs', 'firstAt', 'lastAt'],
  'site',
  `${added('site_stats', [...RATE, 'errors', 'visit_ms'])},
    last_at = CASE WHEN excluded.last_at > site_stats.last_at THEN excluded.last_at ELSE site_stats.last_at END`,
)

/** Counts that come with no report. */
export async function addCounts(tx: Tx, at: Instant, counts: ReadonlyMap<CountName, number>): Promise<void> {
  const rows = [...counts].map(([name, value]) => ({ name, day: dayOf(at), value }))
  await writeRows(tx, ADD_COUNTERS, 0, rows)
}

/** On PostgreSQL a counter has a row per bucket, so no two transactions need the same one. */
export async function writeSums(tx: Tx, bucket: number, { days, minutes, sites }: CounterSums): Promise<void> {
  const counters = [...days].flatMap(([day, names]) => [...names].map(([name, value]) => ({ name, day, value })))
  const rates = [...minutes].map(([minute, rate]) => ({ minute, ...rate }))
  const sums = [...sites].map(([name, of]) => ({ name, site: siteKeyOf(name), ...of }))
  await Promise.all([
    writeRows(tx, ADD_COUNTERS, bucket, counters),
    writeRows(tx, ADD_MINUTES, bucket, rates),
    writeRows(tx, ADD_SITE_STATS, bucket, sums),
  ])
}

/** A moment of the crawl, for its trend (C14). */
export interface Progress {
  at: Instant
  known: number
  collected: number
  waiting: number
}

const PROGRESS = ['known', 'collected', 'waiting'] as const
export const NOTE_PROGRESS = rowWriter<Omit<Progress, 'at'> & { minute: number }>(
  'minute',
  ['minute', ...PROGRESS],
  'minute',
  replaced(PROGRESS),
)
export const NOTE_FRESHNESS = rowWriter<{ minute: number; freshness: number; freshnessBound: number }>(
  'minute',
  ['minute', 'freshness', 'freshnessBound'],
  'minute',
  replaced(['freshness', 'freshness_bound']),
)

export async function noteFreshness(tx: Tx, at: Instant, freshness: number, freshnessBound: number): Promise<void> {
  await writeRows(tx, NOTE_FRESHNESS, 0, [{ minute: Math.floor(at / MINUTE_MS), freshness, freshnessBound }])
}

/** The last note of a minute counts. On PostgreSQL a minute has a row per bucket; figures of the whole crawl are in the first. */
export async function noteProgress(tx: Tx, { at, ...figures }: Progress): Promise<void> {
  await writeRows(tx, NOTE_PROGRESS, 0, [{ minute: Math.floor(at / MINUTE_MS), ...figures }])
}
