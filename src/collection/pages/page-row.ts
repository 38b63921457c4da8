/** Rows of pages and findings, and how a page's row changes when the page is fetched again: one rule for both databases. */
import { never } from '../../base/assert.ts'
import { signed64, unsigned64 } from '../../base/digest.ts'
import { pick } from '../../base/pick.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import type { Finding, PageReport } from '../../contracts/report.ts'
import { columnTypes } from '../../database/schema/columns.ts'
import { fieldOf, replaced, rowWriter } from '../../database/write-rows.ts'

/** Pages and servers choose titles and notes, so a row limits them. */
const LONGEST_TITLE = 500
const LONGEST_NOTES = 500

/** Keys are signed, as in the tables. */
export type PageRow = ReturnType<typeof pageRow>

const NAMES = [...columnTypes('page').keys()].filter((name) => name !== 'id')
const FIELDS = NAMES.map(fieldOf) as (keyof PageRow)[]
/** With its links, from tables `p` and `l`. */
export const KNOWN_COLUMNS = `p.id, ${NAMES.map((name) => `p.${name}`).join(', ')}, l.links`

const FIXED: ReadonlySet<string> = new Set(['site', 'key', 'depth', 'via', 'path', 'first_at'])
export const WRITE_PAGES = rowWriter<PageRow & { id: number }>(
  'page',
  ['id', ...FIELDS],
  'site, key',
  replaced(NAMES.filter((name) => !FIXED.has(name))),
)

const BIGINTS: ReadonlySet<string> = new Set(['site', 'key', 'textDigest', 'simhash'])

/** From a row that was read exactly, because of its keys: there every integer is a bigint. */
export function knownRow(found: object): PageRow {
  const row: Record<string, unknown> = {}
  for (const [at, field] of FIELDS.entries()) {
    const value = (found as Record<string, unknown>)[NAMES[at]]
    row[field] = typeof value === 'bigint' && !BIGINTS.has(field) ? Number(value) : value
  }
  return row as PageRow
}

/** After its first fetch. */
export function pageRow(site: bigint, page: PageReport) {
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
    ...reasonOf(page.outcome),
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
    etag: memory?.etag ?? null,
    lastModified: memory?.lastModified ?? null,
    title: page.title.slice(0, LONGEST_TITLE),
    // A note may quote a server, so its commas must not look like separators.
    annotations: page.annotations
      .map((note) => note.replaceAll(',', ';'))
      .join(',')
      .slice(0, LONGEST_NOTES),
    sniffed: page.sniffed ?? null,
    language: page.language ?? null,
  }
}

/**
 * After another look. What the look was (time, status, outcome) is that of the last one. What the page is (type, size, digests,
 * title) is that of the last look that brought it: a page that is gone, moved, refused or unreachable now keeps what it was. A
 * temporary failure leaves a kept page kept.
 */
export function afterFetch(known: PageRow, fetched: PageRow): PageRow {
  const looks = known.looks + 1
  if (known.outcome === 'kept' && fetched.outcome === 'later')
    return { ...known, ...validatorsAfter(fetched, known), looks }
  const { depth, via, path, firstAt } = known
  const row = { ...fetched, depth, via, path, firstAt, looks }
  if (!hasContent(known)) return row
  if (!hasContent(fetched)) return { ...row, ...contentOf(known), ...validatorsAfter(fetched, known) }
  if (known.digest !== fetched.digest) return row
  // The page was not read again.
  const { etag, lastModified } = fetched
  const detail = fetched.outcome === known.outcome ? known.detail : fetched.detail
  return { ...row, ...contentOf(known), etag, lastModified, detail }
}

/**
 * Some servers fail on a conditional request: after a failure the page is requested without conditions, unless the
 * server only asked to wait.
 */
function validatorsAfter({ outcome, why }: PageRow, { etag, lastModified }: PageRow) {
  const isFailure = (outcome === 'gone' || outcome === 'later') && why !== 'status-429' && why !== 'status-503'
  return isFailure ? { etag: null, lastModified: null } : { etag, lastModified }
}

/** A look brought it: it was kept, or read as a sitemap. */
export function hasContent({ textDigest }: Pick<PageRow, 'textDigest'>): boolean {
  return textDigest !== null
}

function contentOf(row: PageRow) {
  return pick(
    row,
    ...(['mediaType', 'sniffed', 'language', 'bytes', 'title'] as const),
    ...(['digest', 'textDigest', 'simhash', 'etag', 'lastModified'] as const),
  )
}

/**
 * The packed links of a known page after a fetch; undefined: those it had. A page that was not read this time (304, a failure)
 * keeps its links.
 */
export function linksAfterFetch({ links, outcome }: PageReport, known: PageRow): Uint8Array | undefined {
  const isOther =
    outcome.kind === 'kept'
      ? outcome.how === 'changed' || known.outcome === 'moved'
      : outcome.kind === 'moved' || (outcome.kind === 'gone' && !hasContent(known))
  return links.length > 0 || isOther ? links : undefined
}

/** Failed looks that a page has at most: the next one takes the place of an old one. */
const MAX_FAILED_LOOKS = 50

export type FailedLook = NonNullable<ReturnType<typeof failedLook>>

/** A look at a known page that left no capture: only this row tells of it. `after`: the row after the look. */
export function failedLook(known: PageRow, after: PageRow, page: PageReport) {
  const { kind } = page.outcome
  if (kind === 'kept' || kind === 'moved' || kind === 'read' || page.capture !== undefined) return undefined
  if (!hasContent(known) && known.outcome !== 'moved') return undefined
  const { site, key, looks } = after
  const { at, status } = page
  return {
    ...{ site, key, slot: looks % MAX_FAILED_LOOKS, at: Math.round(at), status, outcome: kind as string },
    ...reasonOf(page.outcome),
  }
}

/** Bits in which two simhashes differ. */
export function bitsApart(one: bigint, other: bigint): number {
  let bits = 0
  for (let left = unsigned64(one ^ other); left > 0n; left &= left - 1n) bits++
  return bits
}

/** An outcome in two columns: the reason, and what goes with it. */
function reasonOf(outcome: Outcome): { why: string | null; detail: string | null } {
  switch (outcome.kind) {
    case 'kept':
      return { why: outcome.how, detail: null }
    case 'moved':
      return { why: null, detail: outcome.to }
    case 'refused':
      return { why: outcome.by, detail: outcome.rule }
    case 'read':
      return { why: outcome.as, detail: `${outcome.urls} URL${outcome.urls === 1 ? '' : 's'}` }
    case 'gone':
    case 'later':
      return { why: outcome.why, detail: null }
    default:
      return never(outcome)
  }
}

const LONGEST_EVIDENCE = 2000
const MAX_EXAMPLES = 3

export function findingRow({ rule, evidence, at, pattern, examples, withdrawn }: Finding) {
  return {
    rule,
    evidence: evidence.slice(0, LONGEST_EVIDENCE),
    at: Math.round(at),
    pattern: pattern?.slice(0, LONGEST_EVIDENCE) ?? null,
    /** JSON. */
    examples: examples === undefined ? null : JSON.stringify(examples.slice(0, MAX_EXAMPLES)),
    withdrawn: withdrawn === true,
  }
}
