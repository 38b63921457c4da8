/** What was learnt of a page, into the catalogue. One row a URL, the last look's; captures keep the history. */
import { never } from '../../base/assert.ts'
import { signed64 } from '../../base/digest.ts'
import type { Tx } from '../../database/database.ts'
import { sqliteTx } from '../../database/sqlite/tx.ts'
import type { Outcome } from '../../visit/outcome.ts'
import type { PageReport } from '../../visit/report.ts'
import { writeLinks } from '../links/write-links.ts'

/** Longest title and note that a row carries; a page may say what it wants. */
const LONGEST_TITLE = 500
const LONGEST_NOTES = 500

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
  const told = tell(page.outcome)
  const { memory } = page
  const row = sqliteTx(tx).get<{ id: number; looks: number }>(
    UPSERT,
    site,
    signed64(page.key),
    page.url,
    page.depth,
    page.via ?? null,
    page.path,
    page.status,
    page.outcome.kind,
    told.why,
    told.detail,
    page.mediaType,
    page.bytes,
    Math.round(page.tookMs),
    page.tries,
    Math.round(page.at),
    memory?.digest ?? page.capture?.digest ?? null,
    memory === undefined ? null : signed64(memory.textDigest),
    memory === undefined ? null : signed64(memory.simhash),
    page.title.slice(0, LONGEST_TITLE),
    page.annotations.join(',').slice(0, LONGEST_NOTES),
    page.sniffed ?? null,
    page.language ?? null,
  )
  if (row !== undefined) writeLinks(tx, row.id, row.looks === 1, page)
}

/** An outcome as two columns that people can ask for: the reason, and what goes with it. */
function tell(outcome: Outcome): { why: string | null; detail: string | null } {
  switch (outcome.kind) {
    case 'kept':
      return { why: outcome.how, detail: null }
    case 'moved':
      return { why: null, detail: outcome.to }
    case 'refused':
      return { why: outcome.by, detail: outcome.rule }
    case 'read':
      return { why: outcome.as, detail: `${outcome.urls} URLs` }
    case 'gone':
    case 'later':
      return { why: outcome.why, detail: null }
    default:
      return never(outcome)
  }
}

/** Its site was given up: what was to be tried again is gone with it. */
export function giveUpPages(tx: Tx, site: bigint): void {
  sqliteTx(tx).run(`UPDATE page SET outcome = 'gone' WHERE site = ? AND outcome = 'later'`, site)
}
