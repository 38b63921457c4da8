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
import { lastmodOf, MARKS, NOT_FOUND, WAITING } from './mark.ts'
import type { SiteRow } from './site.ts'

export const MAX_SPELLINGS = 3

/** Where a URL's row is. */
export interface UrlAt {
  readonly site: bigint
  readonly key: bigint
}

export interface KnownText {
  url: string
  mark: number
}

/** A text of a URL, and how it was found. */
export interface UrlText {
  url: string
  depth: number
  via_site: bigint | null
  via_key: bigint | null
  path: string
}

export interface Spelling extends UrlText {
  /** 1, 2, 3. */
  readonly position: number
  tried: number
}

/** What a transaction does with the spellings of one site's URLs. */
export interface SpellingWork {
  readonly site: SiteRow
  readonly urls: UrlReader
  textOf(link: Pick<Link, 'url' | 'depth' | 'via' | 'path'>): UrlText
  /** In the order of their positions. */
  of(at: UrlAt): readonly Spelling[]
  /** At the position of one that is there, or after the last. */
  put(at: UrlAt, spelling: Spelling): void
  /** A sitemap may say something newer of the URL, if it is known. */
  freshen(at: UrlAt, link: Pick<Link, 'lastmod'>): void
  /** The URL waits with this text, as one that was never visited. */
  respell(at: UrlAt, text: UrlText): void
  /** Enters a URL under its own key, apart from its folder's. Returns 1 when it is new. */
  addApart(key: bigint, text: UrlText, lastmod: number | null): number
}

/** Whether another text of a known URL can be of any use. */
export function isNewText(known: KnownText, url: string): boolean {
  return (known.mark === WAITING || known.mark === NOT_FOUND) && !isSameText(known.url, url)
}

/** What an offered link is beside the known text of its key, or beside the text of an earlier link of the same batch. */
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
export function enterKnown(work: SpellingWork, known: KnownText & UrlAt, link: Link): boolean {
  const text = work.textOf(link)
  if (work.urls.areTwoIndexes(known.url, link.url)) return enterIndex(work, known, link, text)
  work.freshen(known, link)
  return addSpelling(work, known, text)
}

/** A text that names the folder's index differently than the known one does. True when something waits that did not. */
export function enterIndex(
  work: SpellingWork,
  known: KnownText & UrlAt,
  link: Pick<Link, 'lastmod'>,
  text: UrlText,
): boolean {
  const { urls } = work
  const others = [...work.of(known)]
  const isThere = others.some(({ url }) => isSameText(url, text.url))
  if (!isApart(known, others, text.url, urls)) {
    work.freshen(known, link)
    if (isThere) return false
    if (isNewText(known, text.url)) return addSpelling(work, known, text)
    if (!isNamed(others, text.url, urls)) work.put(known, { ...text, position: others.length + 1, tried: 0 })
    return false
  }
  let entered = 0
  for (const other of others)
    if (other.tried === 0 && urls.areTwoIndexes(known.url, other.url)) {
      entered += addApart(work, textOnly(other), null)
      putTried(work, known, other.position, other.url)
    }
  const own = urls.keyApart(text.url)
  if (isThere) {
    if (own !== undefined) work.freshen({ site: known.site, key: signed64(own) }, link)
    return entered > 0
  }
  entered += addApart(work, text, lastmodOf(link))
  if (others.length < MAX_SPELLINGS) putTried(work, known, others.length + 1, text.url)
  return entered > 0
}

function addApart(work: SpellingWork, text: UrlText, lastmod: number | null): number {
  const key = work.urls.keyApart(text.url)
  return key === undefined ? 0 : work.addApart(signed64(key), text, lastmod)
}

/** True when the URL waits again with it; otherwise it is kept for later, or is of no use. */
function addSpelling(work: SpellingWork, known: KnownText & UrlAt, text: UrlText): boolean {
  if (work.site.state === 'barred' || !isNewText(known, text.url)) return false
  const others = work.of(known)
  if (others.length >= MAX_SPELLINGS || others.some(({ url }) => isSameText(url, text.url))) return false
  const position = others.length + 1
  if (known.mark === NOT_FOUND) {
    putTried(work, known, position, known.url)
    work.respell(known, text)
    return true
  }
  work.put(known, { ...text, position, tried: 0 })
  return false
}

/** `asked` was not found. When another text has not been tried, the URL waits with it, and the answer is true. */
export function tryNextSpelling(work: SpellingWork, at: UrlAt, asked: string): boolean {
  const next = work.of(at).find(({ tried }) => tried === 0)
  if (next === undefined) return false
  putTried(work, at, next.position, asked)
  work.respell(at, textOnly(next))
  return true
}

/** The server says that the page is at another text of its own URL. That text is fetched, unless it was before. */
export function followSpelling(work: SpellingWork, known: KnownText & UrlAt, page: PageReport, to: string): boolean {
  const others = work.of(known)
  // The redirect's target is also a link of the page, and entered as that.
  if (work.urls.areTwoIndexes(page.url, to) && isApart(known, others, to, work.urls)) return false
  const there = others.find(({ url }) => url === to)
  if (there === undefined ? others.length >= MAX_SPELLINGS : there.tried === 1) return false
  putTried(work, known, there?.position ?? others.length + 1, page.url)
  const path = pathAfter(page.path, 'R', generationOf(page.path) === 0)
  work.respell(known, work.textOf({ url: to, depth: page.depth, via: page.url, path }))
  return true
}

/** A visit fetched a text that does not wait here; the one that waits still does. */
export function rememberTried(work: SpellingWork, at: UrlAt, asked: string): void {
  const others = work.of(at)
  const position = others.find(({ url }) => url === asked)?.position ?? others.length + 1
  if (position <= MAX_SPELLINGS) putTried(work, at, position, asked)
}

/** How a tried text was found matters no more. */
function putTried(work: SpellingWork, at: UrlAt, position: number, url: string): void {
  work.put(at, { url, depth: 0, via_site: null, via_key: null, path: '', position, tried: 1 })
}

/** Of a row that has more columns. */
export function textOnly({ url, depth, via_site, via_key, path }: UrlText): UrlText {
  return { url, depth, via_site, via_key, path }
}
