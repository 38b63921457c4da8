/** Other spellings of URLs that were read, of sites that are locked; `../rules/spellings.ts` decides what becomes of them. */
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import type { UrlReader } from '../../web/url/web-url.ts'
import { GONE, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { enterKnown, type Spelling, type SpellingWork, textOnly, type UrlAt, type UrlText } from '../rules/spellings.ts'
import { enqueue, freshen } from './enqueue.ts'
import type { UrlRow } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** The rows that links may be entered at and pages marked in: under their keys, and apart from the folder whose index they are. */
export function rowsOfLinks(working: WorkingSet, site: bigint, links: readonly Pick<Link, 'url' | 'key'>[]): UrlAt[] {
  return links.flatMap(({ url, key }) => {
    const other = working.tools.urls.keyApart(url)
    return [key, ...(other === undefined ? [] : [other])].map((one) => ({ site, key: signed64(one) }))
  })
}

export class Spellings implements SpellingWork {
  readonly #working: WorkingSet
  readonly site: SiteRow

  constructor(working: WorkingSet, site: SiteRow) {
    this.#working = working
    this.site = site
  }

  get urls(): UrlReader {
    return this.#working.tools.urls
  }

  textOf({ url, depth, via, path }: Pick<Link, 'url' | 'depth' | 'via' | 'path'>): UrlText {
    const page = this.#working.tools.pageOf(via)
    return { url, depth, via_site: page.site, via_key: page.key, path }
  }

  of(at: UrlAt): readonly Spelling[] {
    return this.#working.spellings.of(at)
  }

  put({ site, key }: UrlAt, spelling: Spelling): void {
    this.#working.spellings.put({ site, key, ...spelling })
  }

  freshen({ site, key }: UrlAt, link: Pick<Link, 'lastmod'>): void {
    const row = this.#working.urls.get(site, key)
    if (row !== undefined) freshen(this.#working, row, link)
  }

  respell({ site, key }: UrlAt, text: UrlText): void {
    const row = this.#working.urls.get(site, key)
    if (row === undefined) return
    Object.assign(row, text, {
      seq: ++this.site.seq,
      enqueued_at: this.#working.now,
      due_at: 0,
      tries: 0,
      mark: WAITING,
    })
    this.site.waiting++
    this.#working.sites.change(this.site)
    this.#working.urls.change(row)
  }

  addApart(key: bigint, text: UrlText, lastmod: number | null): number {
    const { urls, now, sites } = this.#working
    const { site } = this
    if (urls.get(site.key, key) !== undefined) return 0
    const mark = site.state === 'barred' ? GONE : WAITING
    urls.add({ site: site.key, key, ...text, seq: ++site.seq, enqueued_at: now, due_at: 0, tries: 0, mark, lastmod })
    site.known++
    if (mark === WAITING) site.waiting++
    sites.change(site)
    return 1
  }

  /** The row that a URL has as an index of its own, apart from its folder. */
  rowApart(url: string): UrlRow | undefined {
    const key = this.urls.keyApart(url)
    return key === undefined ? undefined : this.#working.urls.get(this.site.key, signed64(key))
  }
}

/**
 * A visit fetched another name of the folder's index than waits under the page's key: others entered that while the visit was
 * out. Returns what waits there, which has to be entered again.
 */
export function waitingIndex(urls: UrlReader, known: UrlRow | undefined, page: PageReport): UrlText | undefined {
  return known?.mark === WAITING && urls.areTwoIndexes(known.url, page.url) ? textOnly(known) : undefined
}

/** A link that may be another text of a known URL. */
export function enterSpelling(working: WorkingSet, site: SiteRow, link: Link): 'fresh' | 'again' | 'of no use' {
  const known = working.urls.get(site.key, signed64(link.key))
  if (known === undefined) return enqueue(working, site, [link]) === 1 ? 'fresh' : 'of no use'
  return enterKnown(new Spellings(working, site), known, link) ? 'again' : 'of no use'
}
