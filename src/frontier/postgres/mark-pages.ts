import { signed64 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { markOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import { compareBigints, type SiteRow } from '../rules/site.ts'
import { enterIndex, followSpelling, rememberTried, tryNextSpelling } from '../rules/spellings.ts'
import { isQueued } from '../rules/visit.ts'
import { Spellings, waitingIndex } from './spellings.ts'
import type { UrlRow } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

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

/** What the visit did with each page, in the order of keys. Returns the pages that are not there under any spelling. */
export function markPages(working: WorkingSet, site: SiteRow, pages: readonly PageReport[]): MissingPage[] {
  const fetched = pages.filter(isQueued).map((page) => ({ page, key: signed64(page.key), seq: ++site.seq }))
  fetched.sort((a, b) => compareBigints(a.key, b.key) || a.seq - b.seq)
  const spellings = new Spellings(working, site)
  const missing: MissingPage[] = []
  for (const { page, key, seq } of fetched) {
    const one: Fetched = { page, key, seq, known: working.urls.get(site.key, key) }
    const { outcome } = page
    if (outcome.kind === 'later') putBack(working, site, one, outcome.notBefore)
    else if (markOf(outcome) !== NOT_FOUND) markOne(working, spellings, one)
    else if (isMissing(working, spellings, one)) missing.push({ original: site, page })
  }
  // Only an answered page has certainly used up a page of the visit's limit; one that was refused unasked has not.
  site.granted = Math.max(0, site.granted - fetched.filter(({ page }) => page.status > 0).length)
  working.sites.change(site)
  return missing
}

function putBack(working: WorkingSet, site: SiteRow, one: Fetched, notBefore: number): void {
  const { page, seq, known } = one
  // 0 would mean that it was never visited.
  const dueAt = Math.max(1, working.tools.time.of(notBefore))
  if (known?.mark !== WAITING) site.waiting++
  if (known === undefined) {
    addPage(working, site, one, WAITING, dueAt)
    return
  }
  Object.assign(known, { mark: WAITING, due_at: dueAt, tries: page.tries, seq })
  working.urls.change(known)
}

function markOne(working: WorkingSet, spellings: Spellings, one: Fetched): void {
  const { page, known } = one
  const { outcome } = page
  const { site, urls } = spellings
  const mark = markOf(outcome)
  // A row that is marked already stays as it is.
  if (known !== undefined && known.mark !== WAITING) return
  // Found and fetched within the same visit: it has no row yet.
  const row = known ?? addPage(working, site, one, mark, 0)
  const other = waitingIndex(urls, known, page)
  if (known !== undefined) {
    // With the text that was fetched: a visit may have found another one than waited here.
    known.url = page.url
    markAs(working, site, known, mark, page.tries)
  }
  if (other !== undefined) {
    const apart = spellings.rowApart(page.url)
    if (apart?.mark === WAITING) markAs(working, site, apart, mark, page.tries)
    enterIndex(spellings, row, {}, other)
  }
  // A server that redirects `/index.html` to `/` must not make us take the page for seen: both have one key.
  const follows = outcome.kind === 'moved' && outcome.to !== page.url && urls.parse(outcome.to)?.key === page.key
  if (follows && followSpelling(spellings, row, page, outcome.to)) return
  // The page is there: only other names of its folder's index are kept.
  working.spellings.keepOnly(row, ({ url }) => urls.areTwoIndexes(page.url, url))
}

/** False: the next spelling of the URL takes its place. */
function isMissing(working: WorkingSet, spellings: Spellings, one: Fetched): boolean {
  const { page, known } = one
  const { site } = spellings
  if (known !== undefined && known.mark !== WAITING) return false
  // The text that waits here is another one, unless the standard takes the two for one.
  if (known !== undefined && !isSameText(known.url, page.url)) {
    rememberTried(spellings, known, page.url)
    // It may wait as an index of its own, entered while the visit was out.
    const apart = spellings.rowApart(page.url)
    if (apart?.mark === WAITING && apart.url === page.url) markAs(working, site, apart, NOT_FOUND, page.tries)
    return false
  }
  if (known !== undefined) markAs(working, site, known, NOT_FOUND, page.tries)
  const row = known ?? addPage(working, site, one, NOT_FOUND, 0)
  return !tryNextSpelling(spellings, row, page.url)
}

function markAs(working: WorkingSet, site: SiteRow, row: UrlRow, mark: number, tries: number): void {
  row.mark = mark
  row.tries = tries
  site.waiting--
  working.urls.change(row)
}

function addPage(working: WorkingSet, site: SiteRow, { page, key, seq }: Fetched, mark: number, dueAt: number): UrlRow {
  const via = working.tools.pageOf(page.via)
  const row: UrlRow = {
    site: site.key,
    key,
    url: page.url,
    depth: page.depth,
    via_site: via.site,
    via_key: via.key,
    path: page.path,
    seq,
    enqueued_at: working.now,
    due_at: dueAt,
    tries: page.tries,
    mark,
    lastmod: null,
  }
  working.urls.add(row)
  site.known++
  return row
}
