/** Marks the pages of a site's queue by what a visit did with them. */
import { signed64 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { urlsAtAlias } from '../aliases.ts'
import { beginToKnow, isKnowable, lookedAgain } from './known-pages.ts'
import { KEPT, markOf, NOT_FOUND, REPLACED, WAITING } from './mark.ts'
import type { Rows } from './rows.ts'
import { compareBigints, type SiteRow, sitesOf, wake } from './site.ts'
import {
  enterIndex,
  followSpelling,
  rememberTried,
  rowApart,
  textOf,
  tryNextSpelling,
  waitingIndex,
} from './spellings.ts'
import { newUrl, REVIVED, type UrlRow } from './url-rows.ts'
import { isQueued } from './visit.ts'

/** A page that its site does not have. */
export interface MissingPage {
  original: SiteRow
  page: PageReport
}

/** A page of the queue that a visit fetched, its row if it has one, and its place in the queue. */
interface Fetched {
  page: PageReport
  key: bigint
  seq: number
  known: UrlRow | undefined
}

/** In the order of keys. Returns the pages that are not there under any spelling. */
export function markPages(rows: Rows, site: SiteRow, pages: readonly PageReport[]): MissingPage[] {
  const fetched = pages.filter(isQueued).map((page) => ({ page, key: signed64(page.key), seq: ++site.seq }))
  fetched.sort((a, b) => compareBigints(a.key, b.key) || a.seq - b.seq)
  const missing: MissingPage[] = []
  for (const { page, key, seq } of fetched) {
    if (lookAgain(rows, site, page, key, missing)) continue
    if (isMarkedAsItIs(rows, site, page, key)) continue
    const one: Fetched = { page, key, seq, known: rows.urls.get(site.key, key) }
    const { outcome } = page
    if (outcome.kind === 'later') putBack(rows, site, one, outcome.notBefore)
    else if (markOf(outcome) !== NOT_FOUND) markOne(rows, site, one)
    else if (isMissing(rows, site, one)) missing.push({ original: site, page })
    know(rows, site, page, key)
  }
  // Only an answered page has certainly used up a page of the visit's limit; one that was refused unasked has not.
  site.granted = Math.max(0, site.granted - fetched.filter(({ page }) => page.status > 0).length)
  rows.sites.change(site)
  return missing
}

/** A page that was known before keeps its place among the known pages. False: it was not. */
function lookAgain(rows: Rows, site: SiteRow, page: PageReport, key: bigint, missing: MissingPage[]): boolean {
  const { refresh } = rows.tools
  const at = { site: site.key, key }
  const known = refresh && rows.known.get(at)
  const url = known && rows.urls.get(site.key, key)
  if (refresh === undefined || known === undefined || url === undefined) return false
  // A crawl scheduled it since: the visit did that, too.
  if (url.mark === WAITING) markAs(rows, site, url, KEPT, page.tries)
  lookedAgain(rows, refresh, { site, url, row: known, page })
  if (url.mark === NOT_FOUND && !triesOther(rows, site, url, page)) missing.push({ original: site, page })
  else followsItself(rows, site, url, page)
  return true
}

/** A page that was marked just now is looked at again, when refreshing. */
function know(rows: Rows, site: SiteRow, page: PageReport, key: bigint): void {
  const { refresh } = rows.tools
  const mark = refresh && rows.urls.get(site.key, key)?.mark
  if (refresh === undefined || mark === undefined || !isKnowable(mark) || mark !== markOf(page.outcome)) return
  beginToKnow(rows, refresh, site, { site: site.key, key }, page)
}

/** A page whose mark depends on nothing that its row says, as of most pages. False: it is to be decided. */
function isMarkedAsItIs(
  rows: Rows,
  site: SiteRow,
  { outcome, url, tries, key: urlKey }: PageReport,
  key: bigint,
): boolean {
  const { urls, refresh } = rows.tools
  const at = { site: site.key, key }
  if (outcome.kind !== 'kept' || refresh !== undefined) return false
  if (urls.keyApart(url) !== undefined || !rows.urls.markUnread(at, { mark: markOf(outcome), tries, url })) return false
  site.waiting--
  rows.noteText(urlKey, url)
  rows.spellings.keepOnly(at, (other) => urls.areTwoIndexes(url, other.url))
  return true
}

function putBack(rows: Rows, site: SiteRow, one: Fetched, notBefore: number): void {
  const { page, seq, known } = one
  // 0 would mean that it was never visited.
  const dueAt = Math.max(1, rows.tools.time.of(notBefore))
  if (known?.mark !== WAITING) site.waiting++
  if (known === undefined) {
    addPage(rows, site, one, WAITING, dueAt)
    return
  }
  Object.assign(known, { mark: WAITING, due_at: dueAt, tries: page.tries, seq })
  rows.urls.change(known)
}

function markOne(rows: Rows, site: SiteRow, one: Fetched): void {
  const { page, known } = one
  const { urls, texts } = rows.tools
  const mark = markOf(page.outcome)
  // A row that is marked already stays as it is.
  if (known !== undefined && known.mark !== WAITING) return
  const other = waitingIndex(urls, known, page)
  // Found and fetched within the same visit: it has no row yet.
  const row = known ?? addPage(rows, site, one, mark, 0)
  if (known !== undefined) {
    // With the text that was fetched: a visit may have found another one than waited here.
    if (known.url !== page.url) texts.forget(page.key)
    known.url = page.url
    markAs(rows, site, known, mark, page.tries)
  }
  rows.noteText(page.key, page.url)
  if (other !== undefined) {
    const apart = rowApart(rows, site, page.url)
    if (apart?.mark === WAITING) markAs(rows, site, apart, mark, page.tries)
    enterIndex(rows, site, row, {}, other)
  }
  // The page is there: only other names of its folder's index are kept.
  if (!followsItself(rows, site, row, page))
    rows.spellings.keepOnly(row, ({ url }) => urls.areTwoIndexes(page.url, url))
}

/** A server that redirects `/index.html` to `/` must not make us take the page for seen: both have one key. */
function followsItself(rows: Rows, site: SiteRow, row: UrlRow, page: PageReport): boolean {
  const { outcome } = page
  const { urls, texts } = rows.tools
  if (outcome.kind !== 'moved' || outcome.to === page.url || urls.parse(outcome.to)?.key !== page.key) return false
  if (!followSpelling(rows, site, row, page, outcome.to)) return false
  texts.forget(page.key)
  return true
}

/** False: the next spelling of the URL takes its place. */
function isMissing(rows: Rows, site: SiteRow, one: Fetched): boolean {
  const { page, known } = one
  if (known !== undefined && known.mark !== WAITING) return false
  // The text that waits here is another one, unless the standard takes the two for one.
  if (known !== undefined && !isSameText(known.url, page.url)) {
    rememberTried(rows, known, page.url)
    // It may wait as an index of its own, entered while the visit was out.
    const apart = rowApart(rows, site, page.url)
    if (apart?.mark === WAITING && apart.url === page.url) markAs(rows, site, apart, NOT_FOUND, page.tries)
    return false
  }
  if (known !== undefined) markAs(rows, site, known, NOT_FOUND, page.tries)
  const row = known ?? addPage(rows, site, one, NOT_FOUND, 0)
  return !triesOther(rows, site, row, page)
}

/** The next spelling of a URL that was not found takes its place. */
function triesOther(rows: Rows, site: SiteRow, row: UrlRow, page: PageReport): boolean {
  if (!tryNextSpelling(rows, site, row, page.url)) return false
  rows.tools.texts.forget(page.key)
  return true
}

function markAs(rows: Rows, site: SiteRow, row: UrlRow, mark: number, tries: number): void {
  row.mark = mark
  row.tries = tries
  site.waiting--
  rows.urls.change(row)
}

function addPage(rows: Rows, site: SiteRow, { page, key, seq }: Fetched, mark: number, due_at: number): UrlRow {
  const { tries } = page
  const row = newUrl({ site: site.key, key }, textOf(rows, page), { seq, enqueued_at: rows.now, due_at, tries, mark })
  rows.urls.add(row)
  site.known++
  return row
}

/** Originals do not have these pages: a link to an alias may have meant that site. */
export async function reviveAtAliases(rows: Rows, all: readonly MissingPage[]): Promise<void> {
  const tries = all.flatMap(({ original, page }) =>
    rows.names
      .learntNamesOf(original.name)
      .flatMap((site) =>
        urlsAtAlias(rows.tools.urls, site, page).map((key) => ({ site, key: signed64(key), original, page })),
      ),
  )
  if (tries.length === 0) return
  const groups = sitesOf(tries)
  await rows.lockSites(groups.map(({ key }) => key))
  await rows.readUrls(() => groups.flatMap(({ key: site, members }) => members.map(({ key }) => ({ site, key }))))
  for (const { key: siteKey, name, members } of groups) {
    const site = rows.sites.open(siteKey, name)
    if (site === undefined) continue
    let revived = 0
    for (const { key, original, page } of members) {
      const row = rows.urls.get(siteKey, key)
      if (row?.mark !== REPLACED) continue
      // The referrer becomes the page at the original, so that the URL is not moved there again.
      Object.assign(row, REVIVED, { via_site: original.key, via_key: signed64(page.key) })
      rows.urls.change(row)
      revived++
    }
    if (revived === 0) continue
    site.waiting += revived
    rows.sites.grow(site)
    wake(rows, site)
  }
}
