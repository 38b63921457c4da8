/** Pages as they are read: one (`explain`, `get`), or all in order (`export pages`), in pieces that any number of them fit. */
import type { Instant, Millis } from '../../base/clock.ts'
import { hash64, signed64 } from '../../base/digest.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import { bucketOf } from '../../database/bucket.ts'
import type { Tx } from '../../database/database.ts'
import { postgresTx } from '../../database/postgres/tx.ts'
import { queries } from '../../database/queries.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { homeOf, parseUrl } from '../../web/url/web-url.ts'
import { pieceOf, placeOf, siteAt, siteKeyOf } from '../row-id.ts'

export interface StoredPage {
  id: number
  url: string
  depth: number
  via: string | null
  path: string
  status: number
  outcome: 'kept' | 'moved' | 'read' | 'refused' | 'gone' | 'later'
  /** How it was kept, by whom it was refused, which failure. */
  why: string | null
  /** The rule that refused it, the URL to which it moved. */
  detail: string | null
  mediaType: string
  bytes: number
  tookMs: Millis
  tries: number
  firstAt: Instant
  at: Instant
  looks: number
  digest: string | null
  title: string
  annotations: string
  /** What the bytes are, when that is not what `mediaType` says. */
  sniffed: string | null
  language: string | null
}

const SELECT = `SELECT id, url, depth, via, path, status, outcome, why, detail, media_type AS "mediaType", bytes,
  took_ms AS "tookMs", tries, first_at AS "firstAt", at, looks, digest, title, annotations, sniffed, language
  FROM page`

export function pageOf(tx: Tx, site: SiteName, key: UrlKey): Promise<StoredPage | undefined> {
  const sql = `${SELECT} WHERE bucket = ? AND site = ? AND key = ?`
  return queries(tx).get<StoredPage>(sql, ...siteAt(tx.dialect, siteKeyOf(site)), signed64(key))
}

/** Bucket by bucket, in the order in which they were first learnt of: call again with the last one's id until none come. */
export function pagesSince(tx: Tx, id: number, atMost: number): Promise<StoredPage[]> {
  const { after, order } = pieceOf(tx.dialect, 'page')
  return queries(tx).all<StoredPage>(`${SELECT} WHERE ${after} ${order} LIMIT ?`, ...placeOf(id), atMost)
}

export interface StoredFinding {
  rule: string
  evidence: string
  at: Instant
  /** The URLs that it concerns; null: the site as a whole. */
  pattern: string | null
  examples: readonly string[]
  /** Samples contradicted it; null: it stands. */
  withdrawn_at: Instant | null
}

export async function findingsOf(tx: Tx, site: SiteName, atMost = 100): Promise<StoredFinding[]> {
  const rows = await queries(tx).all<Omit<StoredFinding, 'examples'> & { examples: string | null }>(
    `SELECT rule, evidence, at, pattern, examples, withdrawn_at FROM finding WHERE bucket = ? AND site = ? ORDER BY id DESC LIMIT ?`,
    ...siteAt(tx.dialect, siteKeyOf(site)),
    atMost,
  )
  return rows.map((row) => ({ ...row, examples: row.examples === null ? [] : JSON.parse(row.examples) }))
}

/** From a site's key (signed, as the tables hold it) to its name; undefined when it was never visited. */

export async function serverName(tx: Tx, site: bigint): Promise<string | undefined> {
  const sql = 'SELECT name FROM site_stats WHERE bucket = ? AND site = ?'
  return (await queries(tx).get<{ name: string }>(sql, ...siteAt(tx.dialect, site)))?.name
}

/** The sites of which a document was kept, with the URL by which each is best entered again. */

const READ_IS_KEPT = `SELECT 1 FROM page WHERE bucket = ? AND site = ? AND key = ? AND outcome = 'kept'`
const READ_ANY_KEPT = `SELECT url FROM page WHERE bucket = ? AND site = ? AND outcome = 'kept' LIMIT 1`

export interface AnsweredSites {
  /** Home pages. */
  urls: string[]
  /** For the next call; undefined when there are no more. */
  last: bigint | undefined
}

/** In the order of the sites' buckets and keys, page by page: a collection may have millions. */
export async function answeredSites(tx: Tx, after: bigint | undefined, atMost: number): Promise<AnsweredSites> {
  const servers = await serversAfter(tx, after, atMost)
  const homes = await Promise.all(servers.map(({ site, name }) => homeUrl(tx, site, name)))
  return { urls: homes.filter((url) => url !== undefined), last: servers.at(-1)?.site }
}

async function homeUrl(tx: Tx, site: bigint, name: string): Promise<string | undefined> {
  const db = queries(tx)
  for (const url of [`https://${name}/`, `http://${name}/`]) {
    const key = parseUrl(url)?.key ?? hash64(url)
    if ((await db.get(READ_IS_KEPT, ...siteAt(tx.dialect, site), signed64(key))) !== undefined) return url
  }
  // Its home page moved, or was never asked for: the scheme of a page that did answer.
  const any = await db.get<{ url: string }>(READ_ANY_KEPT, ...siteAt(tx.dialect, site))
  const page = any === undefined ? undefined : parseUrl(any.url)
  return page === undefined ? undefined : homeOf(page).href
}

const BEFORE_ALL = -(2n ** 63n)

function serversAfter(tx: Tx, last: bigint | undefined, atMost: number): Promise<{ site: bigint; name: string }[]> {
  const { after, order } = pieceOf(tx.dialect, 'site_stats', 'site')
  const place: [number, bigint] = last === undefined ? [0, BEFORE_ALL] : siteAt(tx.dialect, last)
  const sql = `SELECT site, name FROM site_stats WHERE documents > 0 AND ${after} ${order} LIMIT ?`
  return queries(tx).allExact<{ site: bigint; name: string }>(sql, ...place, atMost)
}

/** From the two keys of URLs (signed, as the tables hold them) to their texts: a page's, or one that the frontier knows. */

export interface UrlKeys {
  site: bigint
  key: bigint
}

const READ_ONE = `SELECT url FROM page WHERE site = ?1 AND key = ?2
  UNION ALL SELECT url FROM url WHERE site = ?1 AND key = ?2 LIMIT 1`
/** One by one, a thousand texts would take 80 ms, together 8. */
const READ_ALL = `SELECT coalesce(p.url, u.url) AS url
  FROM unnest($1::smallint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY asked (bucket, site, key, nth)
  LEFT JOIN page p ON p.bucket = asked.bucket AND p.site = asked.site AND p.key = asked.key
  LEFT JOIN url u ON u.bucket = asked.bucket AND u.site = asked.site AND u.key = asked.key
  ORDER BY nth`

/** In the order given; undefined for what nobody knows (any more). */
export async function urlTexts(tx: Tx, urls: readonly UrlKeys[]): Promise<(string | undefined)[]> {
  if (tx.dialect === 'sqlite')
    return urls.map(({ site, key }) => sqliteTx(tx).get<{ url: string }>(READ_ONE, site, key)?.url)
  const rows = await postgresTx(tx).all<{ url: string | null }>(
    READ_ALL,
    urls.map(({ site }) => bucketOf(tx.dialect, site)),
    urls.map(({ site }) => site),
    urls.map(({ key }) => key),
  )
  return rows.map(({ url }) => url ?? undefined)
}

/** A page's out-links as they are read: packed (`contracts/adjacency.ts` unpacks them). */

export async function linksOfPage(tx: Tx, page: number): Promise<Uint8Array | undefined> {
  const sql = 'SELECT links FROM page_links WHERE bucket = ? AND page = ?'
  return (await queries(tx).get<{ links: Uint8Array }>(sql, ...placeOf(page)))?.links
}
