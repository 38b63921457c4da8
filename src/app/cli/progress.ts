/** A crawl in words, from its snapshots: a few lines for a terminal, one line for a log. Pure functions. */

import { formatDuration, formatSize } from '../../base/units.ts'
import { grouped } from '../../report/text-table.ts'
import type { CrawlSnapshot } from '../composition/crawl-view.ts'
import { some } from './words.ts'

/** Rates are taken over this much of the past: long enough to be steady, short enough to be news. */
const WINDOW_MS = 30_000
/** How long it will last is asked of the last seconds: half a minute ago it may have been another crawl. */
const LATELY_MS = 8_000
/** Whether the queue grows turns even faster. */
const TREND_MS = 3_000
const MAX_KEPT = 200

/** Snapshots, oldest first. */
export type History = readonly CrawlSnapshot[]

/** Keeps the first one (for totals) and those of the window. */
export function remember(history: History, now: CrawlSnapshot): History {
  const [first, ...rest] = history
  if (first === undefined) return [now]
  const recent = rest.filter((s, i) => s.at >= now.at - WINDOW_MS || (rest[i + 1]?.at ?? now.at) >= now.at - WINDOW_MS)
  return [first, ...recent.slice(-MAX_KEPT), now]
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

export function rates(history: History, windowMs = WINDOW_MS): Rates {
  const now = history.at(-1)
  const then = history.find((s) => now !== undefined && s.at >= now.at - windowMs && s.at < now.at) ?? history.at(-2)
  const seconds = now === undefined || then === undefined ? 0 : (now.at - then.at) / 1000
  if (now === undefined || then === undefined || seconds <= 0) return { documents: 0, bytes: 0, done: 0, waiting: 0 }
  return {
    documents: (now.documents - then.documents) / seconds,
    bytes: (now.bytes - then.bytes) / seconds,
    done: (now.urls.done - then.urls.done) / seconds,
    waiting: (now.urls.waiting - then.urls.waiting) / seconds,
  }
}

/** How long what is known will take at the least, as it goes just now: sites end one by one, and the last ones alone are slower. Undefined while nobody can tell. */
export function timeLeftMs(history: History): number | undefined {
  const now = history.at(-1)
  const { done } = rates(history, LATELY_MS)
  if (now === undefined || done <= 0 || now.urls.waiting === 0) return undefined
  return (now.urls.waiting / done) * 1000
}

export interface Look {
  width: number
  colour: boolean
}

/** The view on a terminal: each line fits the width. */
export function liveLines(history: History, view: Look): string[] {
  const now = history.at(-1)
  const first = history[0]
  if (now === undefined || first === undefined) return []
  const rate = rates(history)
  const { sites, urls } = now
  const lines = [
    `${bold('Orbweaver', view)}  ${formatDuration(Math.round((now.at - first.at) / 1000) * 1000)}  ${some(now.documents, 'document')}  ${formatSize(now.bytes)}  ${rate.documents.toFixed(1)}/s  ${formatSize(Math.round(rate.bytes))}/s`,
    `sites    ${grouped(sites.busy)} busy  ${grouped(sites.waiting + sites.free)} waiting  ${grouped(sites.done)} done${sites.barred > 0 ? `  ${grouped(sites.barred)} given up` : ''}  of ${grouped(sites.total)}`,
    `URLs     ${bar(urls.done, urls.known, view)} ${grouped(urls.done)} of ${grouped(urls.known)} known`,
    `queue    ${grouped(urls.waiting)} waiting${trendOf(history)}`,
    `also     ${some(now.requests, 'request')}  ${some(now.failures, 'failure')}  ${grouped(now.refused)} refused${now.inbox > 0 ? `  ${some(now.inbox, 'part')} to apply` : ''}`,
    state(history),
  ]
  for (const { site, why } of now.slow.slice(0, 3)) lines.push(`slow     ${plain(site)}: ${plain(why)}`)
  return lines.map((line) => clip(line, view.width - 1))
}

/** One line, where there is no terminal. */
export function progressLine(history: History): string {
  const now = history.at(-1)
  const first = history[0]
  if (now === undefined || first === undefined) return ''
  const rate = rates(history)
  const slow = now.slow[0] === undefined ? '' : `; slow: ${plain(now.slow[0].site)} (${plain(now.slow[0].why)})`
  return (
    `${formatDuration(Math.round((now.at - first.at) / 1000) * 1000)}: ${some(now.documents, 'document')}, ${formatSize(now.bytes)}, ${rate.documents.toFixed(1)}/s; ` +
    `sites ${grouped(now.sites.busy)} busy, ${grouped(now.sites.waiting + now.sites.free)} waiting, ${grouped(now.sites.done)} done; ` +
    `URLs ${grouped(now.urls.done)} done, ${grouped(now.urls.waiting)} waiting; ${some(now.failures, 'failure')}; ${state(history)}${slow}`
  )
}

/** A database that is away for less is nobody's concern. */
const AWAY_MS = 2000

/** What the crawl is about just now. */
function state(history: History): string {
  const now = history.at(-1)
  if (now === undefined) return ''
  const { outage, urls, waitsFor, next } = now
  if (outage !== undefined && outage.forMs >= AWAY_MS)
    return `waiting for the database, for ${seconds(outage.forMs)} now: ${plain(outage.what)}`
  const when = next === undefined || next.inMs <= 0 ? 'at once' : `in ${formatDuration(next.inMs)}`
  if (waitsFor === 'courtesy') return `waiting only for courtesy: the next site may be asked ${when}`
  if (waitsFor === 'retry') return `waiting to try again: ${plain(next?.site ?? '')} failed, and is asked again ${when}`
  if (now.lateMs > 1000) return `the machine is behind by ${formatDuration(now.lateMs)}`
  if (urls.waiting === 0 && urls.known > 0)
    return now.sites.busy > 0 ? 'the last answers are on their way' : 'nothing waits any more'
  if (now.sites.busy === 0 && now.sites.free > 0)
    return `waiting for a worker: ${some(now.sites.free, 'site')} may be asked now`
  const left = timeLeftMs(history)
  const isGrowing = rates(history, TREND_MS).waiting > 0
  if (left === undefined || isGrowing)
    return urls.done === 0 || isGrowing ? 'finding out how much there is' : 'waiting for answers'
  const active = now.sites.busy + now.sites.waiting + now.sites.free
  if (left < 10_000)
    return `${urls.waiting === 1 ? 'the last URL waits' : `the last ${grouped(urls.waiting)} URLs wait`}, of ${some(active, 'site')}`
  return `at least ${formatDuration(coarse(left))} left, more if anything new is found`
}

function seconds(ms: number): string {
  return formatDuration(Math.round(ms / 1000) * 1000)
}

/** An estimate does not deserve seconds. */
function coarse(ms: number): number {
  const grain = ms < 60_000 ? 10_000 : ms < 3_600_000 ? 60_000 : 600_000
  return Math.floor(ms / grain) * grain
}

/** Of a queue that is empty, or that goes up and down, there is nothing to say. */
function trendOf(history: History): string {
  const { waiting: lately } = rates(history, TREND_MS)
  if (history.at(-1)?.urls.waiting === 0 || Math.abs(lately) < 0.05) return ''
  return lately > 0 ? `, growing by ${lately.toFixed(1)}/s` : `, shrinking by ${(-lately).toFixed(1)}/s`
}

const BAR = 20

function bar(part: number, whole: number, view: Look): string {
  const filled = whole === 0 ? 0 : Math.min(BAR, Math.floor((BAR * part) / whole))
  const text = '█'.repeat(filled) + '░'.repeat(BAR - filled)
  return view.colour ? `\x1b[36m${text}\x1b[39m` : text
}

function bold(text: string, view: Look): string {
  return view.colour ? `\x1b[1m${text}\x1b[22m` : text
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
