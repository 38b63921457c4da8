/**
 * Refreshing begins and ends. A crawl writes no known pages: those that it collected are enrolled, some at a time, when
 * refreshing begins. A crawl after that does not wait for them.
 */
import type { Instant, Millis } from '../../base/clock.ts'
import { readPrice, readRecord, writeRecord } from '../records.ts'
import type { RefreshTools } from '../tools.ts'
import { DAY, isKnowable, newKnown, restUntil, stepOf, timeOf } from './known-pages.ts'
import type { InTransaction, Rows } from './rows.ts'
import { isGivenUp, restAfter, type SiteRow, wake } from './site.ts'
import { eachResting, urlsAfter } from './statements.ts'
import type { UrlAt } from './url-rows.ts'

/** The first looks at the pages of a site are spread over at most this. */
const LONGEST_SPREAD: Millis = 3 * DAY

/** Where refreshing stands with `enrol`, in `frontier_meta`; empty after a crawl. */
export const CURSOR = 'refresh_enrolled'

interface Cursor {
  once: Instant | null
  /** The last URL; undefined: none yet. `done`: all are enrolled. */
  last?: { site: string; key: string } | 'done'
}

async function readCursor(rows: Rows, once: Instant | null): Promise<Cursor> {
  const text = await readRecord(rows.tx, CURSOR)
  const read = text === undefined || text === '' ? undefined : (JSON.parse(text) as Cursor)
  return read !== undefined && read.once === once ? read : { once }
}

/** A crawl ends when nothing is left; a refresh only if each page is to be looked at once, and all are enrolled. */
export async function mayEnd(rows: Rows): Promise<boolean> {
  const { refresh } = rows.tools
  if (refresh === undefined) return true
  return refresh.once !== undefined && (await readCursor(rows, refresh.once)).last === 'done'
}

/** Sites per transaction. */
const AT_ONCE = 500

/**
 * Changes what the earlier process left: a crawl after a refresh does not wait for known pages, and its pages are
 * enrolled when refreshing begins again.
 */
export async function beginToRefresh(transact: InTransaction): Promise<void> {
  const wasRefreshing = await transact(async (rows) => {
    const { refresh } = rows.tools
    const hasBegun = ((await readRecord(rows.tx, CURSOR)) ?? '') !== ''
    if (refresh === undefined) return hasBegun
    if (!hasBegun) await writeRecord(rows.tx, CURSOR, JSON.stringify({ once: refresh.once ?? null } satisfies Cursor))
    refresh.price = (await readPrice(rows.tx)) ?? 0
    return false
  })
  if (!wasRefreshing) return
  await eachResting(transact, AT_ONCE, (rows, site) => {
    // With new URLs it waits on, but for those only.
    restAfter(rows, site, 'moved')
    rows.sites.change(site)
  })
  await transact(async (rows) => writeRecord(rows.tx, CURSOR, ''))
}

/** Brings the next pages in. False: there are no more. */
export async function enrol(rows: Rows, refresh: RefreshTools, atMost: number): Promise<boolean> {
  const { once = null } = refresh
  const { last } = await readCursor(rows, once)
  if (last === 'done') return false
  const found = await urlsAfter(rows, last && { site: BigInt(last.site), key: BigInt(last.key) }, atMost)
  const wanted = found.filter(({ mark }) => isKnowable(mark))
  const groups = Map.groupBy(wanted, ({ site }) => site)
  await rows.lockSites(groups.keys())
  await rows.readUrls(() => wanted)
  for (const [key, members] of groups) {
    const site = rows.sites.get(key)
    if (site === undefined || isGivenUp(site) || site.state === 'held') continue
    const enrolled = members.filter((at) => enrolPage(rows, refresh, site, at))
    // One that did not answer in the pass before is crawled, though it has known pages.
    if (enrolled.length === 0 && (site.state !== 'crawled' || site.refreshing === 0)) continue
    rows.sites.change(site)
    wake(rows, site)
  }
  const end = found.at(-1)
  const next = found.length < atMost || end === undefined ? 'done' : { site: String(end.site), key: String(end.key) }
  await writeRecord(rows.tx, CURSOR, JSON.stringify({ once, last: next } satisfies Cursor))
  await rows.flush()
  return next !== 'done'
}

/** The first looks are spread at half the polite rate. `at.at`: when the page was fetched. False: there was nothing to do. */
function enrolPage(rows: Rows, refresh: RefreshTools, site: SiteRow, at: UrlAt & { at: Instant }): boolean {
  const url = rows.urls.get(at.site, at.key)
  if (url === undefined || !isKnowable(url.mark)) return false
  const { once } = refresh
  let row = rows.known.get(at)
  if (row !== undefined && (once === undefined || row.looked_at >= once)) return false
  if (row === undefined) {
    row = newKnown(rows, refresh, at, url, timeOf(rows, at))
    site.refreshing++
    const spread = Math.min(LONGEST_SPREAD, 2 * stepOf(rows, site) * site.known)
    restUntil(row, rows.now + Math.floor((spread * Number(BigInt.asUintN(20, at.key))) / 2 ** 20))
  }
  if (once !== undefined && row.looked_at < once) restUntil(row, once)
  rows.known.put(row)
  return true
}
