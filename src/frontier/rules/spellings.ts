/**
 * Other spellings of a URL. The rules that make a key may be wrong about a site (session ids, index files). When the text that
 * was fetched is not found, the next one seen is tried. The URL's row has the text that waits or was fetched last, `url_spelling`
 * at most three others: a URL is never fetched under more than four texts, and under none twice (C1).
 *
 * A folder and the names of its index share a key, too. As long as they may be one page (`UrlReader.mayBeSeveral`), one of them
 * is fetched, and the other is kept in `url_spelling` even after that one was found. As soon as they may be more than one page,
 * each is a URL with a key of its own, in whatever order they were seen.
 */
import { signed64 } from '../../base/digest.ts'
import { generationOf, pathAfter } from '../../contracts/generation.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import { isSameText, type UrlReader } from '../../web/url/web-url.ts'
import { forgetKnown, hintByLink } from './known-pages.ts'
import { GONE, isNewer, lastmodOf, MARKS, NOT_FOUND, WAITING } from './mark.ts'
import type { Rows } from './rows.ts'
import { isGivenUp, type SiteRow } from './site.ts'
import { type KnownText, newUrl, type UrlAt, type UrlRow, type UrlText } from './url-rows.ts'

export const MAX_SPELLINGS = 3

/** A URL with the page on which it was found. */
export function textOf(
  rows: Rows,
  { url, depth, via, path }: Pick<PageReport, 'url' | 'depth' | 'via' | 'path'>,
): UrlText {
  const page = rows.tools.pageOf(via)
  return { url, depth, via_site: page.site, via_key: page.key, path }
}

/** A sitemap may have newer facts about a known URL. */
export function freshen(rows: Rows, row: UrlRow | undefined, link: Pick<Link, 'lastmod'>): void {
  const lastmod = lastmodOf(link)
  if (row === undefined || lastmod === null || !isNewer(lastmod, row.lastmod)) return
  row.lastmod = lastmod
  rows.urls.change(row)
  hintByLink(rows, row, lastmod)
}

/** The URL waits with this text, as one that was never visited. */
function respell(rows: Rows, site: SiteRow, row: UrlRow, text: UrlText): void {
  forgetKnown(rows, site, row)
  Object.assign(row, text, { seq: ++site.seq, enqueued_at: rows.now, due_at: 0, tries: 0, mark: WAITING })
  site.waiting++
  rows.sites.grow(site)
  rows.urls.change(row)
}

/** Whether another text of a known URL can be of any use. */
export function isNewText(known: KnownText, url: string): boolean {
  return (known.mark === WAITING || known.mark === NOT_FOUND) && !isSameText(known.url, url)
}

/** How an offered link relates to the known text of its key, or to the text of an earlier link of the same batch. */
export function kindOfLink(
  known: KnownText | undefined,
  before: string | undefined,
  url: string,
  urls: UrlReader,
): 'new' | 'spelling' | 'known' {
  if (known === undefined) return before === undefined ? 'new' : isSameText(before, url) ? 'known' : 'spelling'
  return isNewText(known, url) || urls.areTwoIndexes(known.url, url) ? 'spelling' : 'known'
}

/** Whether another index of the folder is a URL of its own, beside the known text and the other texts of its key. */
function isApart(known: KnownText, others: readonly { url: string }[], url: string, urls: UrlReader): boolean {
  if (urls.mayBeSeveral([known.url, url, ...others.map((other) => other.url)])) return true
  // Session ids make any number of texts of one name. One more is fetched only when the server redirects to it.
  const isOneMore = MARKS[known.mark] !== 'moved' && isNamed(others, url, urls)
  return others.length >= MAX_SPELLINGS && !isOneMore
}

/** Whether one of them names the folder's index as this URL does. */
function isNamed(others: readonly { url: string }[], url: string, urls: UrlReader): boolean {
  return others.some((other) => !urls.areTwoIndexes(other.url, url))
}

/** A link whose key is known, perhaps under another text. True when something waits that did not. */
export function enterKnown(rows: Rows, site: SiteRow, known: UrlRow, link: Link): boolean {
  const text = textOf(rows, link)
  if (rows.tools.urls.areTwoIndexes(known.url, link.url)) return enterIndex(rows, site, known, link, text)
  freshen(rows, known, link)
  return addSpelling(rows, site, known, text)
}

/** A text that names the folder's index differently than the known one does. True when something waits that did not. */
export function enterIndex(
  rows: Rows,
  site: SiteRow,
  known: UrlRow,
  link: Pick<Link, 'lastmod'>,
  text: UrlText,
): boolean {
  const { urls } = rows.tools
  const others = [...rows.spellings.of(known)]
  const isThere = others.some(({ url }) => isSameText(url, text.url))
  if (!isApart(known, others, text.url, urls)) {
    freshen(rows, known, link)
    if (isThere) return false
    if (isNewText(known, text.url)) return addSpelling(rows, site, known, text)
    if (!isNamed(others, text.url, urls)) rows.spellings.put(known, { ...text, position: others.length + 1, tried: 0 })
    return false
  }
  let entered = 0
  for (const other of others)
    if (other.tried === 0 && urls.areTwoIndexes(known.url, other.url)) {
      entered += addApart(rows, site, textOnly(other), null)
      putTried(rows, known, other.position, other.url)
    }
  if (isThere) {
    freshen(rows, rowApart(rows, site, text.url), link)
    return entered > 0
  }
  entered += addApart(rows, site, text, lastmodOf(link))
  if (others.length < MAX_SPELLINGS) putTried(rows, known, others.length + 1, text.url)
  return entered > 0
}

/** The row that a URL has as an index of its own, apart from its folder. */
export function rowApart(rows: Rows, site: SiteRow, url: string): UrlRow | undefined {
  const key = rows.tools.urls.keyApart(url)
  return key === undefined ? undefined : rows.urls.get(site.key, signed64(key))
}

/** Enters a URL under its own key, apart from its folder's. Returns 1 when it is new. */
function addApart(rows: Rows, site: SiteRow, text: UrlText, lastmod: number | null): number {
  const own = rows.tools.urls.keyApart(text.url)
  if (own === undefined || rowApart(rows, site, text.url) !== undefined) return 0
  const mark = isGivenUp(site) ? GONE : WAITING
  const at = { site: site.key, key: signed64(own) }
  rows.urls.add(newUrl(at, text, { seq: ++site.seq, enqueued_at: rows.now, mark, lastmod }))
  site.known++
  if (mark === WAITING) site.waiting++
  rows.sites.grow(site)
  return 1
}

/** True when the URL waits again with it; otherwise it is kept for later, or is of no use. */
function addSpelling(rows: Rows, site: SiteRow, known: UrlRow, text: UrlText): boolean {
  if (isGivenUp(site) || !isNewText(known, text.url)) return false
  const others = rows.spellings.of(known)
  if (others.length >= MAX_SPELLINGS || others.some(({ url }) => isSameText(url, text.url))) return false
  const position = others.length + 1
  if (known.mark === NOT_FOUND) {
    putTried(rows, known, position, known.url)
    respell(rows, site, known, text)
    return true
  }
  rows.spellings.put(known, { ...text, position, tried: 0 })
  return false
}

/** `asked` was not found. When another text has not been tried, the URL waits with it, and the answer is true. */
export function tryNextSpelling(rows: Rows, site: SiteRow, row: UrlRow, asked: string): boolean {
  const next = rows.spellings.of(row).find(({ tried }) => tried === 0)
  if (next === undefined) return false
  putTried(rows, row, next.position, asked)
  respell(rows, site, row, textOnly(next))
  return true
}

/** The server says that the page is at another text of its own URL. That text is fetched, unless it was before. */
export function followSpelling(rows: Rows, site: SiteRow, known: UrlRow, page: PageReport, to: string): boolean {
  const { urls } = rows.tools
  const others = rows.spellings.of(known)
  // The redirect's target is also a link of the page, and entered as that.
  if (urls.areTwoIndexes(page.url, to) && isApart(known, others, to, urls)) return false
  const there = others.find(({ url }) => url === to)
  if (there === undefined ? others.length >= MAX_SPELLINGS : there.tried === 1) return false
  putTried(rows, known, there?.position ?? others.length + 1, page.url)
  const path = pathAfter(page.path, 'R', generationOf(page.path) === 0)
  respell(rows, site, known, textOf(rows, { url: to, depth: page.depth, via: page.url, path }))
  return true
}

/** A visit fetched a text that does not wait here; the one that waits still does. */
export function rememberTried(rows: Rows, at: UrlAt, asked: string): void {
  const others = rows.spellings.of(at)
  const position = others.find(({ url }) => url === asked)?.position ?? others.length + 1
  if (position <= MAX_SPELLINGS) putTried(rows, at, position, asked)
}

/** How a tried text was found matters no more. */
function putTried({ spellings }: Rows, at: UrlAt, position: number, url: string): void {
  spellings.put(at, { url, depth: 0, via_site: null, via_key: null, path: '', position, tried: 1 })
}

/**
 * A visit fetched another name of the folder's index than waits under the page's key: others entered that while the visit was
 * out. Returns what waits there, which has to be entered again.
 */
export function waitingIndex(urls: UrlReader, known: UrlRow | undefined, page: PageReport): UrlText | undefined {
  return known?.mark === WAITING && urls.areTwoIndexes(known.url, page.url) ? textOnly(known) : undefined
}

/** The rows that links may be entered at and pages marked in: under their keys, and apart from the folder whose index they are. */
export function rowsOfLinks(urls: UrlReader, site: bigint, links: readonly Pick<Link, 'url' | 'key'>[]): UrlAt[] {
  return links.flatMap(({ url, key }) => {
    const other = urls.keyApart(url)
    return [key, ...(other === undefined ? [] : [other])].map((one) => ({ site, key: signed64(one) }))
  })
}

/** Of a row that has more columns. */
function textOnly({ url, depth, via_site, via_key, path }: UrlText): UrlText {
  return { url, depth, via_site, via_key, path }
}
