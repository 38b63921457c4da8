/** Pages and their links in bulk: one statement for each table, sorted by key. */
import { signed64 } from '../../base/digest.ts'
import type { Outcome } from '../../contracts/outcome.ts'
import type { VisitReport } from '../../contracts/report.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import type { PageRow } from '../pages/page-row.ts'
import { siteKeyOf } from '../site-key.ts'
import type { ChangedPage, KnownPage } from './page-changes.ts'

export const READ_KNOWN = `
  SELECT p.id, p.site, p.key, p.url, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type, p.bytes,
    p.took_ms, p.tries, p.first_at, p.at, p.looks, p.digest, p.text_digest, p.simhash, p.title, p.annotations, p.sniffed,
    p.language, l.links
  FROM unnest($2::bigint[], $3::bigint[]) AS wanted(site, key)
  JOIN page p ON p.bucket = $1 AND p.site = wanted.site AND p.key = wanted.key
  LEFT JOIN page_links l ON l.bucket = $1 AND l.page = p.id`
export const READ_UPTO = 'SELECT page FROM inlink_upto WHERE bucket = $1'

export const WRITE_PAGES = `
  INSERT INTO page (bucket, id, site, key, url, depth, via, path, status, outcome, why, detail, media_type, bytes, took_ms,
    tries, first_at, at, looks, digest, text_digest, simhash, title, annotations, sniffed, language)
  SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[], $7::text[], $8::text[],
    $9::bigint[], $10::text[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::bigint[],
    $17::bigint[], $18::bigint[], $19::bigint[], $20::text[], $21::bigint[], $22::bigint[], $23::text[], $24::text[],
    $25::text[], $26::text[])
  ON CONFLICT (bucket, site, key) DO UPDATE SET
    url = excluded.url, status = excluded.status, outcome = excluded.outcome, why = excluded.why, detail = excluded.detail,
    media_type = excluded.media_type, bytes = excluded.bytes, took_ms = excluded.took_ms, tries = excluded.tries,
    at = excluded.at, looks = excluded.looks, digest = excluded.digest, text_digest = excluded.text_digest,
    simhash = excluded.simhash, title = excluded.title, annotations = excluded.annotations, sniffed = excluded.sniffed,
    language = excluded.language`
export const WRITE_LINKS = `
  INSERT INTO page_links (bucket, page, links) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])
  ON CONFLICT (bucket, page) DO UPDATE SET links = excluded.links`
/** Already noted: the index still knows the links of that note, not those of a moment ago. */
export const NOTE_CHANGES = `
  INSERT INTO links_changed (bucket, page, before) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])
  ON CONFLICT (bucket, page) DO NOTHING`
export const GIVE_UP = `UPDATE page SET outcome = 'gone' WHERE bucket = $1 AND site = ANY($2::bigint[]) AND outcome = 'later'`

/** The rows of pages that reports tell of, as they are; and up to which page the reverse index has taken the bucket's. */
export async function readKnown(
  tx: PostgresTx,
  bucket: number,
  reports: readonly VisitReport[],
): Promise<{ known: KnownPage[]; indexedUpto: number }> {
  const wanted = new Map<string, { site: bigint; key: bigint }>()
  for (const { site: name, pages } of reports) {
    const site = siteKeyOf(name)
    for (const page of pages) if (!page.ownRequest) wanted.set(`${site} ${page.key}`, { site, key: signed64(page.key) })
  }
  const keys = [...wanted.values()]
  const [rows, upto] = await Promise.all([
    tx.allExact<KnownRow>(
      READ_KNOWN,
      bucket,
      keys.map(({ site }) => site),
      keys.map(({ key }) => key),
    ),
    tx.get<{ page: number }>(READ_UPTO, bucket),
  ])
  return { known: rows.map(knownPage), indexedUpto: upto!.page }
}

export async function writePages(
  tx: PostgresTx,
  bucket: number,
  pages: readonly ChangedPage[],
  givenUp: readonly bigint[],
  indexedUpto: number,
): Promise<void> {
  const linked = pages.filter(({ links }) => links !== undefined)
  const noted = linked.filter(({ id, isNew }) => !isNew && id <= indexedUpto)
  const ids = (some: readonly ChangedPage[]) => some.map(({ id }) => id)
  await Promise.all([
    // First: what was learnt afterwards of a page that was given up counts.
    givenUp.length === 0 ? 0 : tx.run(GIVE_UP, bucket, givenUp),
    pages.length === 0 ? 0 : tx.run(WRITE_PAGES, bucket, ids(pages), ...columnsOf(pages.map(({ row }) => row))),
    linked.length === 0
      ? 0
      : tx.run(
          WRITE_LINKS,
          bucket,
          ids(linked),
          linked.map(({ links }) => links!),
        ),
    noted.length === 0
      ? 0
      : tx.run(
          NOTE_CHANGES,
          bucket,
          ids(noted),
          noted.map(({ before }) => before),
        ),
  ])
}

/** In the order of WRITE_PAGES. */
const COLUMNS: readonly (keyof PageRow)[] = [
  'site',
  'key',
  'url',
  'depth',
  'via',
  'path',
  'status',
  'outcome',
  'why',
  'detail',
  'mediaType',
  'bytes',
  'tookMs',
  'tries',
  'firstAt',
  'at',
  'looks',
  'digest',
  'textDigest',
  'simhash',
  'title',
  'annotations',
  'sniffed',
  'language',
]

function columnsOf(rows: readonly PageRow[]) {
  return COLUMNS.map((column) => rows.map((row) => row[column]))
}

/** Read exactly, because of the keys: every integer is a bigint. */
interface KnownRow {
  id: bigint
  site: bigint
  key: bigint
  url: string
  depth: bigint
  via: string | null
  path: string
  status: bigint
  outcome: Outcome['kind']
  why: string | null
  detail: string | null
  media_type: string
  bytes: bigint
  took_ms: bigint
  tries: bigint
  first_at: bigint
  at: bigint
  looks: bigint
  digest: string | null
  text_digest: bigint | null
  simhash: bigint | null
  title: string
  annotations: string
  sniffed: string | null
  language: string | null
  links: Uint8Array | null
}

function knownPage(row: KnownRow): KnownPage {
  const { id, links, media_type, took_ms, first_at, text_digest, ...same } = row
  return {
    id: Number(id),
    links: links ?? undefined,
    row: {
      ...same,
      depth: Number(row.depth),
      status: Number(row.status),
      mediaType: media_type,
      bytes: Number(row.bytes),
      tookMs: Number(took_ms),
      tries: Number(row.tries),
      firstAt: Number(first_at),
      at: Number(row.at),
      looks: Number(row.looks),
      textDigest: text_digest,
    },
  }
}
