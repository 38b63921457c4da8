import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { PageReport } from '../../contracts/report.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import { isSameText } from '../../web/url/web-url.ts'
import { markOf, NOT_FOUND, WAITING } from '../rules/mark.ts'
import type { SiteRow } from '../rules/site.ts'
import { pageOf } from './enqueue.ts'
import { tryOtherName } from './replaced.ts'
import {
  enterIndex,
  followSpelling,
  hasSpellings,
  keepIndexes,
  readText,
  rememberTried,
  tryNextSpelling,
  waitingIndex,
} from './spellings.ts'
import type { FrontierTools } from './tools.ts'

/** With the text that was asked for: a visit may have found another one than waited here. */
export const MARK_WAITING = `UPDATE url SET mark = ?, tries = ?, url = ? WHERE site = ? AND key = ? AND mark = 0`
export const MARK_NOT_FOUND = `
  UPDATE url SET mark = ${NOT_FOUND}, tries = ? WHERE site = ? AND key = ? AND mark = 0 AND url = ?`
export const PUT_BACK = `UPDATE url SET due_at = ?, tries = ?, seq = ? WHERE site = ? AND key = ? AND mark = 0`
export const PUT_BACK_MARKED = `UPDATE url SET due_at = ?, tries = ?, seq = ?, mark = 0 WHERE site = ? AND key = ?`
export const ADD_PAGE = `
  INSERT OR IGNORE INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** What the visit did with each page, sorted by key. robots.txt and probes never were in the queue. */
export function markPages(tx: SqliteTx, tools: FrontierTools, site: SiteRow, pages: readonly PageReport[]): void {
  const now = tools.time.now()
  const asked = pages
    .filter((page) => !page.ownRequest)
    .map((page) => ({ page, key: signed64(page.key), seq: ++site.seq }))
  const spelt = hasSpellings(tx, site)
  asked.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.seq - b.seq))
  for (const { page, key, seq } of asked) {
    const { outcome } = page
    if (outcome.kind === 'later') {
      // 0 would say that it was never asked for.
      const dueAt = Math.max(1, tools.time.of(outcome.notBefore))
      if (tx.run(PUT_BACK, dueAt, page.tries, seq, site.key, key) === 1) continue
      if (addPage(tx, site, page, key, seq, now, dueAt)) site.known++
      else tx.run(PUT_BACK_MARKED, dueAt, page.tries, seq, site.key, key)
      site.waiting++
      continue
    }
    const mark = markOf(outcome)
    if (mark === NOT_FOUND) {
      notFound(tx, tools, site, page, key, seq, now, spelt)
      continue
    }
    const other = waitingIndex(tx, tools.urls, site, page)
    if (tx.run(MARK_WAITING, mark, page.tries, page.url, site.key, key) === 1) site.waiting--
    // Found and fetched within the same visit: it has no row yet. A row that is marked already stays as it is.
    else if (addPage(tx, site, page, key, seq, now, 0)) site.known++
    else continue
    tools.texts.note(page.key, page.url)
    if (other !== undefined) {
      const apart = tools.urls.keyApart(page.url) ?? page.key
      site.waiting -= tx.run(MARK_WAITING, mark, page.tries, page.url, site.key, signed64(apart))
      enterIndex(tx, tools.urls, site, { url: page.url, mark }, page, other, now)
    }
    // A server that sends `/index.html` to `/` must not make us take the page for seen: both have one key.
    const follows =
      outcome.kind === 'moved' && outcome.to !== page.url && tools.urls.parse(outcome.to)?.key === page.key
    if (follows && followSpelling(tx, tools.urls, site, page, outcome.to, now)) {
      tools.texts.forget(page.key)
      continue
    }
    if (spelt) keepIndexes(tx, tools.urls, site, key, page.url)
  }
  // Only what was answered has certainly used up a page of the visit's limit: one refused unasked leaves it as it was.
  site.granted = Math.max(0, site.granted - asked.filter(({ page }) => page.status > 0).length)
}

/** The next text of the URL takes its place, if there is one. */
function notFound(
  tx: SqliteTx,
  tools: FrontierTools,
  site: SiteRow,
  page: PageReport,
  key: bigint,
  seq: number,
  now: Instant,
  spelt: boolean,
): void {
  if (tx.run(MARK_NOT_FOUND, page.tries, site.key, key, page.url) === 1) site.waiting--
  else if (addPage(tx, site, page, key, seq, now, 0)) site.known++
  else {
    const waiting = readText(tx, site.key, key)
    if (waiting?.mark !== WAITING) return
    // The text that waits here is another one, unless the standard takes the two for one.
    if (!isSameText(waiting.url, page.url)) {
      rememberTried(tx, site, key, page.url)
      const apart = tools.urls.keyApart(page.url)
      // It may wait as an index of its own, entered while the visit was out.
      if (apart !== undefined) site.waiting -= tx.run(MARK_NOT_FOUND, page.tries, site.key, signed64(apart), page.url)
      return
    }
    tx.run(MARK_NOT_FOUND, page.tries, site.key, key, waiting.url)
    site.waiting--
  }
  if (spelt && tryNextSpelling(tx, site, key, page.url, now)) {
    tools.texts.forget(page.key)
    return
  }
  tryOtherName(tx, tools, site, page)
}

function addPage(
  tx: SqliteTx,
  site: SiteRow,
  page: PageReport,
  key: bigint,
  seq: number,
  now: Instant,
  dueAt: Instant,
): boolean {
  const via = pageOf(tx, page.via)
  const mark = dueAt === 0 ? markOf(page.outcome) : WAITING
  const values = [page.url, page.depth, via.site, via.key, page.path, seq, now, dueAt, page.tries, mark]
  return tx.run(ADD_PAGE, site.key, key, ...values) === 1
}
