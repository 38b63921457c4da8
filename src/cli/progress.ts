/** A crawl in words, from its snapshots: a few lines for a terminal, one line for a log. Pure functions. */

import type { CrawlSnapshot } from '../assemble/crawl-view.ts'
import { formatDuration, formatSize } from '../base/units.ts'
import { grouped } from '../report/text-table.ts'

/** Rates are taken over this much of the past: long enough to be steady, short enough to be news. */
const WINDOW_MS = 30_000
const MOST_KEPT = 200

/** Snapshots, oldest first. */
export type History = readonly CrawlSnapshot[]

/** Keeps the first one (for totals) and those of the window. */
export function remember(history: History, now: CrawlSnapshot): History {
  const [first, ...rest] = history
  if (first === undefined) return [now]
  const recent = rest.filter((s, i) => s.at >= now.at - WINDOW_MS || (rest[i + 1]?.at ?? now.at) >= now.at - WINDOW_MS)
  return [first, ...recent.slice(-MOST_KEPT), now]
}

export interface Rates {
  /** Documents a second. */
  documents: number
  bytes: number
  /** URLs settled a second, whatever became of them. */
  done: number
  /** By how much the queue grows a second; negative when it shrinks. */
  waiting: number
}

export function rates(history: History): Rates {
  const now = history.at(-1)
  const then = history.find((s) => now !== undefined && s.at >= now.at - WINDOW_MS && s.at < now.at) ?? history[0]
  const seconds = now === undefined || then === undefined ? 0 : (now.at - then.at) / 1000
  if (now === undefined || then === undefined || seconds <= 0) return { documents: 0, bytes: 0, done: 0, waiting: 0 }
  return {
    documents: (now.documents - then.documents) / seconds,
    bytes: (now.bytes - then.bytes) / seconds,
    done: (now.urls.done - then.urls.done) / seconds,
    waiting: (now.urls.waiting - then.urls.waiting) / seconds,
  }
}

/** How long what is known will take at the present rate; undefined while nobody can tell. */
export function timeLeftMs(history: History): number | undefined {
  const now = history.at(-1)
  const { done } = rates(history)
  if (now === undefined || done <= 0 || now.urls.waiting === 0) return undefined
  return (now.urls.waiting / done) * 1000
}

export interface Look {
  width: number
  colour: boolean
}

/** The view on a terminal: each line fits the width. */
export function liveLines(history: History, look: Look): string[] {
  const now = history.at(-1)
  const first = history[0]
  if (now === undefined || first === undefined) return []
  const rate = rates(history)
  const { sites, urls } = now
  const lines = [
    `${bold('Orbweaver', look)}  ${formatDuration(Math.round((now.at - first.at) / 1000) * 1000)}  ${grouped(now.documents)} documents  ${formatSize(now.bytes)}  ${rate.documents.toFixed(1)}/s  ${formatSize(Math.round(rate.bytes))}/s`,
    `sites    ${grouped(sites.busy)} busy  ${grouped(sites.waiting + sites.free)} waiting  ${grouped(sites.done)} done${sites.barred > 0 ? `  ${grouped(sites.barred)} given up` : ''}  of ${grouped(sites.total)}`,
    `URLs     ${bar(urls.done, urls.known, look)} ${grouped(urls.done)} of ${grouped(urls.known)} known, ${grouped(urls.waiting)} waiting${trendOf(rate.waiting)}`,
    `also     ${grouped(now.requests)} requests  ${grouped(now.failures)} failures  ${grouped(now.refused)} refused${now.inbox > 0 ? `  ${grouped(now.inbox)} parts to apply` : ''}`,
    state(history),
  ]
  for (const { site, why } of now.slow.slice(0, 3)) lines.push(`slow     ${plain(site)}: ${plain(why)}`)
  return lines.map((line) => clip(line, look.width - 1))
}

/** One line, where there is no terminal. */
export function progressLine(history: History): string {
  const now = history.at(-1)
  const first = history[0]
  if (now === undefined || first === undefined) return ''
  const rate = rates(history)
  const slow = now.slow[0] === undefined ? '' : `; slow: ${plain(now.slow[0].site)} (${plain(now.slow[0].why)})`
  return (
    `${formatDuration(Math.round((now.at - first.at) / 1000) * 1000)}: ${grouped(now.documents)} documents, ${formatSize(now.bytes)}, ${rate.documents.toFixed(1)}/s; ` +
    `sites ${grouped(now.sites.busy)} busy, ${grouped(now.sites.waiting + now.sites.free)} waiting, ${grouped(now.sites.done)} done; ` +
    `URLs ${grouped(now.urls.done)} done, ${grouped(now.urls.waiting)} waiting; ${grouped(now.failures)} failures; ${state(history)}${slow}`
  )
}

/** What the crawl is about just now. */
function state(history: History): string {
  const now = history.at(-1)
  if (now === undefined) return ''
  if (now.waitingOnlyForCourtesy) {
    const next =
      now.nextDueMs === undefined || now.nextDueMs <= 0 ? '' : `, next request in ${formatDuration(now.nextDueMs)}`
    return `waiting only for courtesy (every known site was asked a moment ago)${next}`
  }
  if (now.lateMs > 1000) return `the machine is behind by ${formatDuration(now.lateMs)}`
  if (now.urls.waiting === 0 && now.urls.known > 0) return 'nothing waits any more'
  const left = timeLeftMs(history)
  return left === undefined
    ? 'finding out how much there is'
    : `about ${formatDuration(coarse(left))} left, if nothing new is found`
}

/** An estimate does not deserve seconds. */
function coarse(ms: number): number {
  if (ms < 60_000) return Math.max(1000, Math.round(ms / 1000) * 1000)
  return ms < 3_600_000 ? Math.round(ms / 60_000) * 60_000 : Math.round(ms / 600_000) * 600_000
}

function trendOf(perSecond: number): string {
  if (Math.abs(perSecond) < 0.05) return ''
  return perSecond > 0 ? ` (grows by ${perSecond.toFixed(1)}/s)` : ` (shrinks by ${(-perSecond).toFixed(1)}/s)`
}

const BAR = 20

function bar(part: number, whole: number, look: Look): string {
  const filled = whole === 0 ? 0 : Math.min(BAR, Math.floor((BAR * part) / whole))
  const text = '█'.repeat(filled) + '░'.repeat(BAR - filled)
  return look.colour ? `\x1b[36m${text}\x1b[39m` : text
}

function bold(text: string, look: Look): string {
  return look.colour ? `\x1b[1m${text}\x1b[22m` : text
}

/** Names come from strangers: nothing in them may steer the terminal. */
export function plain(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, '?')
}

/** Cuts to a number of columns; escape sequences take none, and are closed when they were cut off. */
export function clip(line: string, width: number): string {
  let seen = 0
  let out = ''
  for (const part of line.split(/(\x1b\[\d+m)/)) {
    if (part.startsWith('\x1b')) {
      out += part
      continue
    }
    const letters = [...part]
    if (seen + letters.length <= width) {
      out += part
      seen += letters.length
    } else if (seen < width) {
      out += `${letters.slice(0, width - seen - 1).join('')}…`
      seen = width
    }
  }
  return out
}
