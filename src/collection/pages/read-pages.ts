/** Pages as they are read: one (`explain`, `get`), or all in order (`export pages`), in pieces that any number of them fit. */
import type { Instant, Millis } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { SiteName, UrlKey } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { pieceOf, placeOf } from '../row-id.ts'
import { siteAt, siteKeyOf } from '../site-key.ts'

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
