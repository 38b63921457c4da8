import { signed64 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { markOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { enterIndex, followSpelling, rememberTried, rowApart, tryNextSpelling, waitingIndex } from './spellings.ts'
import type { UrlRow } from './url-rows.ts'
import type { WorkingSet } from './working-set.ts'

/** A page that its site does not have. */
export interface MissingPage {
  original: SiteRow
  page: PageReport
}

/**
 * What the visit did with each page, in the order of keys. robots.txt and probes never were in the queue. Says which pages
 * are not there under any text.
 */
export function markPages(working: WorkingSet, site: SiteRow, pages: readonly PageReport[]): MissingPage[] {
  const asked = pages
    .filter((page) => !page.ownRequest)
    .map((page) => ({ page, key: signed64(page.key), seq: ++site.seq }))
  asked.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.seq - b.seq))
  const missing: MissingPage[] = []
  for (const { page, key, seq } of asked) {
    const known = working.urls.get(site.key, key)
    const mark = markOf(page.outcome)
    if (page.outcome.kind === 'later') putBack(working, site, page, key, seq, known)
    else if (mark === NOT_FOUND) {
      if (isMissing(working, site, page, key, seq, known)) missing.push({ original: site, page })
    } else markOne(working, site, page, key, seq, known)
  }
  // Only what was answered has certainly used up a page of the visit's limit: one refused unasked leaves it as it was.
  site.granted = Math.max(0, site.granted - asked.filter(({ page }) => page.status > 0).length)
  working.sites.change(site)
  return missing
}

function putBack(
  working: WorkingSet,
  site: SiteRow,
  page: PageReport,
  key: bigint,
  seq: number,
  known: UrlRow | undefined,
): void {
  if (page.outcome.kind !== 'later') return
  // 0 would say that it was never asked for.
  const dueAt = Math.max(1, working.tools.time.of(page.outcome.notBefore))
  if (known?.mark !== WAITING) site.waiting++
  if (known === undefined) {
    addPage(working, site, page, key, seq, WAITING, dueAt)
    return
  }
  known.mark = WAITING
  known.due_at = dueAt
  known.tries = page.tries
  known.seq = seq
  working.urls.change(known)
}

function markOne(
  working: WorkingSet,
  site: SiteRow,
  page: PageReport,
  key: bigint,
  seq: number,
  known: UrlRow | undefined,
): void {
  const mark = markOf(page.outcome)
  // A row that is marked already stays as it is.
  if (known !== undefined && known.mark !== WAITING) return
  // Found and fetched within the same visit: it has no row yet.
  const row = known ?? addPage(working, site, page, key, seq, mark, 0)
  const other = waitingIndex(working, known, page)
  if (known !== undefined) {
    // With the text that was asked for: a visit may have found another one than waited here.
    known.url = page.url
    markAs(working, site, known, mark, page.tries)
  }
  if (other !== undefined) {
    const apart = rowApart(working, site, page.url)
    if (apart?.mark === WAITING) markAs(working, site, apart, mark, page.tries)
    enterIndex(working, site, row, {}, other)
  }
  const { outcome } = page
  // A server that sends `/index.html` to `/` must not make us take the page for seen: both have one key.
  const follows =
    outcome.kind === 'moved' && outcome.to !== page.url && working.tools.urls.parse(outcome.to)?.key === page.key
  if (follows && followSpelling(working, site, row, page, outcome.to)) return
  // The page is there: only other names of its folder's index are kept.
  working.spellings.keepOnly(row, ({ url }) => working.tools.urls.areTwoIndexes(page.url, url))
}

/** False: the next text of the URL takes its place. */
function isMissing(
  working: WorkingSet,
  site: SiteRow,
  page: PageReport,
  key: bigint,
  seq: number,
  known: UrlRow | undefined,
): boolean {
  if (known !== undefined && known.mark !== WAITING) return false
  // The text that waits here is another one, unless the standard takes the two for one.
  if (known !== undefined && known.url !== page.url && !isSameText(known.url, page.url)) {
    rememberTried(working, known, page.url)
    // It may wait as an index of its own, entered while the visit was out.
    const apart = rowApart(working, site, page.url)
    if (apart?.mark === WAITING && apart.url === page.url) markAs(working, site, apart, NOT_FOUND, page.tries)
    return false
  }
  if (known !== undefined) markAs(working, site, known, NOT_FOUND, page.tries)
  const row = known ?? addPage(working, site, page, key, seq, NOT_FOUND, 0)
  return !tryNextSpelling(working, site, row, page.url)
}

function markAs(working: WorkingSet, site: SiteRow, row: UrlRow, mark: number, tries: number): void {
  row.mark = mark
  row.tries = tries
  site.waiting--
  working.urls.change(row)
}

function addPage(
  working: WorkingSet,
  site: SiteRow,
  page: PageReport,
  key: bigint,
  seq: number,
  mark: number,
  dueAt: number,
): UrlRow {
  const via = working.pageOf(page.via)
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
