/**
 * Lists for the dashboard: sites by name, URLs by text. A page is a look-up in an index, or a walk along one that ends
 * when enough was found or the time is up, and says where to go on.
 */
import { siteKeyOf } from '../contracts/visit.ts'
import { bucketOf, shardOf } from '../database/bucket.ts'
import type { Dialect, Tx } from '../database/database.ts'
import { queries } from '../database/queries.ts'
import { keyed } from '../database/schema/columns.ts'
import type { SqlValue } from '../database/sqlite/tx.ts'
import type { SeedPosition } from './contract.ts'
import { MARKS, type MarkName } from './rules/mark.ts'
import type { SiteState } from './rules/site.ts'
import type { UrlRow } from './rules/url-rows.ts'

/** False: the time is up. Asked after each piece of a walk, so at least one is always done. */
export type GoOn = () => boolean

/** Rows of one statement of a walk: some milliseconds on either database. */
export const PIECE = 5000

/** Appended to a name: sorts after all that begin with it; and just after the name itself. */
const LAST_CHARACTER = '\u{10ffff}'
const FIRST_CHARACTER = '\u0001'

export interface SiteAsk {
  /** How its name begins, and what is anywhere in it. */
  prefix: string
  text: string
  /** Undefined: any. */
  state: SiteState | undefined
  /** The name after which to begin. */
  after: string
  atMost: number
}

export interface FoundSites {
  names: string[]
  /** Where to go on; undefined: there are no more. */
  next: string | undefined
  /** Sites that were looked at; undefined: there was no need to look at others. */
  searched: number | undefined
}

export const READ_SITE_NAMES = `SELECT name, state FROM site WHERE name >= ?1 AND name < ?2 ORDER BY name LIMIT ?3`

/** Few sites are visited at once, so they have an index of their own. */
const MAX_LEASED = 5000
export const READ_LEASED_NAMES = `SELECT name, state FROM site WHERE lease_until IS NOT NULL LIMIT ${MAX_LEASED}`

async function findLeased(tx: Tx, { prefix, text, state, after, atMost }: SiteAsk): Promise<FoundSites> {
  const rows = await queries(tx).all<{ name: string; state: SiteState }>(READ_LEASED_NAMES)
  const names = rows
    .filter((row) => row.state === state && row.name.startsWith(prefix) && row.name.includes(text) && row.name > after)
    .map(({ name }) => name)
    .sort()
  const shown = names.slice(0, atMost)
  return { names: shown, next: names.length > atMost ? shown.at(-1) : undefined, searched: undefined }
}

/** In the order of their names. */
export async function findSites(tx: Tx, ask: SiteAsk, goOn: GoOn): Promise<FoundSites> {
  const { prefix, text, state, atMost } = ask
  if (state === 'leased' || state === 'returning') return findLeased(tx, ask)
  const isPlain = text === '' && state === undefined
  const names: string[] = []
  let { after } = ask
  let searched = 0
  for (;;) {
    const size = isPlain ? atMost + 1 : PIECE
    const from = after.startsWith(prefix) && after !== '' ? after + FIRST_CHARACTER : prefix
    const sql = queries(tx)
    const rows = await sql.all<{ name: string; state: SiteState }>(READ_SITE_NAMES, from, prefix + LAST_CHARACTER, size)
    for (const row of rows) {
      if (names.length === atMost) return { names, next: after, searched }
      after = row.name
      searched++
      if (row.name.includes(text) && (state === undefined || row.state === state)) names.push(row.name)
    }
    if (rows.length < size) return { names, next: undefined, searched }
    if (!goOn()) return { names, next: after, searched }
  }
}

/** A site in a list. */
export interface ListedSite {
  name: string
  state: SiteState
  reason: string | null
  seed: number
  known: number
  waiting: number
  pause: number
  address: string | null
  visits: number
}

export const READ_LISTED_SITE = `SELECT name, state, reason, seed, known, waiting, pause, address, fence AS visits
  FROM site WHERE bucket = ? AND key = ?`

/** In the order given, without those that are unknown. */
export async function listedSites(tx: Tx, names: readonly string[]): Promise<ListedSite[]> {
  const rows = names.map((name) => queries(tx).get<ListedSite>(READ_LISTED_SITE, ...siteRow(tx, siteKeyOf(name))))
  return (await Promise.all(rows)).filter((row) => row !== undefined)
}

export const READ_SITES_AT: Record<Dialect, string> = {
  sqlite: 'SELECT sites FROM address_sites WHERE address = ?',
  postgres: 'SELECT sites FROM address_sites WHERE shard = ? AND address = ?',
}

/** How many sites were found at an address. */
export async function sitesAt(tx: Tx, address: string): Promise<number> {
  const where = tx.dialect === 'sqlite' ? [address] : [shardOf(address), address]
  return (await queries(tx).get<{ sites: number }>(READ_SITES_AT[tx.dialect], ...where))?.sites ?? 0
}

export interface QueuedUrl {
  url: string
  depth: number
  enqueuedAt: number
  /** 0: never visited. */
  dueAt: number
}

export const READ_QUEUE = `SELECT url, depth, enqueued_at AS "enqueuedAt", due_at AS "dueAt" FROM url
  WHERE bucket = ? AND site = ? AND mark = 0 ORDER BY due_at, seq LIMIT ?`

/** The URLs that a site's next visits request, in their order. */
export function queueOf(tx: Tx, site: string, atMost: number): Promise<QueuedUrl[]> {
  return queries(tx).all<QueuedUrl>(READ_QUEUE, ...siteRow(tx, siteKeyOf(site)), atMost)
}

export interface UrlAsk {
  /** Only this site's. */
  site: string | undefined
  /** How the URL begins, to the letter; and what is anywhere in it, whatever the case. */
  prefix: string
  text: string
  after: SeedPosition | undefined
  atMost: number
}

export interface FoundUrl extends SeedPosition {
  url: string
  mark: MarkName
  depth: number
}

export interface FoundUrls {
  urls: FoundUrl[]
  next: SeedPosition | undefined
  /** URLs that were looked at. */
  searched: number
}

const COLUMNS = 'site, key, url, mark, depth'
/** The walk's order is that of the primary key. */
const BY: Record<Dialect, [by: string, places: string]> = {
  sqlite: ['(site, key)', '(?, ?)'],
  postgres: ['(bucket, site, key)', '(?, ?, ?)'],
}
const IN_SITE = 'bucket = ? AND site = ?'

/** The end of a piece: its rows are read again at once, with their texts, so they are in memory then. */
const readEnd = (where: string, by: string) =>
  `SELECT site, key FROM url WHERE ${where} ORDER BY ${by} LIMIT 1 OFFSET ${PIECE - 1}`
const readHits = (dialect: Dialect, where: string, by: string) => {
  const contains = dialect === 'sqlite' ? 'instr(lower(url), ?)' : 'strpos(lower(url), ?)'
  return `SELECT ${COLUMNS} FROM url WHERE ${where} AND ${contains} > 0 AND substr(url, 1, ?) = ? ORDER BY ${by} LIMIT ?`
}
const countTo = (where: string) => `SELECT count(*) AS n FROM url WHERE ${where}`

function walkOf(dialect: Dialect, inSite: boolean) {
  const [by, places] = inSite ? ['key', '?'] : BY[dialect]
  const after = `${inSite ? `${IN_SITE} AND ` : ''}${by} > ${places}`
  const upto = `${after} AND ${by} <= ${places}`
  const order = by.replace(/[()]/g, '')
  return {
    end: readEnd(after, order),
    hits: readHits(dialect, upto, order),
    lastHits: readHits(dialect, after, order),
    count: countTo(upto),
    countRest: countTo(after),
  }
}

/** Every statement of a walk, for the test of plans. */
export const URL_WALKS = {
  sqlite: { all: walkOf('sqlite', false), site: walkOf('sqlite', true) },
  postgres: { all: walkOf('postgres', false), site: walkOf('postgres', true) },
}

const BEFORE_ALL = -(2n ** 63n)

/** In the order of their keys, which are hashes. */
export async function findUrls(tx: Tx, ask: UrlAsk, goOn: GoOn): Promise<FoundUrls> {
  const sql = queries(tx)
  const { site, prefix, text, atMost } = ask
  const inSite = site === undefined ? undefined : siteKeyOf(site)
  const walk = URL_WALKS[tx.dialect][inSite === undefined ? 'all' : 'site']
  const scope = inSite === undefined ? [] : siteRow(tx, inSite)
  const match: SqlValue[] = [text.toLowerCase(), [...prefix].length, prefix]
  const urls: FoundUrl[] = []
  let after = ask.after
  let searched = 0
  for (;;) {
    const from = [...scope, ...placeOf(tx, after, inSite)]
    const end = await sql.getExact<SeedPosition>(walk.end, ...from)
    const range = end === undefined ? from : [...from, ...placeOf(tx, end, inSite)]
    const limit = atMost + 1 - urls.length
    const rows = await sql.allExact<FoundRow>(end === undefined ? walk.lastHits : walk.hits, ...range, ...match, limit)
    const hits = rows.slice(0, atMost - urls.length).map(keyed)
    urls.push(...hits.map((row) => ({ ...row, mark: MARKS[row.mark] })))
    const last = urls.at(-1)
    if (rows.length === limit && last !== undefined) {
      const upto = placeOf(tx, last, inSite)
      searched += (await sql.get<{ n: number }>(walk.count, ...from, ...upto))?.n ?? 0
      return { urls, next: { site: last.site, key: last.key }, searched }
    }
    // Fewer rows than a piece are left.
    if (end === undefined) searched += (await sql.get<{ n: number }>(walk.countRest, ...from))?.n ?? 0
    if (end === undefined) return { urls, next: undefined, searched }
    searched += PIECE
    after = end
    if (!goOn()) return { urls, next: end, searched }
  }
}

type FoundRow = Pick<UrlRow, 'site' | 'key' | 'url' | 'mark' | 'depth'>

function placeOf(tx: Tx, at: SeedPosition | undefined, inSite: bigint | undefined): SqlValue[] {
  if (inSite !== undefined) return [at?.key ?? BEFORE_ALL]
  const { site, key } = at ?? { site: BEFORE_ALL, key: BEFORE_ALL }
  if (tx.dialect === 'sqlite') return [site, key]
  return [at === undefined ? -1 : bucketOf(tx.dialect, site), site, key]
}

const siteRow = (tx: Tx, site: bigint): [number, bigint] => [bucketOf(tx.dialect, site), site]
