/** Pages and their links in bulk on PostgreSQL: one statement per table, sorted by key. */
import { signed64 } from '../../base/digest.ts'
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { PostgresTx } from '../../database/postgres/tx.ts'
import {
  afterFetch,
  knownRow,
  linksAfterFetch,
  PAGE_COLUMNS,
  PAGE_FIELDS,
  PAGE_TYPES,
  type PageRow,
  pageRow,
  SET_PAGE_COLUMNS,
} from '../pages/page-row.ts'
import { columnsOf } from './bucket.ts'

export const READ_KNOWN = `
  SELECT p.id, ${PAGE_COLUMNS.map((name) => `p.${name}`).join(', ')}, l.links
  FROM unnest($2::bigint[], $3::bigint[]) AS wanted(site, key)
  JOIN page p ON p.bucket = $1 AND p.site = wanted.site AND p.key = wanted.key
  LEFT JOIN page_links l ON l.bucket = $1 AND l.page = p.id`
export const READ_UPTO = 'SELECT page FROM inlink_upto WHERE bucket = $1'
export const WRITE_PAGES = `
  INSERT INTO page (bucket, id, ${PAGE_COLUMNS.join(', ')})
  SELECT $1, * FROM unnest($2::bigint[], ${PAGE_TYPES.map((type, i) => `$${i + 3}::${type}[]`).join(', ')})
  ON CONFLICT (bucket, site, key) DO UPDATE SET ${SET_PAGE_COLUMNS}`
export const WRITE_LINKS = `
  INSERT INTO page_links (bucket, page, links) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])
  ON CONFLICT (bucket, page) DO UPDATE SET links = excluded.links`
/** An earlier note stays: its links are those that the index has. */
export const NOTE_CHANGES = `
  INSERT INTO links_changed (bucket, page, before) SELECT $1, * FROM unnest($2::bigint[], $3::bytea[])
  ON CONFLICT (bucket, page) DO NOTHING`
export const GIVE_UP = `UPDATE page SET outcome = 'gone' WHERE bucket = $1 AND site = ANY($2::bigint[]) AND outcome = 'later'`

export interface KnownPage {
  id: number
  row: PageRow
  /** Out-links, packed; undefined: it has no row of links. */
  links: Uint8Array | undefined
}

/** The known rows of all pages in some reports, and the last page of the bucket that the reverse index has taken. */
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
  const [rows, upto] = await Promise.all([
    tx.allExact<{ id: bigint; links: Uint8Array | null }>(
      READ_KNOWN,
      bucket,
      ...columnsOf([...wanted.values()], 'site', 'key'),
    ),
    tx.get<{ page: number }>(READ_UPTO, bucket),
  ])
  const known = rows.map((row) => ({ id: Number(row.id), links: row.links ?? undefined, row: knownRow({ ...row }) }))
  return { known, indexedUpto: upto!.page }
}

export async function writePages(
  tx: PostgresTx,
  bucket: number,
  pages: ReturnType<PageChanges['changed']>,
  givenUp: readonly bigint[],
  indexedUpto: number,
): Promise<void> {
  const linked = pages.flatMap(({ links, ...page }) => (links === undefined ? [] : [{ ...page, links }]))
  const noted = linked.filter(({ id, isNew }) => !isNew && id <= indexedUpto)
  const ids = pages.map(({ id }) => id)
  const rows = pages.map(({ row }) => row)
  await Promise.all([
    // First: results of a page that came after its site was given up count.
    givenUp.length === 0 ? 0 : tx.run(GIVE_UP, bucket, givenUp),
    pages.length === 0 ? 0 : tx.run(WRITE_PAGES, bucket, ids, ...columnsOf(rows, ...PAGE_FIELDS)),
    linked.length === 0 ? 0 : tx.run(WRITE_LINKS, bucket, ...columnsOf(linked, 'id', 'links')),
    noted.length === 0 ? 0 : tx.run(NOTE_CHANGES, bucket, ...columnsOf(noted, 'id', 'before')),
  ])
}

interface Entry extends KnownPage {
  before: Uint8Array | undefined
  isNew: boolean
  changed: boolean
}

const NONE = new Uint8Array(0)

/** What the pages of some reports make of the known rows: pure, one row per page however often it comes. */
export class PageChanges {
  readonly #entries = new Map<bigint, Map<bigint, Entry>>()
  readonly #givenUp = new Set<bigint>()
  readonly #nextId: () => number

  constructor(known: readonly KnownPage[], nextId: () => number) {
    this.#nextId = nextId
    for (const page of known) {
      const { site, key } = page.row
      this.#ofSite(site).set(key, { ...page, before: page.links, isNew: false, changed: false })
    }
  }

  /** In the order in which they were applied. */
  add(report: VisitReport): void {
    const site = siteKeyOf(report.site)
    for (const page of report.pages) if (!page.ownRequest) this.#addFetch(site, page)
    if (report.ended === 'given-up') this.#giveUp(site)
  }

  /** Sites whose pages are not tried again, also those that are not among the changed. */
  get givenUp(): bigint[] {
    return [...this.#givenUp]
  }

  /** Sorted by site and key. `links`: undefined if unchanged; `before`: the links that a known page had. */
  changed() {
    const changed: (Pick<Entry, 'id' | 'row' | 'links' | 'isNew'> & { before: Uint8Array | null })[] = []
    for (const [, pages] of [...this.#entries].sort(byKey)) {
      for (const [, { id, row, links, before, isNew, changed: isChanged }] of [...pages].sort(byKey)) {
        if (!isChanged) continue
        const areOthers = Buffer.compare(before ?? NONE, links ?? NONE) !== 0
        changed.push({ id, row, links: areOthers ? (links ?? NONE) : undefined, before: before ?? null, isNew })
      }
    }
    return changed
  }

  #addFetch(site: bigint, page: PageReport): void {
    const fetched = pageRow(site, page)
    const pages = this.#ofSite(site)
    const known = pages.get(fetched.key)
    if (known === undefined) {
      const { links } = page
      pages.set(fetched.key, { id: this.#nextId(), row: fetched, links, before: undefined, isNew: true, changed: true })
      return
    }
    const row = afterFetch(known.row, fetched)
    if (row === undefined) return
    known.row = row
    known.changed = true
    known.links = linksAfterFetch(page) ?? known.links
  }

  #giveUp(site: bigint): void {
    this.#givenUp.add(site)
    for (const entry of this.#ofSite(site).values()) {
      if (entry.row.outcome !== 'later') continue
      entry.row = { ...entry.row, outcome: 'gone' }
      entry.changed = true
    }
  }

  #ofSite(site: bigint): Map<bigint, Entry> {
    let pages = this.#entries.get(site)
    if (pages === undefined) this.#entries.set(site, (pages = new Map()))
    return pages
  }
}

const byKey = ([one]: [bigint, unknown], [other]: [bigint, unknown]): number => (one < other ? -1 : 1)
