/** What the pages of some reports make of the rows that a catalogue has: one decision for both databases. */
import { signed64 } from '../../base/digest.ts'
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import { siteKeyOf } from '../../contracts/visit.ts'
import type { Tx } from '../../database/database.ts'
import { queries } from '../../database/queries.ts'
import { rowWriter, wholeRowWriter, writeRows } from '../../database/write-rows.ts'
import {
  afterFetch,
  type FailedLook,
  failedLook,
  KNOWN_COLUMNS,
  knownRow,
  linksAfterFetch,
  type PageRow,
  pageRow,
  WRITE_PAGES,
} from './page-row.ts'
import { readByKeys, selectByKeys } from './read-pages.ts'

export const READ_KNOWN = selectByKeys(KNOWN_COLUMNS, 'LEFT JOIN page_links l ON l.bucket = p.bucket AND l.page = p.id')
export const READ_UPTO = 'SELECT page FROM inlink_upto WHERE bucket = ?'
export const GIVE_UP = `UPDATE page SET outcome = 'gone' WHERE bucket = ? AND site = ? AND outcome = 'later'`

export const WRITE_LINKS = wholeRowWriter<{ page: number; links: Uint8Array }>('page_links', 'page')
export const WRITE_SKETCHES = wholeRowWriter<{ page: number; sketch: Uint8Array }>('page_sketch', 'page')
/** An earlier note stays: its links are those that the index has. */
export const NOTE_CHANGES = rowWriter<{ page: number; before: Uint8Array | null }>(
  'links_changed',
  ['page', 'before'],
  'page',
)
export const WRITE_FAILED_LOOKS = wholeRowWriter<FailedLook>('failed_look', 'site', 'key', 'slot')

export interface KnownPage {
  id: number
  row: PageRow
  /** Out-links, packed; undefined: it has no row of links. */
  links: Uint8Array | undefined
}

/** The known rows of all pages in some reports, and the last page of the bucket that the reverse index has taken. */
export async function readKnown(tx: Tx, bucket: number, reports: readonly VisitReport[]) {
  const wanted = reports.flatMap(({ site: name, pages }) => {
    const site = siteKeyOf(name)
    return pages.flatMap(({ key, ownRequest }) => (ownRequest ? [] : [{ site, key: signed64(key) }]))
  })
  const [rows, upto] = await Promise.all([
    readByKeys<FoundRow>(tx, READ_KNOWN, bucket, wanted),
    queries(tx).get<{ page: number }>(READ_UPTO, bucket),
  ])
  const known = rows.map(
    (row): KnownPage => ({ id: Number(row.id), links: row.links ?? undefined, row: knownRow(row) }),
  )
  return { known, indexedUpto: upto!.page }
}

type FoundRow = { id: bigint; links: Uint8Array | null }

interface Entry extends KnownPage {
  before: Uint8Array | undefined
  isNew: boolean
  changed: boolean
  /** If a look brought the page. */
  sketch?: Uint8Array
}

const NONE = new Uint8Array(0)

/** One row per page, however often it comes. */
export class PageChanges {
  /** By site and key. */
  readonly #entries = new Map<string, Entry>()
  readonly #bySite = new Map<bigint, Entry[]>()
  readonly #givenUp = new Set<bigint>()
  /** By page and slot: of one part, the last. */
  readonly #failed = new Map<string, FailedLook>()
  readonly #nextId: () => number

  constructor(known: readonly KnownPage[], nextId: () => number) {
    this.#nextId = nextId
    for (const page of known) this.#add({ ...page, before: page.links, isNew: false, changed: false })
  }

  #add(entry: Entry): void {
    const { site } = entry.row
    this.#entries.set(nameOf(entry.row), entry)
    const others = this.#bySite.get(site)
    if (others === undefined) this.#bySite.set(site, [entry])
    else others.push(entry)
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

  /** By id. `links`: undefined if unchanged; `before`: the links that a known page had. */
  changed() {
    const changed: (Pick<Entry, 'id' | 'row' | 'links' | 'isNew' | 'sketch'> & { before: Uint8Array | null })[] = []
    for (const { id, row, links, before, isNew, sketch, changed: isChanged } of this.#entries.values()) {
      if (!isChanged) continue
      const areOthers = Buffer.compare(before ?? NONE, links ?? NONE) !== 0
      changed.push({ id, row, links: areOthers ? (links ?? NONE) : undefined, before: before ?? null, isNew, sketch })
    }
    return changed.sort((a, b) => a.id - b.id)
  }

  /** If the reverse index has taken a page already, it must learn that the links have changed. */
  async write(tx: Tx, bucket: number, indexedUpto: number): Promise<void> {
    const pages = this.changed()
    const linked = pages.flatMap(({ id: page, links, before, isNew }) =>
      links === undefined ? [] : [{ page, links, before, isNew }],
    )
    const noted = linked.filter(({ page, isNew }) => !isNew && page <= indexedUpto)
    const sketched = pages.flatMap(({ id: page, sketch }) => (sketch === undefined ? [] : [{ page, sketch }]))
    const rows = pages.map(({ id, row }) => ({ id, ...row }))
    await Promise.all([
      // First: results of a page that came after its site was given up count.
      ...this.givenUp.map((site) => queries(tx).run(GIVE_UP, bucket, site)),
      writeRows(tx, WRITE_PAGES, bucket, rows),
      writeRows(tx, WRITE_LINKS, bucket, linked),
      writeRows(tx, WRITE_SKETCHES, bucket, sketched),
      writeRows(tx, NOTE_CHANGES, bucket, noted),
      writeRows(tx, WRITE_FAILED_LOOKS, bucket, [...this.#failed.values()]),
    ])
  }

  #addFetch(site: bigint, page: PageReport): void {
    const fetched = pageRow(site, page)
    const name = nameOf(fetched)
    const known = this.#entries.get(name)
    if (known === undefined) {
      const { links, memory } = page
      const entry = { id: this.#nextId(), row: fetched, links, sketch: memory?.sketch }
      this.#add({ ...entry, before: undefined, isNew: true, changed: true })
      return
    }
    const row = afterFetch(known.row, fetched)
    const failed = failedLook(known.row, row, page)
    if (failed !== undefined) this.#failed.set(`${name} ${failed.slot}`, failed)
    known.links = linksAfterFetch(page, known.row) ?? known.links
    known.row = row
    known.sketch = page.memory?.sketch ?? known.sketch
    known.changed = true
  }

  #giveUp(site: bigint): void {
    this.#givenUp.add(site)
    for (const entry of this.#bySite.get(site) ?? []) {
      if (entry.row.outcome !== 'later') continue
      entry.row = { ...entry.row, outcome: 'gone' }
      entry.changed = true
    }
  }
}

const nameOf = ({ site, key }: Pick<PageRow, 'site' | 'key'>) => `${site} ${key}`
