/** Pages as they are read: one (`explain`, `get`), or all in order (`export pages`), in pieces that any number of them fit. */
import type { Instant, Millis } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { SiteName, UrlKey } from '../../visit/visit.ts'
import { siteKeyOf } from '../site-key.ts'

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

const SELECT = `SELECT id, url, depth, via, path, status, outcome, why, detail, media_type AS mediaType, bytes,
  took_ms AS tookMs, tries, first_at AS firstAt, at, looks, digest, title, annotations, sniffed, language
  FROM page`

export function pageOf(tx: Tx, site: SiteName, key: UrlKey): StoredPage | undefined {
  return sqliteTx(tx).get<StoredPage>(`${SELECT} WHERE site = ? AND key = ?`, siteKeyOf(site), signed64(key))
}

/** In the order in which they were first learnt of: call again with the last one's id until none come. */
export function pagesSince(tx: Tx, id: number, atMost: number): StoredPage[] {
  return sqliteTx(tx).all<StoredPage>(`${SELECT} WHERE id > ? ORDER BY id LIMIT ?`, id, atMost)
}

export function pagesOfSite(tx: Tx, site: SiteName, atMost: number): StoredPage[] {
  return sqliteTx(tx).all<StoredPage>(`${SELECT} WHERE site = ? LIMIT ?`, siteKeyOf(site), atMost)
}

export interface StoredVerdict {
  rule: string
  evidence: string
  at: Instant
  /** The URLs that it concerns; null: the site as a whole. */
  pattern: string | null
  examples: readonly string[]
}

export function verdictsOf(tx: Tx, site: SiteName, atMost = 100): StoredVerdict[] {
  const sql = 'SELECT rule, evidence, at, pattern, examples FROM verdict WHERE site = ? ORDER BY id DESC LIMIT ?'
  const rows = sqliteTx(tx).all<Omit<StoredVerdict, 'examples'> & { examples: string | null }>(
    sql,
    siteKeyOf(site),
    atMost,
  )
  return rows.map((row) => ({ ...row, examples: row.examples === null ? [] : JSON.parse(row.examples) }))
}
