/** What becomes of other texts of a URL: see `../spellings.ts`. The URL was read, with its spellings; its site is locked. */
import { signed64 } from '../../base/digest.ts'
import type { Link, PageReport } from '../../contracts/report.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { lastmodOf } from '../lastmod.ts'
import { GONE, NOT_FOUND, WAITING } from '../mark.ts'
import type { SiteRow } from '../site-row.ts'
import { isApart, isNamed, isNewText, MOST_SPELLINGS, pathOfMove } from '../spellings.ts'
import { enqueue, freshen } from './enqueue.ts'
import type { Sheaf } from './sheaf.ts'
import type { UrlPlace, UrlRow } from './url-rows.ts'

/** Where links may be entered, and pages marked: under their keys, and apart from the folder whose index they are. */
export function placesOfLinks(sheaf: Sheaf, site: bigint, links: readonly Pick<Link, 'url' | 'key'>[]): UrlPlace[] {
  return links.flatMap(({ url, key }) => {
    const other = sheaf.rules.urls.keyApart(url)
    return [key, ...(other === undefined ? [] : [other])].map((one) => ({ site, key: signed64(one) }))
  })
}

/** A link that may be another text of a known URL. */
export function enterSpelling(sheaf: Sheaf, site: SiteRow, link: Link): 'fresh' | 'again' | 'of no use' {
  const known = sheaf.urls.get(site.key, signed64(link.key))
  if (known === undefined) return enqueue(sheaf, site, [link]) === 1 ? 'fresh' : 'of no use'
  if (sheaf.rules.urls.areTwoIndexes(known.url, link.url))
    return enterIndex(sheaf, site, known, link, textOf(sheaf, link)) ? 'again' : 'of no use'
  freshen(sheaf, known, link)
  return addSpelling(sheaf, site, known, textOf(sheaf, link)) ? 'again' : 'of no use'
}

/**
 * A visit asked for another name of the folder's index than waits under the page's key: others entered that while it was
 * out. What waits there, which has to be entered again.
 */
export function waitingIndex({ rules }: Sheaf, known: UrlRow | undefined, page: PageReport): Text | undefined {
  if (known?.mark !== WAITING || !rules.urls.areTwoIndexes(known.url, page.url)) return undefined
  const { url, depth, via_site, via_key, path } = known
  return { url, depth, via_site, via_key, path }
}

/** A text that names the folder's index differently than the known one does. True when something waits that did not. */
export function enterIndex(
  sheaf: Sheaf,
  site: SiteRow,
  known: UrlRow,
  link: Pick<Link, 'lastmod'>,
  text: Text,
): boolean {
  const { urls } = sheaf.rules
  const others = sheaf.spellings.of(known)
  const there = others.find(({ url }) => isSameText(url, text.url))
  if (!isApart(known, others, text.url, urls)) {
    freshen(sheaf, known, link)
    if (there !== undefined) return false
    if (isNewText(known, text.url)) return addSpelling(sheaf, site, known, text)
    const place = others.length + 1
    if (!isNamed(others, text.url, urls))
      sheaf.spellings.put({ site: known.site, key: known.key, place, ...text, tried: 0 })
    return false
  }
  let entered = 0
  for (const other of [...others])
    if (other.tried === 0 && urls.areTwoIndexes(known.url, other.url)) {
      const { url, depth, via_site, via_key, path } = other
      entered += enqueueApart(sheaf, site, { url, depth, via_site, via_key, path }, null)
      putTried(sheaf, known, other.place, url)
    }
  if (there !== undefined) {
    const own = rowApart(sheaf, site, text.url)
    if (own !== undefined) freshen(sheaf, own, link)
    return entered > 0
  }
  entered += enqueueApart(sheaf, site, text, lastmodOf(link))
  if (others.length < MOST_SPELLINGS) putTried(sheaf, known, others.length + 1, text.url)
  return entered > 0
}

export function rowApart(sheaf: Sheaf, site: SiteRow, url: string): UrlRow | undefined {
  const key = sheaf.rules.urls.keyApart(url)
  return key === undefined ? undefined : sheaf.urls.get(site.key, signed64(key))
}

/** 1 when it is new under its own key. */
function enqueueApart(sheaf: Sheaf, site: SiteRow, text: Text, lastmod: number | null): number {
  const key = sheaf.rules.urls.keyApart(text.url)
  if (key === undefined || sheaf.urls.get(site.key, signed64(key)) !== undefined) return 0
  const mark = site.state === 'barred' ? GONE : WAITING
  const when = { seq: ++site.seq, enqueued_at: sheaf.now, due_at: 0, tries: 0 }
  sheaf.urls.add({ site: site.key, key: signed64(key), ...text, ...when, mark, lastmod })
  site.known++
  if (mark === WAITING) site.waiting++
  sheaf.sites.change(site)
  return 1
}

/** True when the URL waits again with it; else it is kept for later, or is of no use. */
function addSpelling(sheaf: Sheaf, site: SiteRow, known: UrlRow, text: Text): boolean {
  if (site.state === 'barred' || !isNewText(known, text.url)) return false
  const others = sheaf.spellings.of(known)
  if (others.length >= MOST_SPELLINGS || others.some(({ url }) => isSameText(url, text.url))) return false
  const place = others.length + 1
  if (known.mark === NOT_FOUND) {
    putTried(sheaf, known, place, known.url)
    respell(sheaf, site, known, text)
    return true
  }
  sheaf.spellings.put({ site: known.site, key: known.key, place, ...text, tried: 0 })
  return false
}

/** `asked` was not found: when another text has not been tried, the URL waits with it, and it is true. */
export function tryNextSpelling(sheaf: Sheaf, site: SiteRow, known: UrlRow, asked: string): boolean {
  const next = sheaf.spellings.of(known).find(({ tried }) => tried === 0)
  if (next === undefined) return false
  const { place, url, depth, via_site, via_key, path } = next
  putTried(sheaf, known, place, asked)
  respell(sheaf, site, known, { url, depth, via_site, via_key, path })
  return true
}

/** The page is at another text of its own URL, says the server: that one is asked for, if it was not before. */
export function followSpelling(sheaf: Sheaf, site: SiteRow, known: UrlRow, page: PageReport, to: string): boolean {
  const others = sheaf.spellings.of(known)
  const { urls } = sheaf.rules
  // It is a link of the page as well, and entered as that.
  if (urls.areTwoIndexes(page.url, to) && isApart(known, others, to, urls)) return false
  const there = others.find(({ url }) => url === to)
  if (there === undefined ? others.length >= MOST_SPELLINGS : there.tried === 1) return false
  putTried(sheaf, known, there?.place ?? others.length + 1, page.url)
  respell(sheaf, site, known, textOf(sheaf, { url: to, depth: page.depth, via: page.url, path: pathOfMove(page.path) }))
  return true
}

/** Asked for by a visit that did not know the text that waits here: that one still does. */
export function rememberTried(sheaf: Sheaf, known: UrlRow, asked: string): void {
  const others = sheaf.spellings.of(known)
  const place = others.find(({ url }) => url === asked)?.place ?? others.length + 1
  if (place <= MOST_SPELLINGS) putTried(sheaf, known, place, asked)
}

type Text = Pick<UrlRow, 'url' | 'depth' | 'via_site' | 'via_key' | 'path'>

function textOf(sheaf: Sheaf, { url, depth, via, path }: Pick<Link, 'url' | 'depth' | 'via' | 'path'>): Text {
  const page = sheaf.pageOf(via)
  return { url, depth, via_site: page.site, via_key: page.key, path }
}

/** In the place of the one that was not found: it waits as a URL that was never visited. */
function respell(sheaf: Sheaf, site: SiteRow, known: UrlRow, text: Text): void {
  Object.assign(known, text, { seq: ++site.seq, enqueued_at: sheaf.now, due_at: 0, tries: 0, mark: WAITING })
  site.waiting++
  sheaf.sites.change(site)
  sheaf.urls.change(known)
}

/** How it was found matters no more. */
function putTried(sheaf: Sheaf, { site, key }: UrlRow, place: number, url: string): void {
  sheaf.spellings.put({ site, key, place, url, depth: 0, via_site: null, via_key: null, path: '', tried: 1 })
}
