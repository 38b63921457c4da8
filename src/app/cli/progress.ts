/** Shows a running crawl or worker: lines redrawn on a terminal, a line now and then elsewhere. The texts are pure functions of snapshots. */
import { styleText } from 'node:util'
import type { Clock, Millis } from '../../base/clock.ts'
import { formatDuration, formatSize } from '../../base/units.ts'
import type { WorkerSnapshot } from '../../cluster/worker/run-threads.ts'
import { type LookCounts, lookCounts } from '../../collection/counters/counters.ts'
import { grouped } from '../../report/text-table.ts'
import type { CrawlSnapshot } from '../composition/crawl-view.ts'
import { freshnessText } from './freshness-text.ts'
import type { Screen } from './screen.ts'
import { clip, decidedText, plain, some } from './text.ts'

/** Rates are averages over this time. */
const WINDOW_MS = 30_000
/** The time left is estimated from a shorter time, because the pace changes as sites end. */
const LATELY_MS = 8_000
/** The growth of the queue changes even faster. */
const TREND_MS = 3_000
const MAX_KEPT = 200

/** Snapshots, oldest first. */
export type History = readonly [CrawlSnapshot, ...CrawlSnapshot[]]

const latest = (history: History): CrawlSnapshot => history[history.length - 1]

/** Keeps the first one, for totals, those of the window, and the one before them. */
export function remember(history: History | undefined, now: CrawlSnapshot): History {
  if (history === undefined) return [now]
  const [first, ...rest] = history
  const recent = rest.filter((_, i) => (rest[i + 1] ?? now).at >= now.at - WINDOW_MS)
  return [first, ...recent.slice(-MAX_KEPT), now]
}

/** Per second. `done`: URLs finished, whatever became of them. `waiting`: growth of the queue; negative when it shrinks. */
export function rates(history: History, windowMs = WINDOW_MS) {
  const now = latest(history)
  const then = history.find(({ at }) => at >= now.at - windowMs && at < now.at) ?? history.at(-2) ?? now
  const seconds = (now.at - then.at) / 1000
  const per = (count: number) => (seconds > 0 ? count / seconds : 0)
  return {
    documents: per(now.documents - then.documents),
    bytes: per(now.bytes - then.bytes),
    done: per(now.urls.done - then.urls.done),
    waiting: per(now.urls.waiting - then.urls.waiting),
    looks: per(looksOf(then, now).performed),
  }
}

/** The least time that the known URLs will take at the present pace; the last few sites are slower. Undefined when unknown. */
export function timeLeftMs(history: History): number | undefined {
  const { waiting } = latest(history).urls
  const { done } = rates(history, LATELY_MS)
  return done <= 0 || waiting === 0 ? undefined : (waiting / done) * 1000
}

export interface TerminalStyle {
  width: number
  colour: boolean
}

/** The view on a terminal; each line fits the width. */
export function liveLines(history: History, style: TerminalStyle): string[] {
  const [first] = history
  const now = latest(history)
  const name = style.colour ? styleText('bold', 'Orbweaver', FORCED) : 'Orbweaver'
  const [head, ...lines] = now.refresh === undefined ? crawlLines(history, style) : refreshLines(history, now.refresh)
  const slow = now.slow.slice(0, 3).map(({ site, why }) => `slow     ${plain(site)}: ${plain(why)}`)
  return [`${name}  ${seconds(now.at - first.at)}  ${head}`, ...lines, state(history), ...slow].map((line) =>
    clip(line, style.width - 1),
  )
}

const givenUp = ({ sites }: CrawlSnapshot) => (sites.barred > 0 ? `  ${grouped(sites.barred)} given up` : '')
const toApply = ({ inbox }: CrawlSnapshot) => (inbox > 0 ? `  ${some(inbox, 'part')} to apply` : '')

function crawlLines(history: History, style: TerminalStyle): string[] {
  const now = latest(history)
  const rate = rates(history)
  const { sites, urls } = now
  return [
    `${some(now.documents, 'document')}  ${formatSize(now.bytes)}  ${rate.documents.toFixed(1)}/s  ${formatSize(Math.round(rate.bytes))}/s`,
    `sites    ${grouped(sites.busy)} busy  ${grouped(sites.waiting + sites.free)} waiting  ${grouped(sites.done)} done${givenUp(now)}  of ${grouped(sites.total)}`,
    `URLs     ${bar(urls.done, urls.known, style)} ${grouped(urls.done)} of ${grouped(urls.known)} known`,
    `queue    ${grouped(urls.waiting)} waiting${trendOf(history)}`,
    `also     ${some(now.requests, 'request')}  ${some(now.failures, 'failure')}  ${grouped(now.refused)} refused${toApply(now)}`,
  ]
}

/** Looks and new pages are those of this run. */
function refreshLines(history: History, { pages, freshness }: NonNullable<CrawlSnapshot['refresh']>): string[] {
  const [first] = history
  const now = latest(history)
  const { sites, urls } = now
  const { performed, changed, unchanged, failed } = looksOf(first, now)
  return [
    `${some(pages, 'page')}  ${freshnessText(freshness) ?? 'freshness not measured yet'}`,
    `looks    ${grouped(performed)}  ${grouped(changed)} changed  ${grouped(unchanged)} unchanged  ${grouped(failed)} failed  ${rates(history).looks.toFixed(1)}/s`,
    `new      ${some(now.documents - first.documents, 'page')}  ${some(urls.waiting, 'URL')} waiting`,
    `sites    ${grouped(sites.busy)} busy  ${grouped(sites.free)} ready  ${grouped(sites.waiting)} waiting${givenUp(now)}  of ${grouped(sites.total)}`,
    `also     ${some(now.requests - first.requests, 'request')}${toApply(now)}`,
  ]
}

const NO_LOOKS = lookCounts(new Map())

/** Looks of this run. */
export function looksOf(first: CrawlSnapshot, now: CrawlSnapshot): Omit<LookCounts, 'hints'> {
  const { hints: _, ...looks } = now.refresh?.looks ?? NO_LOOKS
  const before = first.refresh?.looks ?? NO_LOOKS
  for (const name of Object.keys(looks) as (keyof typeof looks)[]) looks[name] -= before[name]
  return looks
}

/** One line for a log. */
export function progressLine(history: History): string {
  const [first] = history
  const now = latest(history)
  const doing = `${state(history)}${slowest(now)}`
  if (now.refresh !== undefined) {
    const { performed, changed, unchanged, failed } = looksOf(first, now)
    const freshness = freshnessText(now.refresh.freshness)
    return (
      `${seconds(now.at - first.at)}: ${some(performed, 'look')}, ${grouped(changed)} changed, ${grouped(unchanged)} unchanged, ${grouped(failed)} failed, ${rates(history).looks.toFixed(1)}/s; ` +
      `${some(now.documents - first.documents, 'new page')}${freshness === undefined ? '' : `; ${freshness}`}; ${doing}`
    )
  }
  const rate = rates(history)
  return (
    `${seconds(now.at - first.at)}: ${some(now.documents, 'document')}, ${formatSize(now.bytes)}, ${rate.documents.toFixed(1)}/s; ` +
    `sites ${grouped(now.sites.busy)} busy, ${grouped(now.sites.waiting + now.sites.free)} waiting, ${grouped(now.sites.done)} done; ` +
    `URLs ${grouped(now.urls.done)} done, ${grouped(now.urls.waiting)} waiting; ${some(now.failures, 'failure')}; ${doing}`
  )
}

/** Shorter outages are not shown. */
const SHOWN_OUTAGE_MS = 2000

/** What the crawl is doing now. */
function state(history: History): string {
  const now = latest(history)
  const { urls, sites, waitsFor, next, outage, paused, lateMs } = now
  if (outage !== undefined && outage.forMs >= SHOWN_OUTAGE_MS)
    return `waiting for the database for ${seconds(outage.forMs)}: ${plain(outage.what)}`
  if (paused !== undefined) return `paused ${decidedText(paused, now.at)}; 'orbweaver resume' ends that`
  const when = next === undefined || next.inMs <= 0 ? 'now' : `in ${formatDuration(next.inMs)}`
  const isRefresh = now.refresh !== undefined
  if (!isRefresh && waitsFor === 'courtesy') return `waiting out politeness pauses; next request ${when}`
  if (!isRefresh && waitsFor === 'retry') return `waiting to retry ${plain(next?.site ?? '')} ${when}`
  if (lateMs > 1000) return `this machine is overloaded: ${formatDuration(lateMs)} behind`
  const ready = `waiting for a worker: ${some(sites.free, 'site')} ready`
  if (isRefresh) {
    if (sites.busy > 0) return 'looking again'
    if (sites.free > 0) return ready
    return next === undefined ? 'nothing is due' : `next look ${when}, at ${plain(next.site)}`
  }
  if (urls.waiting === 0 && urls.known > 0)
    return sites.busy > 0 ? 'waiting for the last responses' : 'the queue is empty'
  if (sites.busy === 0 && sites.free > 0) return ready
  const left = timeLeftMs(history)
  const isGrowing = rates(history, TREND_MS).waiting > 0
  if (left === undefined || isGrowing)
    return urls.done === 0 || isGrowing ? 'discovering URLs' : 'waiting for responses'
  const active = sites.busy + sites.waiting + sites.free
  if (left < 10_000) return `${some(urls.waiting, 'URL')} left on ${some(active, 'site')}`
  return `at least ${formatDuration(coarse(left))} left, longer if new URLs are found`
}

function slowest({ slow }: Pick<CrawlSnapshot, 'slow'>): string {
  return slow[0] === undefined ? '' : `; slow: ${plain(slow[0].site)} (${plain(slow[0].why)})`
}

function seconds(ms: number): string {
  return formatDuration(Math.round(ms / 1000) * 1000)
}

/** An estimate is shown without false precision. */
function coarse(ms: number): number {
  const grain = ms < 60_000 ? 10_000 : ms < 3_600_000 ? 60_000 : 600_000
  return Math.floor(ms / grain) * grain
}

/** Empty when the queue is empty or hardly changes. */
function trendOf(history: History): string {
  const { waiting: lately } = rates(history, TREND_MS)
  if (latest(history).urls.waiting === 0 || Math.abs(lately) < 0.05) return ''
  return lately > 0 ? `, growing by ${lately.toFixed(1)}/s` : `, shrinking by ${(-lately).toFixed(1)}/s`
}

const BAR = 20
/** The screen knows whether there are colours. */
const FORCED = { validateStream: false }

function bar(part: number, whole: number, style: TerminalStyle): string {
  const filled = whole === 0 ? 0 : Math.min(BAR, Math.floor((BAR * part) / whole))
  const text = '█'.repeat(filled) + '░'.repeat(BAR - filled)
  return style.colour ? styleText('cyan', text, FORCED) : text
}

const REDRAW_MS = 500

interface ViewOptions {
  screen: Screen
  clock: Clock
  quiet: boolean
  /** How often to print a line where there is no terminal. */
  lineEvery: Millis
}

export interface Watching {
  /** Also erases the view. */
  stop(): void
}

export function watchCrawl(snapshot: () => CrawlSnapshot, options: ViewOptions): Watching {
  const { screen, clock } = options
  const outage = reportOutages(snapshot, screen, clock)
  if (options.quiet) return outage
  let history: History | undefined
  const view = repeat(clock, screen.isTerminal ? REDRAW_MS : options.lineEvery, () => {
    history = remember(history, snapshot())
    if (screen.isTerminal) screen.draw(liveLines(history, { width: screen.width(), colour: screen.colour }))
    else if (history.length > 1) screen.say(progressLine(history))
  })
  return {
    stop() {
      outage.stop()
      view.stop()
      screen.draw([])
    },
  }
}

/** Calls at once and then at intervals. */
function repeat(clock: Clock, every: Millis, call: () => void): Watching {
  let cancel = () => {}
  const again = () => {
    call()
    cancel = clock.after(every, again)
  }
  again()
  return { stop: () => cancel() }
}

/** A longer outage of the database is reported even with `--quiet`. */
const OUTAGE_MS = 3000
const CHECK_MS = 1000

function reportOutages(snapshot: () => CrawlSnapshot, screen: Screen, clock: Clock): Watching {
  let since: number | undefined
  return repeat(clock, CHECK_MS, () => {
    const { outage } = snapshot()
    if (outage !== undefined && since === undefined && outage.forMs >= OUTAGE_MS) {
      since = clock.elapsed() - outage.forMs
      screen.say(`orbweaver: ${plain(outage.what)}; waiting for it, nothing is lost`)
    } else if (outage === undefined && since !== undefined) {
      const away = seconds(clock.elapsed() - since)
      screen.say(`orbweaver: the database is back after ${away}`)
      since = undefined
    }
  })
}

export function watchWorker(
  snapshot: () => WorkerSnapshot,
  { screen, clock, quiet, lineEvery }: ViewOptions,
): Watching {
  if (quiet) return { stop() {} }
  const begun = clock.elapsed()
  const view = repeat(clock, screen.isTerminal ? REDRAW_MS : lineEvery, () => {
    const line = workerLine(snapshot(), clock.elapsed() - begun)
    if (screen.isTerminal) screen.draw([clip(line, screen.width() - 1)])
    else if (clock.elapsed() - begun >= lineEvery) screen.say(line)
  })
  return {
    stop() {
      view.stop()
      screen.draw([])
    },
  }
}

export function workerLine(now: WorkerSnapshot, tookMs: Millis): string {
  const rate = tookMs === 0 ? 0 : now.pages / (tookMs / 1000)
  const kept = now.undelivered === 0 ? '' : `; ${some(now.undelivered, 'report')} to deliver when a server is back`
  const lost = now.lostMs === undefined ? '' : `; no server has answered for ${seconds(now.lostMs)}`
  return `${seconds(tookMs)}: ${some(now.visits, 'site')}, ${some(now.pages, 'page')}, ${formatSize(now.bytes)}, ${rate.toFixed(1)}/s${kept}${lost}${slowest(now)}`
}

/** The last line of a worker. */
export function workerSummary(
  why: 'complete' | 'interrupted',
  { pages, bytes }: WorkerSnapshot,
  tookMs: Millis,
): string {
  const sum = `${some(pages, 'page')}, ${formatSize(bytes)}, in ${seconds(tookMs)}`
  return why === 'complete'
    ? `The crawl is complete. This worker: ${sum}.`
    : `Stopped: ${sum}. The same command in the same folder continues as the same worker.`
}
