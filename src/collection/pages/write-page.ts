/** What was learnt of a page, into the catalogue. One row a URL, the last look's; captures keep the history. */

import type { PageReport } from '../../contracts/report.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import { writeLinks } from '../links/write-links.ts'
import { pageRow } from './page-row.ts'

/**
 * A look that brought nothing new keeps what an earlier one found: its digest and signatures; and a failure that passes
 * (`later`) does not make a kept page unkept.
 */
const UPSERT = `
INSERT INTO page (site, key, url, depth, via, path, status, outcome, why, detail, media_type, bytes, took_ms, tries,
  first_at, at, digest, text_digest, simhash, title, annotations, sniffed, language)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)
ON CONFLICT (site, key) DO UPDATE SET
  looks = looks + 1, url = excluded.url, at = excluded.at, tries = excluded.tries, annotations = excluded.annotations,
  status = excluded.status, outcome = excluded.outcome, why = excluded.why, detail = excluded.detail,
  took_ms = excluded.took_ms, sniffed = excluded.sniffed, language = coalesce(excluded.language, language),
  media_type = iif(excluded.media_type = '', media_type, excluded.media_type),
  bytes = iif(excluded.why = 'same', bytes, excluded.bytes),
  digest = coalesce(excluded.digest, digest), text_digest = coalesce(excluded.text_digest, text_digest),
  simhash = coalesce(excluded.simhash, simhash), title = iif(excluded.title = '', title, excluded.title)
  WHERE NOT (page.outcome = 'kept' AND excluded.outcome = 'later')
RETURNING id, looks`

/** Returns nothing: a row that stayed as it was has no news for its links either. */
export function writePage(tx: Tx, site: bigint, page: PageReport): void {
  const row = pageRow(site, page)
  const written = sqliteTx(tx).get<{ id: number; looks: number }>(
    UPSERT,
    row.site,
    row.key,
    row.url,
    row.depth,
    row.via,
    row.path,
    row.status,
    row.outcome,
    row.why,
    row.detail,
    row.mediaType,
    row.bytes,
    row.tookMs,
    row.tries,
    row.at,
    row.digest,
    row.textDigest,
    row.simhash,
    row.title,
    row.annotations,
    row.sniffed,
    row.language,
  )
  if (written !== undefined) writeLinks(tx, written.id, written.looks === 1, page)
}

/** Its site was given up: what was to be tried again is gone with it. */
export function giveUpPages(tx: Tx, site: bigint): void {
  sqliteTx(tx).run(`UPDATE page SET outcome = 'gone' WHERE site = ? AND outcome = 'later'`, site)
}
