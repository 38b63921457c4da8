/**
 * The crawl's counters: what visits counted, summed by day, by minute and by site. They are written in the transaction that
 * applies the parts, so each part counts exactly once.
 */
import type { Instant } from '../../base/clock.ts'
import type { CountName } from '../../contracts/counts.ts'
import type { Counts } from '../../contracts/report.ts'
import type { SiteName } from '../../contracts/visit.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { isoInstant } from '../../web/warc/instant-text.ts'
import { columnsOf } from '../postgres/bucket.ts'
import { siteAt } from '../row-id.ts'

/** Every counter's sum over all days. */
export async function readCounters(tx: Tx): Promise<Map<string, number>> {
  const rows = await queries(tx).all<{ name: string; value: number }>(
    'SELECT name, sum(value) AS value FROM counter GROUP BY name',
  )
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** One counter's sum: `documents` for the limit on a crawl's pages. */
export async function readCounter(tx: Tx, name: CountName): Promise<number> {
  const sql = 'SELECT coalesce(sum(value), 0) AS value FROM counter WHERE name = ?'
  return (await queries(tx).get<{ value: number }>(sql, name))!.value
}

/** UTC. */
export function dayOf(at: Instant): string {
  return isoInstant(at).slice(0, 10)
}

/** Documents that were collected from a site. */
export async function documentsOf(tx: Tx, site: SiteName): Promise<number> {
  const sql = 'SELECT documents FROM site_stats WHERE bucket = ? AND site = ?'
  const row = await queries(tx).get<{ documents: number }>(sql, ...siteAt(tx.dialect, siteKeyOf(site)))
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

interface Rate {
  requests: number
  documents: number
  bytes: number
}

interface SiteSums extends Rate {
  firstAt: Instant
  lastAt: Instant
}

/** What the parts of one transaction counted: the row of each counter, minute and site is written once. */
export class CounterSums {
  /** By day, then by name. */
  readonly days = new Map<string, Map<string, number>>()
  readonly minutes = new Map<number, Rate>()
  readonly sites = new Map<SiteName, SiteSums>()

  add(site: SiteName, counts: Counts, given: Instant): void {
    if (counts.size === 0) return
    const at = Math.round(given)
    const day = dayOf(at)
    let sums = this.days.get(day)
    if (sums === undefined) this.days.set(day, (sums = new Map()))
    for (const [name, value] of counts) sums.set(name, (sums.get(name) ?? 0) + value)
    const minute = Math.floor(at / MINUTE_MS)
    let rate = this.minutes.get(minute)
    if (rate === undefined) this.minutes.set(minute, (rate = { requests: 0, documents: 0, bytes: 0 }))
    let ofSite = this.sites.get(site)
    if (ofSite === undefined) {
      ofSite = { requests: 0, documents: 0, bytes: 0, firstAt: at, lastAt: at }
      this.sites.set(site, ofSite)
    }
    ofSite.lastAt = Math.max(ofSite.lastAt, at)
    for (const name of ['requests', 'documents', 'bytes'] as const) {
      const value = counts.get(name) ?? 0
      rate[name] += value
      ofSite[name] += value
    }
  }
}

const ADD_COUNTER = 'INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value'
const ADD_MINUTE = `
  INSERT INTO minute (minute, requests, documents, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    requests = requests + excluded.requests, documents = documents + excluded.documents, bytes = bytes + excluded.bytes`
const ADD_SITE = `
  INSERT INTO site_stats (site, name, requests, documents, bytes, first_at, last_at) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, documents = documents + excluded.documents,
    bytes = bytes + excluded.bytes, last_at = max(last_at, excluded.last_at)`

/** On SQLite. */
export function writeSums(tx: Tx, { days, minutes, sites }: CounterSums): void {
  const db = sqliteTx(tx)
  for (const [day, sums] of days) for (const [name, value] of sums) db.run(ADD_COUNTER, name, day, value)
  for (const [minute, rate] of minutes) db.run(ADD_MINUTE, minute, rate.requests, rate.documents, rate.bytes)
  for (const [site, sums] of sites)
    db.run(ADD_SITE, siteKeyOf(site), site, sums.requests, sums.documents, sums.bytes, sums.firstAt, sums.lastAt)
}

export const ADD_COUNTERS = `
  INSERT INTO counter (bucket, name, day, value) SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[])
  ON CONFLICT (name, day, bucket) DO UPDATE SET value = counter.value + excluded.value`
export const ADD_MINUTES = `
  INSERT INTO minute (bucket, minute, requests, documents, bytes)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
  ON CONFLICT (minute, bucket) DO UPDATE SET requests = minute.requests + excluded.requests,
    documents = minute.documents + excluded.documents, bytes = minute.bytes + excluded.bytes`
export const ADD_SITE_STATS = `
  INSERT INTO site_stats (bucket, site, name, requests, documents, bytes, first_at, last_at)
  SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
  ON CONFLICT (bucket, site) DO UPDATE SET requests = site_stats.requests + excluded.requests,
    documents = site_stats.documents + excluded.documents, bytes = site_stats.bytes + excluded.bytes,
    last_at = greatest(site_stats.last_at, excluded.last_at)`

/** On PostgreSQL a counter has a row per bucket, so no two transactions need the same one. */
export async function writeBucketSums(tx: PostgresTx, bucket: number, sums: CounterSums): Promise<void> {
  const counters = [...sums.days].flatMap(([day, names]) => [...names].map(([name, value]) => ({ name, day, value })))
  if (counters.length === 0) return
  const minutes = [...sums.minutes].map(([minute, rate]) => ({ minute, ...rate }))
  const sites = [...sums.sites].map(([name, of]) => ({ name, site: siteKeyOf(name), ...of }))
  await Promise.all([
    tx.run(ADD_COUNTERS, bucket, ...columnsOf(counters, 'name', 'day', 'value')),
    tx.run(ADD_MINUTES, bucket, ...columnsOf(minutes, 'minute', 'requests', 'documents', 'bytes')),
    tx.run(
      ADD_SITE_STATS,
      bucket,
      ...columnsOf(sites, 'site', 'name', 'requests', 'documents', 'bytes', 'firstAt', 'lastAt'),
    ),
  ])
}

/** A moment of the crawl, for its trend (C14). */
export interface Progress {
  at: Instant
  known: number
  collected: number
  waiting: number
}

const SET_PROGRESS = 'UPDATE SET known = excluded.known, collected = excluded.collected, waiting = excluded.waiting'
/** On PostgreSQL a minute has a row per bucket; figures of the whole crawl are in the first. */
const NOTE_PROGRESS = {
  sqlite: `INSERT INTO minute (minute, known, collected, waiting) VALUES (?, ?, ?, ?) ON CONFLICT (minute) DO ${SET_PROGRESS}`,
  postgres: `INSERT INTO minute (minute, bucket, known, collected, waiting) VALUES (?, 0, ?, ?, ?)
    ON CONFLICT (minute, bucket) DO ${SET_PROGRESS}`,
}

/** The last note of a minute counts. */
export async function noteProgress(tx: Tx, { at, known, collected, waiting }: Progress): Promise<void> {
  await queries(tx).run(NOTE_PROGRESS[tx.dialect], Math.floor(at / MINUTE_MS), known, collected, waiting)
}
