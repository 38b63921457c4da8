import type { Instant } from '../../base/clock.ts'
import { signed64 } from '../../base/digest.ts'
import type { SqliteTx } from '../../database/sqlite/tx.ts'
import type { PageReport } from '../../visit/report.ts'
import { markOf, WAITING } from '../mark.ts'
import { pageOf } from './enqueue.ts'
import type { Rules } from './rules.ts'
import type { SiteRow } from './site-row.ts'

export const MARK_WAITING = `UPDATE url SET mark = ?, tries = ? WHERE site = ? AND key = ? AND mark = 0`
export const PUT_BACK = `UPDATE url SET due_at = ?, tries = ?, seq = ? WHERE site = ? AND key = ? AND mark = 0`
export const PUT_BACK_MARKED = `UPDATE url SET due_at = ?, tries = ?, seq = ?, mark = 0 WHERE site = ? AND key = ?`
export const ADD_PAGE = `
  INSERT OR IGNORE INTO url (site, key, url, depth, via_site, via_key, path, seq, enqueued_at, due_at, tries, mark)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** What the visit did with each page, sorted by key. robots.txt and probes never were in the queue. */
export function markPages(tx: SqliteTx, rules: Rules, site: SiteRow, pages: readonly PageReport[]): void {
  const now = rules.time.now()
  const asked = pages.filter((page) => !page.errand).map((page) => ({ page, key: signed64(page.key), seq: ++site.seq }))
  asked.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.seq - b.seq))
  for (const { page, key, seq } of asked) {
    const { outcome } = page
    if (outcome.kind === 'later') {
      // 0 would say that it was never asked for.
      const dueAt = Math.max(1, rules.time.of(outcome.notBefore))
      if (tx.run(PUT_BACK, dueAt, page.tries, seq, site.key, key) === 1) continue
      if (addPage(tx, site, page, key, seq, now, dueAt)) site.known++
      else tx.run(PUT_BACK_MARKED, dueAt, page.tries, seq, site.key, key)
      site.waiting++
    } else if (tx.run(MARK_WAITING, markOf(outcome), page.tries, site.key, key) === 1) site.waiting--
    // Found and fetched within the same visit: it has no row yet. A row that is marked already stays as it is.
    else if (addPage(tx, site, page, key, seq, now, 0)) site.known++
  }
  // Only what was answered has certainly used up a page of the visit's limit: one refused unasked leaves it as it was.
  site.granted = Math.max(0, site.granted - asked.filter(({ page }) => page.status > 0).length)
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
  const via = pageOf(page.via)
  const mark = dueAt === 0 ? markOf(page.outcome) : WAITING
  const values = [page.url, page.depth, via.site, via.key, page.path, seq, now, dueAt, page.tries, mark]
  return tx.run(ADD_PAGE, site.key, key, ...values) === 1
}
