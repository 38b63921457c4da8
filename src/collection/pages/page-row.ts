/** A page as its row, and what a row becomes when the page is looked at again. */
import { never } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import type { PageReport } from '../../contracts/report.ts'

/** Longest title and note that a row carries; a page may say what it wants. */
const LONGEST_TITLE = 500
const LONGEST_NOTES = 500

/** Keys signed, as the tables have them. */
export interface PageRow {
  site: bigint
  key: bigint
  url: string
  depth: number
  via: string | null
  path: string
  status: number
  outcome: Outcome['kind']
  why: string | null
  detail: string | null
  mediaType: string
  bytes: number
  tookMs: Millis
  tries: number
  firstAt: Instant
  at: Instant
  looks: number
  digest: string | null
  textDigest: bigint | null
  simhash: bigint | null
  title: string
  annotations: string
  sniffed: string | null
  language: string | null
}

/** As of its first look. */
export function pageRow(site: bigint, page: PageReport): PageRow {
  const { memory } = page
  const at = Math.round(page.at)
  return {
    site,
    key: signed64(page.key),
    url: page.url,
    depth: page.depth,
    via: page.via ?? null,
    path: page.path,
    status: page.status,
    outcome: page.outcome.kind,
    ...tell(page.outcome),
    mediaType: page.mediaType,
    bytes: page.bytes,
    tookMs: Math.round(page.tookMs),
    tries: page.tries,
    firstAt: at,
    at,
    looks: 1,
    digest: memory?.digest ?? page.capture?.digest ?? null,
    textDigest: memory === undefined ? null : signed64(memory.textDigest),
    simhash: memory === undefined ? null : signed64(memory.simhash),
    title: page.title.slice(0, LONGEST_TITLE),
    // Text of a server's may be among them: its commas part nothing.
    annotations: page.annotations
      .map((note) => note.replaceAll(',', ';'))
      .join(',')
      .slice(0, LONGEST_NOTES),
    sniffed: page.sniffed ?? null,
    language: page.language ?? null,
  }
}

/**
 * A look that brought nothing new keeps what an earlier one found: its digest and signatures; and a failure that passes
 * (`later`) does not make a kept page unkept: then there is no news. SQLite does the same in SQL (`write-page.ts`).
 */
export function afterLook(known: PageRow, look: PageRow): PageRow | undefined {
  if (known.outcome === 'kept' && look.outcome === 'later') return undefined
  return {
    ...look,
    depth: known.depth,
    via: known.via,
    path: known.path,
    firstAt: known.firstAt,
    looks: known.looks + 1,
    language: look.language ?? known.language,
    mediaType: look.mediaType === '' ? known.mediaType : look.mediaType,
    bytes: look.why === 'same' ? known.bytes : look.bytes,
    digest: look.digest ?? known.digest,
    textDigest: look.textDigest ?? known.textDigest,
    simhash: look.simhash ?? known.simhash,
    title: look.title === '' ? known.title : look.title,
  }
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
