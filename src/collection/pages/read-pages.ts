/** Reads pages: one (`explain`, `get`), or all in order and in pieces (`export pages`), with the names and texts they need. */
import type { Instant, Millis } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Dialect, Tx } from '../../database/database.ts'
import { columnsOf, postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { homeOf, parseUrl } from '../../web/url/web-url.ts'
import { pieceOf, rowOf, siteAt, siteNamed } from '../row-id.ts'
import type { FailedLook, PageRow } from './page-row.ts'

/**
 * `why`: how it was kept, what refused it, which failure. `detail`: the rule that refused it, the URL it moved to. `sniffed`:
 * what the bytes are, if not what `mediaType` says.
 */
export interface StoredPage extends Omit<PageRow, 'site' | 'key' | 'textDigest' | 'simhash' | 'etag' | 'lastModified'> {
  id: number
  /** 1: a look has brought it, though the last one may not have. */
  hasContent: number
}

const SELECT = `SELECT id, url, depth, via, path, status, outcome, why, detail, media_type AS "mediaType", bytes,
  took_ms AS "tookMs", tries, first_at AS "firstAt", at, looks, digest, title, annotations, sniffed, language,
  CASE WHEN text_digest IS NULL THEN 0 ELSE 1 END AS "hasContent" FROM page`

export function pageOf(tx: Tx, site: SiteName, key: UrlKey): Promise<StoredPage | undefined> {
  const sql = `${SELECT} WHERE bucket = ? AND site = ? AND key = ?`
  return queries(tx).get<StoredPage>(sql, ...siteNamed(tx, site), signed64(key))
}

/** Of pages `p` by their signed keys. `and`: further conditions. */
export const selectByKeys = (columns: string, joins: string, and = ''): Record<Dialect, string> => ({
  sqlite: `SELECT ${columns} FROM page p ${joins} WHERE p.site = ? AND p.key = ? ${and}`,
  postgres: `SELECT ${columns} FROM unnest($2::bigint[], $3::bigint[]) AS wanted(site, key)
    JOIN page p ON p.bucket = $1 AND p.site = wanted.site AND p.key = wanted.key ${joins} WHERE true ${and}`,
})

/** Existing rows of a bucket, with exact integers: on PostgreSQL all at once. */
export async function readByKeys<Row extends object>(
  tx: Tx,
  sql: Record<Dialect, string>,
  bucket: number,
  wanted: readonly { site: bigint; key: bigint }[],
): Promise<Row[]> {
  if (tx.dialect === 'postgres')
    return postgresTx(tx).allExact<Row>(sql.postgres, bucket, ...columnsOf(wanted, 'site', 'key'))
  return wanted.flatMap(({ site, key }) => sqliteTx(tx).getExact<Row>(sql.sqlite, site, key) ?? [])
}

/** By bucket, in the order in which they were first reported: call again with the last id until none come. */
export function pagesSince(tx: Tx, id: number, atMost: number): Promise<StoredPage[]> {
  const { after, order } = pieceOf(tx.dialect, 'page')
  return queries(tx).all<StoredPage>(`${SELECT} WHERE ${after} ${order} LIMIT ?`, ...rowOf(id), atMost)
}

export type StoredFailedLook = Omit<FailedLook, 'site' | 'key' | 'slot'>

/** Looks at a page that left no capture, oldest first. */
export function failedLooksOf(tx: Tx, site: SiteName, key: UrlKey): Promise<StoredFailedLook[]> {
  const sql = `SELECT at, status, outcome, why, detail FROM failed_look
    WHERE bucket = ? AND site = ? AND key = ? ORDER BY at, slot`
  return queries(tx).all<StoredFailedLook>(sql, ...siteNamed(tx, site), signed64(key))
}

/** Packed out-links (`contracts/adjacency.ts` unpacks them). */
export async function linksOfPage(tx: Tx, page: number): Promise<Uint8Array | undefined> {
  const sql = 'SELECT links FROM page_links WHERE bucket = ? AND page = ?'
  return (await queries(tx).get<{ links: Uint8Array }>(sql, ...rowOf(page)))?.links
}

const READ_ANSWER_TIME = `SELECT avg(took_ms) AS took FROM (
  SELECT took_ms FROM page WHERE bucket = ? AND site = ? AND outcome = 'kept' ORDER BY key LIMIT 20) few`

/** How long the answers of each site took on average, by 20 of its pages; undefined when none was kept. Keys are signed. */
export async function answerTimes(tx: Tx, sites: readonly bigint[]): Promise<(Millis | undefined)[]> {
  const rows = sites.map((site) =>
    queries(tx).get<{ took: number | string | null }>(READ_ANSWER_TIME, ...siteAt(tx.dialect, site)),
  )
  // PostgreSQL's averages are exact, so they come as texts.
  return (await Promise.all(rows)).map((row) => (row?.took == null ? undefined : Number(row.took)))
}

export interface StoredFinding {
  rule: string
  evidence: string
  at: Instant
  /** The URLs that it concerns; null: the whole site. */
  pattern: string | null
  examples: readonly string[]
  /** When samples contradicted it; null: it holds. */
  withdrawn_at: Instant | null
}

export async function findingsOf(tx: Tx, site: SiteName, atMost = 100): Promise<StoredFinding[]> {
  const rows = await queries(tx).all<Omit<StoredFinding, 'examples'> & { examples: string | null }>(
    `SELECT rule, evidence, at, pattern, examples, withdrawn_at FROM finding WHERE bucket = ? AND site = ? ORDER BY id DESC LIMIT ?`,
    ...siteNamed(tx, site),
    atMost,
  )
  return rows.map((row) => ({ ...row, examples: examplesOf(row) }))
}

export function examplesOf({ examples }: { examples: string | null }): string[] {
  return examples === null ? [] : JSON.parse(examples)
}

/** From a site's signed key; undefined when it was never visited. */
export async function siteName(tx: Tx, site: bigint): Promise<SiteName | undefined> {
  const sql = 'SELECT name FROM site_stats WHERE bucket = ? AND site = ?'
  return (await queries(tx).get<{ name: string }>(sql, ...siteAt(tx.dialect, site)))?.name
}

const READ_IS_KEPT = `SELECT 1 FROM page WHERE bucket = ? AND site = ? AND key = ? AND outcome = 'kept'`
const READ_ANY_KEPT = `SELECT url FROM page WHERE bucket = ? AND site = ? AND outcome = 'kept' LIMIT 1`
const BEFORE_ALL = -(2n ** 63n)

/**
 * The home pages of sites with a document, to enter them again. In the order of buckets and keys, in pieces: a collection may
 * have millions. `last`: for the next call; undefined when there are no more.
 */
export async function answeredSites(tx: Tx, last: bigint | undefined, atMost: number) {
  const { after, order } = pieceOf(tx.dialect, 'site_stats', 'site')
  const from: [number, bigint] = last === undefined ? [0, BEFORE_ALL] : siteAt(tx.dialect, last)
  const sql = `SELECT site, name FROM site_stats WHERE documents > 0 AND ${after} ${order} LIMIT ?`
  const sites = await queries(tx).allExact<{ site: bigint; name: string }>(sql, ...from, atMost)
  const homes = await Promise.all(sites.map(({ site, name }) => homeUrl(tx, site, name)))
  return { urls: homes.filter((url) => url !== undefined), last: sites.at(-1)?.site as bigint | undefined }
}

async function homeUrl(tx: Tx, site: bigint, name: string): Promise<string | undefined> {
  const db = queries(tx)
  for (const url of [`https://${name}/`, `http://${name}/`]) {
    const key = parseUrl(url)?.key ?? hash64(url)
    if ((await db.get(READ_IS_KEPT, ...siteAt(tx.dialect, site), signed64(key))) !== undefined) return url
  }
  // The home page moved or was never fetched: take the scheme of a page that was.
  const any = await db.get<{ url: string }>(READ_ANY_KEPT, ...siteAt(tx.dialect, site))
  const page = any === undefined ? undefined : parseUrl(any.url)
  return page === undefined ? undefined : homeOf(page).href
}

const READ_TEXT = `SELECT url FROM page WHERE site = ?1 AND key = ?2
  UNION ALL SELECT url FROM url WHERE site = ?1 AND key = ?2 LIMIT 1`
/** One by one, a thousand texts would take 80 ms, together 8. */
const READ_TEXTS = `SELECT coalesce(p.url, u.url) AS url
  FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY asked (bucket, site, key, nth)
  LEFT JOIN page p ON p.bucket = asked.bucket AND p.site = asked.site AND p.key = asked.key
  LEFT JOIN url u ON u.bucket = asked.bucket AND u.site = asked.site AND u.key = asked.key
  ORDER BY nth`

/**
 * The URLs that have these signed keys, from pages or from the frontier, in the order given; undefined for those that are in
 * neither.
 */
export async function urlTexts(
  tx: Tx,
  urls: readonly { site: bigint; key: bigint }[],
): Promise<(string | undefined)[]> {
  if (tx.dialect === 'sqlite')
    return urls.map(({ site, key }) => sqliteTx(tx).get<{ url: string }>(READ_TEXT, site, key)?.url)
  const buckets = urls.map(({ site }) => bucketOf(tx.dialect, site))
  const rows = await postgresTx(tx).all<{ url: string | null }>(READ_TEXTS, buckets, ...columnsOf(urls, 'site', 'key'))
  return rows.map(({ url }) => url ?? undefined)
}
