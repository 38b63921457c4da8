/** What the pages of some reports make of the rows that the catalogue has: pure, one outcome a page however often it comes. */
import type { PageReport, VisitReport } from '../../contracts/report.ts'
import { endsItsLinks } from '../links/ends-its-links.ts'
import { afterLook, type PageRow, pageRow } from '../pages/page-row.ts'
import { siteKeyOf } from '../site-key.ts'

export interface KnownPage {
  id: number
  row: PageRow
  /** Out-links, packed; undefined: it has no row of links. */
  links: Uint8Array | undefined
}

export interface ChangedPage {
  id: number
  row: PageRow
  /** Undefined: as they were. */
  links: Uint8Array | undefined
  /** Of a page that was known: the links that it had. */
  before: Uint8Array | null
  isNew: boolean
}

interface Entry extends KnownPage {
  before: Uint8Array | undefined
  isNew: boolean
  changed: boolean
}

const NONE = new Uint8Array(0)

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
    for (const page of report.pages) if (!page.ownRequest) this.#look(site, page)
    if (report.ended === 'given-up') this.#giveUp(site)
  }

  /** Sites of which what was to be tried again is gone: also in pages that are not among the changed. */
  get givenUp(): bigint[] {
    return [...this.#givenUp]
  }

  /** Sorted as the key is. */
  changed(): ChangedPage[] {
    const changed: ChangedPage[] = []
    for (const [, pages] of [...this.#entries].sort(byKey)) {
      for (const [, { id, row, links, before, isNew, changed: isNews }] of [...pages].sort(byKey)) {
        if (!isNews) continue
        const areOthers = Buffer.compare(before ?? NONE, links ?? NONE) !== 0
        changed.push({ id, row, links: areOthers ? (links ?? NONE) : undefined, before: before ?? null, isNew })
      }
    }
    return changed
  }

  #look(site: bigint, page: PageReport): void {
    const look = pageRow(site, page)
    const pages = this.#ofSite(site)
    const known = pages.get(look.key)
    if (known === undefined) {
      const { links } = page
      pages.set(look.key, { id: this.#nextId(), row: look, links, before: undefined, isNew: true, changed: true })
      return
    }
    const row = afterLook(known.row, look)
    // A row that stayed as it was has no news for its links either.
    if (row === undefined) return
    known.row = row
    known.changed = true
    if (page.links.length > 0 || endsItsLinks(page)) known.links = page.links
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
