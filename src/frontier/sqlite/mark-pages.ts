import { signed64 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { markOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import { compareBigints, type SiteRow } from '../rules/site.ts'
import { enterIndex, followSpelling, rememberTried, tryNextSpelling } from '../rules/spellings.ts'
import { isQueued } from '../rules/visit.ts'
import { tryAliases } from './replaced.ts'
import { hasSpellings, readText, Spellings } from './spellings.ts'
import type { Work } from './work.ts'

/** With the text that was fetched: a visit may have found another one than waited here. */
export const MARK_WAITING = `UPDATE url SET mark = ?, tries = ?, url = ? WHERE site = ? AND key = ? AND mark = 0`
export const MARK_NOT_FOUND = `
  UPDATE url SET mark = ${NOT_FOUND}, tries = ? WHERE site = ? AND key = ? AND mark = 0 AND url = ?`
export const PUT_BACK = `UPDATE url SET due_at = ?, tries = ?, seq = ? WHERE site = ? AND key = ? AND mark = 0`
export const PUT_BACK_MARKED = `UPDATE url SET due_at = ?, tries = ?, seq = ?, mark = 0 WHERE site = ? AND key = ?`
export const ADD_PAGE = `
  INSERT OR IGNORE INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** A page of the queue that a visit fetched, where its row is, and its place in the queue. */
interface Fetched {
  page: PageReport
  site: bigint
  key: bigint
  seq: number
}

/** What the visit did with each page, sorted by key. */
export function markPages(work: Work, site: SiteRow, pages: readonly PageReport[]): void {
  const fetched = pages
    .filter(isQueued)
    .map((page): Fetched => ({ page, site: site.key, key: signed64(page.key), seq: ++site.seq }))
  fetched.sort((a, b) => compareBigints(a.key, b.key) || a.seq - b.seq)
  const spellings = new Spellings(work, site)
  const isSpelt = hasSpellings(work.tx, site)
  for (const one of fetched) {
    const { outcome } = one.page
    if (outcome.kind === 'later') putBack(work, site, one, outcome.notBefore)
    else if (markOf(outcome) === NOT_FOUND) markNotFound(work, spellings, one, isSpelt)
    else markOne(work, spellings, one, isSpelt)
  }
  // Only an answered page has certainly used up a page of the visit's limit; one that was refused unasked has not.
  site.granted = Math.max(0, site.granted - fetched.filter(({ page }) => page.status > 0).length)
}

function putBack(work: Work, site: SiteRow, one: Fetched, notBefore: number): void {
  const { page, key, seq } = one
  // 0 would mean that it was never visited.
  const dueAt = Math.max(1, work.tools.time.of(notBefore))
  if (work.tx.run(PUT_BACK, dueAt, page.tries, seq, site.key, key) === 1) return
  if (addPage(work, one, dueAt)) site.known++
  else work.tx.run(PUT_BACK_MARKED, dueAt, page.tries, seq, site.key, key)
  site.waiting++
}

function markOne(work: Work, spellings: Spellings, one: Fetched, isSpelt: boolean): void {
  const { tx, tools } = work
  const { site } = spellings
  const { page, key } = one
  const { outcome } = page
  const mark = markOf(outcome)
  const other = spellings.waitingIndex(page)
  if (tx.run(MARK_WAITING, mark, page.tries, page.url, site.key, key) === 1) site.waiting--
  // Found and fetched within the same visit: it has no row yet. A row that is marked already stays as it is.
  else if (addPage(work, one, 0)) site.known++
  else return
  tools.texts.note(page.key, page.url)
  const known = { site: site.key, key, url: page.url, mark }
  if (other !== undefined) {
    const apart = tools.urls.keyApart(page.url) ?? page.key
    site.waiting -= tx.run(MARK_WAITING, mark, page.tries, page.url, site.key, signed64(apart))
    enterIndex(spellings, known, {}, other)
  }
  // A server that redirects `/index.html` to `/` must not make us take the page for seen: both have one key.
  const follows = outcome.kind === 'moved' && outcome.to !== page.url && tools.urls.parse(outcome.to)?.key === page.key
  if (follows && followSpelling(spellings, known, page, outcome.to)) tools.texts.forget(page.key)
  else if (isSpelt) spellings.keepIndexes(known, page.url)
}

/** The next spelling of the URL takes its place, if there is one. */
function markNotFound(work: Work, spellings: Spellings, one: Fetched, isSpelt: boolean): void {
  const { tx, tools } = work
  const { site } = spellings
  const { page, key } = one
  if (tx.run(MARK_NOT_FOUND, page.tries, site.key, key, page.url) === 1) site.waiting--
  else if (addPage(work, one, 0)) site.known++
  else {
    const waiting = readText(tx, site.key, key)
    if (waiting?.mark !== WAITING) return
    // The text that waits here is another one, unless the standard takes the two for one.
    if (!isSameText(waiting.url, page.url)) {
      rememberTried(spellings, one, page.url)
      const apart = tools.urls.keyApart(page.url)
      // It may wait as an index of its own, entered while the visit was out.
      if (apart !== undefined) site.waiting -= tx.run(MARK_NOT_FOUND, page.tries, site.key, signed64(apart), page.url)
      return
    }
    tx.run(MARK_NOT_FOUND, page.tries, site.key, key, waiting.url)
    site.waiting--
  }
  if (isSpelt && tryNextSpelling(spellings, one, page.url)) tools.texts.forget(page.key)
  else tryAliases(work, site, page)
}

function addPage({ tx, tools, now }: Work, { page, site, key, seq }: Fetched, dueAt: number): boolean {
  const via = tools.pageOf(page.via)
  const mark = dueAt === 0 ? markOf(page.outcome) : WAITING
  const values = [page.url, page.depth, via.site, via.key, page.path, seq, now, dueAt, page.tries, mark]
  return tx.run(ADD_PAGE, site, key, ...values) === 1
}
