/** What sites have brought: sums for lists, rankings, and the pages of one. For the dashboard. */
import type { Instant } from '../../base/clock.ts'
import type { SiteName } from '../../contracts/visit.ts'
import type { Dialect, Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { siteNamed } from '../row-id.ts'

export interface SiteSums {
  requests: number
  documents: number
  bytes: number
  errors: number
  firstAt: Instant
  lastAt: Instant
}

export const READ_SUMS = `SELECT requests, documents, bytes, errors, first_at AS "firstAt", last_at AS "lastAt"
  FROM site_stats WHERE bucket = ? AND site = ?`

/** One per name; undefined for those that were never visited. */
export function sumsOf(tx: Tx, names: readonly SiteName[]): Promise<(SiteSums | undefined)[]> {
  return Promise.all(names.map((name) => queries(tx).get<SiteSums>(READ_SUMS, ...siteNamed(tx, name))))
}

/** What sites can be ranked by, and the column that has it. */
const RANKED = {
  waiting: 'f.waiting',
  known: 'f.known',
  pause: 'f.pause',
  documents: 's.documents',
  bytes: 's.bytes',
  requests: 's.requests',
  errors: 's.errors',
} as const

export type RankedBy = keyof typeof RANKED
export const RANKED_BY = Object.keys(RANKED) as RankedBy[]

export interface RankAsk {
  by: RankedBy
  /** '' for any. */
  state: string
  /** How the name begins, and a text anywhere in it. */
  prefix: string
  text: string
  atMost: number
}

/**
 * The sites with most of something. Reads all sites (0.1 s for 100,000, 1 to 3 s for a million), so it is not for a page that
 * somebody waits for. An index for each order would be written at every visit.
 */
export async function rankSites(tx: Tx, { by, state, prefix, text, atMost }: RankAsk): Promise<SiteName[]> {
  const contains: Record<Dialect, string> = { sqlite: 'instr(f.name, ?4)', postgres: 'strpos(f.name, ?4)' }
  const value = RANKED[by]
  const stats = value.startsWith('s.') ? 'JOIN site_stats s ON s.bucket = f.bucket AND s.site = f.key' : ''
  const sql = `SELECT f.name FROM site f ${stats}
    WHERE ${value} > 0 AND (?1 = '' OR f.state = ?1) AND substr(f.name, 1, ?2) = ?3 AND ${contains[tx.dialect]} > 0
    ORDER BY ${value} DESC, f.name LIMIT ?5`
  const rows = await queries(tx).all<{ name: string }>(sql, state, [...prefix].length, prefix, text, atMost)
  return rows.map(({ name }) => name)
}

interface SeenPage extends LastRequest {
  outcome: string
  why: string | null
  depth: number
  bytes: number
}

/**
 * Ordered by key, that is by hash, so the first ones are a fair sample. Their rows lie anywhere in the table, and may
 * have to be read from the disk.
 */
export const READ_PAGES = `SELECT url, status, outcome, why, depth, bytes, at FROM page
  WHERE bucket = ? AND site = ? ORDER BY key LIMIT ?`
export const MAX_PAGES = 2000

/** The last captures of all sites (on PostgreSQL, of 1/256 of them): a site that is being visited is among them. */
const RECENT = 5000
export const READ_LAST_CAPTURES = `SELECT url, status, at FROM (
    SELECT site, url, status, at, id FROM capture WHERE bucket = ? ORDER BY id DESC LIMIT ${RECENT}) recent
  WHERE site = ? ORDER BY id DESC LIMIT ?`

export interface Count {
  what: string
  count: number
}

export interface LastRequest {
  url: string
  status: number
  at: Instant
}

const SIZES: readonly [below: number, text: string][] = [
  [1_000, 'under 1 kB'],
  [10_000, '1 to 10 kB'],
  [100_000, '10 to 100 kB'],
  [1_000_000, '100 kB to 1 MB'],
  [10_000_000, '1 to 10 MB'],
  [Number.POSITIVE_INFINITY, 'over 10 MB'],
]
const DEEP = 12

export type PagesOfSite = Awaited<ReturnType<typeof pagesOfSite>>

/** The pages of a site, or a sample of them. */
export async function pagesOfSite(tx: Tx, site: SiteName, lastOnes: number) {
  const at = siteNamed(tx, site)
  const found = await queries(tx).all<SeenPage>(READ_PAGES, ...at, MAX_PAGES + 1)
  const isAll = found.length <= MAX_PAGES
  const pages = found.slice(0, MAX_PAGES)
  const recent = isAll ? [] : await queries(tx).all<LastRequest>(READ_LAST_CAPTURES, ...at, lastOnes)
  const kept = pages.filter(({ outcome }) => outcome === 'kept')
  const failed = pages.filter(({ outcome }) => outcome === 'gone' || outcome === 'later')
  return {
    read: pages.length,
    isAll,
    statuses: counted(
      pages.filter(({ status }) => status > 0),
      ({ status }) => String(status),
    ),
    outcomes: counted(pages, ({ outcome }) => outcome),
    failures: counted(failed, ({ why }) => why ?? ''),
    depths: inOrder(
      counted(pages, ({ depth }) => (depth < DEEP ? String(depth) : `${DEEP} and more`)),
      (a) => Number.parseInt(a, 10),
    ),
    /** Of those that were kept. */
    sizes: inOrder(
      counted(kept, ({ bytes }) => SIZES.find(([below]) => bytes < below)![1]),
      (a) => SIZES.findIndex(([, text]) => text === a),
    ),
    /** Newest first, without those that were refused; unless `isAll`, the newest of the sample and of the last requests to all sites. */
    last: newest([...recent, ...pages.filter(({ outcome }) => outcome !== 'refused')], lastOnes),
  }
}

function newest(requests: readonly LastRequest[], atMost: number): LastRequest[] {
  const once = new Map(requests.map(({ url, status, at }) => [`${at} ${url}`, { url, status, at }]))
  return [...once.values()].sort((a, b) => b.at - a.at).slice(0, atMost)
}

/** Most first. */
function counted<Row>(rows: readonly Row[], by: (row: Row) => string): Count[] {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(by(row), (counts.get(by(row)) ?? 0) + 1)
  return [...counts].map(([what, count]) => ({ what, count })).sort((a, b) => b.count - a.count)
}

function inOrder(counts: Count[], order: (what: string) => number): Count[] {
  return counts.sort((a, b) => order(a.what) - order(b.what))
}
