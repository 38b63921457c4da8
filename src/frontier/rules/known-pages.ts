/**
 * Pages that are looked at again. After each look the page's row tells when the next one is worth a request: at a given time,
 * or when the page is worth more than the others of its site (`refresh/choose-looks.ts`).
 *
 * A page is never given up on one failure. A missing one (404) is looked at again a day later, and two days after that, before
 * it counts as gone; a server that says "gone" (410) is believed. What is unreachable, refused or forbidden now stays known, and is asked
 * for again after some time.
 */
import { never } from '../../base/assert.ts'
import type { Instant, Millis } from '../../base/clock.ts'
import { type CountedClass, counts } from '../../contracts/change.ts'
import type { PageReport } from '../../contracts/report.ts'
import { allocate } from '../../refresh/allocate.ts'
import { estimateRate, FIRST_PRIOR, type Looks, sitePrior } from '../../refresh/estimate.ts'
import { byServer } from '../../refresh/scenario.ts'
import type { HintResult } from '../contract.ts'
import type { RefreshTools } from '../tools.ts'
import { type KnownRow, type LooksRow, looksOf } from './known-rows.ts'
import { KEPT, MOVED, markOf, NOT_FOUND, READ } from './mark.ts'
import type { Rows } from './rows.ts'
import { type SiteRow, wake } from './site.ts'
import { knownIn } from './statements.ts'
import type { UrlAt, UrlRow } from './url-rows.ts'

const HOUR: Millis = 3_600_000
export const DAY: Millis = 24 * HOUR
/** A page that is unreachable or refused now is requested again after this time, at the latest. */
const LONGEST_REST: Millis = 7 * DAY
/** A page is gone when it was missing this often, over this time. */
const GONE_AFTER = { looks: 3, time: 3 * DAY }
/** Hints of a site are discarded when at least this many were tried and fewer than this share was right. */
const POOR_HINTS = { tried: 20, right: 0.2 }

export const isKnowable = (mark: number): boolean => mark === KEPT || mark === MOVED || mark === READ

/** A page was collected: from now on it is looked at again. */
export function beginToKnow(rows: Rows, refresh: RefreshTools, site: SiteRow, at: UrlAt, page: PageReport): void {
  const row = newKnown(rows, refresh, at, page, timeOf(rows, page))
  scheduleNext(rows, refresh, site, row, markOf(page.outcome))
  rows.known.put(row)
  site.refreshing++
}

/** Of a look, or of a page row. A worker's clock may be ahead: a look in the future would put off the next one until then. */
export function timeOf({ now, tools }: Rows, { at }: { at: Instant }): Instant {
  return Math.min(now, tools.time.of(at))
}

export function newKnown(
  rows: Rows,
  { weightOf, rateOf }: RefreshTools,
  { site, key }: UrlAt,
  page: { url: string; depth: number },
  looked_at: Instant,
): KnownRow {
  const rate = rateOf?.(page.url) ?? sitePrior(looksIn(looksOf(rows, site)))
  const weight = weightOf?.(page) ?? 1
  const counts = { changes: 0, changed_ms: 0, unchanged_ms: 0, failures: 0 }
  return {
    site,
    key,
    looked_at,
    refresh_at: null,
    interval_ms: null,
    class: null,
    rate,
    weight,
    ...counts,
    missing_since: null,
    hinted_at: null,
  }
}

/** A look at a known page: its site, its two rows, and what a visit reports of it. */
export interface Look {
  site: SiteRow
  url: UrlRow
  row: KnownRow
  page: PageReport
}

/** A known page was looked at again, or could not be. */
export function lookedAgain(rows: Rows, refresh: RefreshTools, look: Look): void {
  const { site, url, row, page } = look
  const { outcome } = page
  const at = timeOfLook(rows, look)
  rows.known.put(row)
  switch (outcome.kind) {
    case 'kept':
    case 'moved':
    case 'read':
      foundAgain(rows, refresh, look, at)
      return
    case 'gone':
      countFailure(row, at, outcome)
      if (!isGone(row, at, outcome)) {
        restFor(row, at, DAY * doubled(row))
        return
      }
      url.mark = NOT_FOUND
      url.tries = page.tries
      rows.urls.change(url)
      rows.known.remove(row)
      site.refreshing--
      return
    case 'later':
      countFailure(row, at, outcome)
      restFor(row, at, Math.max(HOUR * doubled(row), rows.tools.time.of(outcome.notBefore) - at))
      return
    case 'refused':
      restFor(row, at, LONGEST_REST)
      return
    default:
      never(outcome, 'outcome')
  }
}

/** A worker's clock may be behind, too: a page whose look seems older than the last would stay first for as long. */
function timeOfLook(rows: Rows, { row, page }: Look): Instant {
  const at = timeOf(rows, page)
  return at > row.looked_at ? at : rows.now
}

function foundAgain(rows: Rows, refresh: RefreshTools, { site, url, row, page }: Look, at: Instant): void {
  const isNew = isChanged(url.mark, page, refresh.countsAsChange ?? 'small')
  observe(rows, refresh, row, at, page, isNew)
  if (refresh.policy === 'nutch-adaptive' && row.interval_ms !== null && isNew !== undefined)
    row.interval_ms = clampInterval(row.interval_ms * (isNew ? NUTCH.shorter : NUTCH.longer))
  row.weight = refresh.weightOf?.(page) ?? 1
  Object.assign(row, { looked_at: at, failures: 0, missing_since: null, hinted_at: null })
  const mark = markOf(page.outcome)
  if (url.mark !== mark) {
    url.mark = mark
    rows.urls.change(url)
  }
  scheduleNext(rows, refresh, site, row, mark)
}

/** Undefined: the look does not tell. */
function isChanged(before: number, { outcome, change }: PageReport, least: CountedClass): boolean | undefined {
  if (outcome.kind === 'read') return undefined
  if (outcome.kind === 'moved') return before !== MOVED
  if (outcome.kind !== 'kept') return undefined
  if (outcome.how === 'first') return before === KEPT ? undefined : true
  return outcome.how === 'changed' && (change === undefined || counts(change.class, least))
}

function observe(
  rows: Rows,
  { rateOf }: RefreshTools,
  row: KnownRow,
  at: Instant,
  { url }: PageReport,
  isNew: boolean | undefined,
): void {
  const interval = at - row.looked_at
  if (isNew === undefined || interval <= 0) return
  const site = looksOf(rows, row.site)
  site.looks++
  for (const looks of [row, site]) {
    if (!isNew) looks.unchanged_ms += interval
    else {
      looks.changes++
      looks.changed_ms += interval
    }
  }
  if (row.hinted_at !== null) {
    if (isNew) site.hints_right++
    else site.hints_wrong++
  } else if (isNew) site.unhinted++
  rows.looks.put(site)
  row.rate = rateOf?.(url) ?? estimateRate(looksIn(row), sitePrior(looksIn(site)))
}

function looksIn({ changes, changed_ms, unchanged_ms }: KnownRow | LooksRow): Looks {
  return { changes, changed: changed_ms / 1000, unchanged: unchanged_ms / 1000 }
}

/** A server that fails for days and then misses the page once has hardly removed it: only what is missing in a row adds up. */
function countFailure(row: KnownRow, at: Instant, { why }: { why: string }): void {
  const isMissing = why === 'status-404'
  if (isMissing !== (row.missing_since !== null))
    Object.assign(row, { failures: 0, missing_since: isMissing ? at : null })
  row.failures++
}

function isGone({ failures, missing_since }: KnownRow, at: Instant, { why }: { why: string }): boolean {
  if (why === 'status-410') return true
  return missing_since !== null && failures >= GONE_AFTER.looks && at - missing_since >= GONE_AFTER.time
}

/** 1, 2, 4 … with each failure. */
function doubled({ failures }: KnownRow): number {
  return 2 ** Math.min(10, failures - 1)
}

/**
 * Days for what the server denies, hours for what it fails to deliver; never longer than a week, even if the server
 * asks for it.
 */
function restFor(row: KnownRow, from: Instant, rest: Millis): void {
  restUntil(row, from + Math.min(LONGEST_REST, rest))
}

export function restUntil(row: KnownRow, at: Instant): void {
  row.refresh_at = at
  row.class = null
}

/** Nutch's AdaptiveFetchSchedule, with its defaults. */
const NUTCH = { shorter: 0.8, longer: 1.4, min: 60_000, max: 365 * DAY }

/**
 * When the page is looked at next, by the policy. Sitemaps and feeds are read once a day: what they list is worth more than
 * they are.
 */
function scheduleNext(rows: Rows, { policy, classes }: RefreshTools, site: SiteRow, row: KnownRow, mark: number): void {
  row.refresh_at = null
  row.class = null
  if (mark === READ) row.refresh_at = row.looked_at + DAY
  else if (policy === 'index') row.class = classes.of(row.rate, row.weight)
  else if (policy === 'round-robin') row.class = 0
  else {
    const equal = stepOf(rows, site) * Math.max(1, site.refreshing)
    if (policy === 'proportional') row.interval_ms = Math.round((equal * meanRate(rows, row)) / row.rate)
    row.interval_ms ??= policy === 'nutch-adaptive' ? clampInterval(equal) : equal
    row.refresh_at = row.looked_at + row.interval_ms
  }
}

function clampInterval(interval: Millis): Millis {
  return Math.round(Math.min(NUTCH.max, Math.max(NUTCH.min, interval)))
}

/** PSP plans this far ahead: repeated every day it would starve slow pages for ever. */
const HORIZON: Millis = 30 * DAY
/** Pages of a site that are planned; more have equal intervals. */
const MAX_PLANNED = 20_000

/** PSP: how often to look at each page of these sites until the horizon, once per horizon. The rows are flushed. */
export async function planSites(rows: Rows, { policy }: RefreshTools, sites: readonly SiteRow[]): Promise<void> {
  if (policy !== 'psp') return
  for (const site of sites) {
    const looks = looksOf(rows, site.key)
    if (site.refreshing === 0 || (looks.planned_at !== null && rows.now < looks.planned_at + HORIZON)) continue
    const pages = await knownIn(rows, site.key, MAX_PLANNED)
    const horizon = HORIZON / 1000
    const input = {
      rate: Float64Array.from(pages, ({ rate }) => rate),
      weight: Float64Array.from(pages, ({ weight }) => weight),
      horizon,
      server: new Uint32Array(pages.length),
      ...byServer(new Uint32Array(pages.length), 1),
    }
    const cap = Math.floor(HORIZON / stepOf(rows, site))
    const counts = allocate(input, cap, cap)
    for (const [at, page] of pages.entries()) {
      // A page that gets none is looked at when the horizon ends, if the next plan gives it a look.
      page.interval_ms = Math.round(HORIZON / (counts[at] + 1))
      if (page.failures === 0) page.refresh_at = Math.max(page.looked_at, rows.now - HORIZON) + page.interval_ms
      rows.known.put(page)
    }
    looks.planned_at = rows.now
    rows.looks.put(looks)
    // One that an operator barred waits for nothing.
    if (site.state === 'waiting') rows.beginToWait(site)
  }
}

/** Of the pages of its site. */
function meanRate(rows: Rows, { site }: KnownRow): number {
  return estimateRate(looksIn(looksOf(rows, site)), FIRST_PRIOR)
}

const USUAL_ANSWER: Millis = 500

/** The time from one look at a site to the next, as far as politeness goes. */
export function stepOf({ tools }: Pick<Rows, 'tools'>, site: SiteRow): Millis {
  return tools.pauseOf(site) + USUAL_ANSWER
}

/** The caller wakes the site. `at`: when the page is said to have changed. */
function hintPage(rows: Rows, { minAge }: RefreshTools, row: KnownRow, at: Instant): HintResult {
  const { hints_right: right, hints_wrong: wrong } = looksOf(rows, row.site)
  const arePoor = right + wrong >= POOR_HINTS.tried && right < POOR_HINTS.right * (right + wrong)
  if (arePoor || at <= row.looked_at || row.looked_at + minAge > rows.now) return 'discarded'
  row.hinted_at = rows.now
  // A failed page rests, too.
  if (row.failures === 0) restUntil(row, Math.min(row.refresh_at ?? rows.now, rows.now))
  rows.known.put(row)
  return 'performed'
}

/** A sitemap gives a known page a newer date: a hint. */
export function hintByLink(rows: Rows, at: UrlAt, lastmod: Instant): void {
  const { refresh, time } = rows.tools
  const row = refresh && rows.known.get(at)
  if (refresh === undefined || row === undefined) return
  const site = rows.sites.get(at.site)
  const result = hintPage(rows, refresh, row, time.of(lastmod))
  refresh.onHint?.(result)
  if (result === 'performed' && site !== undefined) wake(rows, site)
}

/** Its URL waits again, as one that was never visited. */
export function forgetKnown(rows: Rows, site: SiteRow, at: UrlAt): void {
  const row = rows.tools.refresh && rows.known.get(at)
  if (row === undefined) return
  rows.known.remove(row)
  site.refreshing--
  rows.sites.change(site)
}
