/** What becomes of other texts of a URL: see `../rules/spellings.ts`. The URL was read, with its spellings; its site is locked. */
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { GONE, lastmodOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { isApart, isNamed, isNewText, MAX_SPELLINGS, pathOfMove } from '../rules/spellings.ts'
import { enqueue, freshen } from './enqueue.ts'
import type { UrlPlace, UrlRow } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** Where links may be entered, and pages marked: under their keys, and apart from the folder whose index they are. */
export function placesOfLinks(
  working: WorkingSet,
  site: bigint,
  links: readonly Pick<Link, 'url' | 'key'>[],
): UrlPlace[] {
  return links.flatMap(({ url, key }) => {
    const other = working.tools.urls.keyApart(url)
    return [key, ...(other === undefined ? [] : [other])].map((one) => ({ site, key: signed64(one) }))
  })
}

/** A link that may be another text of a known URL. */
export function enterSpelling(working: WorkingSet, site: SiteRow, link: Link): 'fresh' | 'again' | 'of no use' {
  const known = working.urls.get(site.key, signed64(link.key))
  if (known === undefined) return enqueue(working, site, [link]) === 1 ? 'fresh' : 'of no use'
  if (working.tools.urls.areTwoIndexes(known.url, link.url))
    return enterIndex(working, site, known, link, textOf(working, link)) ? 'again' : 'of no use'
  freshen(working, known, link)
  return addSpelling(working, site, known, textOf(working, link)) ? 'again' : 'of no use'
}

/**
 * A visit asked for another name of the folder's index than waits under the page's key: others entered that while it was
 * out. What waits there, which has to be entered again.
 */
export function waitingIndex({ tools }: WorkingSet, known: UrlRow | undefined, page: PageReport): Text | undefined {
  if (known?.mark !== WAITING || !tools.urls.areTwoIndexes(known.url, page.url)) return undefined
  const { url, depth, via_site, via_key, path } = known
  return { url, depth, via_site, via_key, path }
}

/** A text that names the folder's index differently than the known one does. True when something waits that did not. */
export function enterIndex(
  working: WorkingSet,
  site: SiteRow,
  known: UrlRow,
  link: Pick<Link, 'lastmod'>,
  text: Text,
): boolean {
  const { urls } = working.tools
  const others = working.spellings.of(known)
  const there = others.find(({ url }) => isSameText(url, text.url))
  if (!isApart(known, others, text.url, urls)) {
    freshen(working, known, link)
    if (there !== undefined) return false
    if (isNewText(known, text.url)) return addSpelling(working, site, known, text)
    const place = others.length + 1
    if (!isNamed(others, text.url, urls))
      working.spellings.put({ site: known.site, key: known.key, place, ...text, tried: 0 })
    return false
  }
  let entered = 0
  for (const other of [...others])
    if (other.tried === 0 && urls.areTwoIndexes(known.url, other.url)) {
      const { url, depth, via_site, via_key, path } = other
      entered += enqueueApart(working, site, { url, depth, via_site, via_key, path }, null)
      putTried(working, known, other.place, url)
    }
  if (there !== undefined) {
    const own = rowApart(working, site, text.url)
    if (own !== undefined) freshen(working, own, link)
    return entered > 0
  }
  entered += enqueueApart(working, site, text, lastmodOf(link))
  if (others.length < MAX_SPELLINGS) putTried(working, known, others.length + 1, text.url)
  return entered > 0
}

export function rowApart(working: WorkingSet, site: SiteRow, url: string): UrlRow | undefined {
  const key = working.tools.urls.keyApart(url)
  return key === undefined ? undefined : working.urls.get(site.key, signed64(key))
}

/** 1 when it is new under its own key. */
function enqueueApart(working: WorkingSet, site: SiteRow, text: Text, lastmod: number | null): number {
  const key = working.tools.urls.keyApart(text.url)
  if (key === undefined || working.urls.get(site.key, signed64(key)) !== undefined) return 0
  const mark = site.state === 'barred' ? GONE : WAITING
  const when = { seq: ++site.seq, enqueued_at: working.now, due_at: 0, tries: 0 }
  working.urls.add({ site: site.key, key: signed64(key), ...text, ...when, mark, lastmod })
  site.known++
  if (mark === WAITING) site.waiting++
  working.sites.change(site)
  return 1
}

/** True when the URL waits again with it; else it is kept for later, or is of no use. */
function addSpelling(working: WorkingSet, site: SiteRow, known: UrlRow, text: Text): boolean {
  if (site.state === 'barred' || !isNewText(known, text.url)) return false
  const others = working.spellings.of(known)
  if (others.length >= MAX_SPELLINGS || others.some(({ url }) => isSameText(url, text.url))) return false
  const place = others.length + 1
  if (known.mark === NOT_FOUND) {
    putTried(working, known, place, known.url)
    respell(working, site, known, text)
    return true
  }
  working.spellings.put({ site: known.site, key: known.key, place, ...text, tried: 0 })
  return false
}

/** `asked` was not found: when another text has not been tried, the URL waits with it, and it is true. */
export function tryNextSpelling(working: WorkingSet, site: SiteRow, known: UrlRow, asked: string): boolean {
  const next = working.spellings.of(known).find(({ tried }) => tried === 0)
  if (next === undefined) return false
  const { place, url, depth, via_site, via_key, path } = next
  putTried(working, known, place, asked)
  respell(working, site, known, { url, depth, via_site, via_key, path })
  return true
}

/** The page is at another text of its own URL, says the server: that one is asked for, if it was not before. */
export function followSpelling(
  working: WorkingSet,
  site: SiteRow,
  known: UrlRow,
  page: PageReport,
  to: string,
): boolean {
  const others = working.spellings.of(known)
  const { urls } = working.tools
  // It is a link of the page as well, and entered as that.
  if (urls.areTwoIndexes(page.url, to) && isApart(known, others, to, urls)) return false
  const there = others.find(({ url }) => url === to)
  if (there === undefined ? others.length >= MAX_SPELLINGS : there.tried === 1) return false
  putTried(working, known, there?.place ?? others.length + 1, page.url)
  respell(
    working,
    site,
    known,
    textOf(working, { url: to, depth: page.depth, via: page.url, path: pathOfMove(page.path) }),
  )
  return true
}

/** Asked for by a visit that did not know the text that waits here: that one still does. */
export function rememberTried(working: WorkingSet, known: UrlRow, asked: string): void {
  const others = working.spellings.of(known)
  const place = others.find(({ url }) => url === asked)?.place ?? others.length + 1
  if (place <= MAX_SPELLINGS) putTried(working, known, place, asked)
}

type Text = Pick<UrlRow, 'url' | 'depth' | 'via_site' | 'via_key' | 'path'>

function textOf(working: WorkingSet, { url, depth, via, path }: Pick<Link, 'url' | 'depth' | 'via' | 'path'>): Text {
  const page = working.pageOf(via)
  return { url, depth, via_site: page.site, via_key: page.key, path }
}

/** In the place of the one that was not found: it waits as a URL that was never visited. */
function respell(working: WorkingSet, site: SiteRow, known: UrlRow, text: Text): void {
  Object.assign(known, text, { seq: ++site.seq, enqueued_at: working.now, due_at: 0, tries: 0, mark: WAITING })
  site.waiting++
  working.sites.change(site)
  working.urls.change(known)
}

/** How it was found matters no more. */
function putTried(working: WorkingSet, { site, key }: UrlRow, place: number, url: string): void {
  working.spellings.put({ site, key, place, url, depth: 0, via_site: null, via_key: null, path: '', tried: 1 })
}
