/**
 * What a site's robots.txt asks of us: RFC 9309 with Google's published reading of its edge cases (C4, V16). A file
 * that cannot be interpreted restricts nothing. The request for robots.txt itself is never a matter of its rules:
 * whoever sends it does not ask `permits` (a *page* linked as /robots.txt follows them, as in Google's cases).
 */
import type { Millis } from '../../base/clock.ts'
import { parseUrl } from '../url/web-url.ts'
import { decodeRobots, PARSED_BYTES, readLines } from './robots-lines.ts'
import { comparable, RobotsRules } from './robots-rules.ts'

export interface RobotsAnswer {
  yes: boolean
  /** The deciding line, as `Disallow: /private*`, at most 200 characters; '' when no rule matches. */
  rule: string
}

export interface Robots {
  /** rules: it says something to robots; none: nothing in it; uninterpretable: HTML, binary, no line understood. */
  readonly state: 'rules' | 'none' | 'uninterpretable'
  /** The lines that concern the token: a small robots.txt in ASCII that parses to the same rules; '' unless 'rules'. */
  readonly text: string
  readonly crawlDelay: Millis | undefined
  /** Absolute, at most 100. They belong to no group. */
  readonly sitemaps: readonly string[]
  /** Path and query as on the request line. */
  permits(pathAndQuery: string): RobotsAnswer
}

const MOST_SITEMAPS = 100
const LONGEST_SITEMAP = 2048
const LONGEST_CRAWL_DELAY: Millis = 86_400_000
const LONGEST_SHOWN = 200
const ROOM_FOR_HEAD = 1024

/** RFC 9309 §2.2.1: the name that robots.txt may address has letters, `-` and `_` only. */
export function isProductToken(name: string): boolean {
  return /^[a-z_-]+$/i.test(name)
}

/** The token is the crawler's name without version (`isProductToken`). */
export function parseRobots(bytes: Uint8Array | string, token: string): Robots {
  const text = decodeRobots(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
  if (isForeign(text)) return unrestricted('uninterpretable')
  const file = readGroups(text, token.toLowerCase())
  if (!file.addressed && file.sitemaps.length === 0) return unrestricted(file.strange > 0 ? 'uninterpretable' : 'none')
  const group = file.named.seen ? file.named : file.common
  group.rules.seal()
  return {
    state: 'rules',
    text: writeText(group, file.named.seen ? token : '*', file.sitemaps),
    crawlDelay: group.crawlDelay,
    sitemaps: file.sitemaps,
    permits(pathAndQuery) {
      const rule = group.rules.decide(pathAndQuery === '' ? '/' : pathAndQuery)
      return rule === undefined ? { yes: true, rule: '' } : { yes: rule.allow, rule: rule.line.slice(0, LONGEST_SHOWN) }
    },
  }
}

const FREE: RobotsAnswer = { yes: true, rule: '' }

function unrestricted(state: 'none' | 'uninterpretable'): Robots {
  return { state, text: '', crawlDelay: undefined, sitemaps: [], permits: () => FREE }
}

/** A web page or a binary file in the place of robots.txt. */
function isForeign(text: string): boolean {
  const start = text.slice(0, 1024)
  if (/^\s*<(!doctype|html|head|body|\?xml|!--|script|meta|title)/i.test(start)) return true
  let controls = 0
  for (let at = 0; at < start.length; at++) {
    const code = start.charCodeAt(at)
    if (code < 9 || (code > 13 && code < 32)) controls++
  }
  return controls > start.length / 10
}

interface Group {
  seen: boolean
  rules: RobotsRules
  crawlDelay: Millis | undefined
}

interface RobotsFile {
  /** Any user-agent line was understood. */
  addressed: boolean
  named: Group
  common: Group
  sitemaps: string[]
  /** Lines that were not understood. */
  strange: number
}

const emptyGroup = (): Group => ({ seen: false, rules: new RobotsRules(), crawlDelay: undefined })

/** All groups that name the token are one; so are all groups of `*`. Only a rule ends a list of user agents. */
function readGroups(text: string, token: string): RobotsFile {
  const file: RobotsFile = { addressed: false, named: emptyGroup(), common: emptyGroup(), sitemaps: [], strange: 0 }
  let room = PARSED_BYTES - ROOM_FOR_HEAD // of `text`: escaping can make a file three times as long
  let isNamed = false
  let isCommon = false
  let ruleSeen = false
  for (const { kind, value } of readLines(text)) {
    if (kind === 'other') file.strange++
    else if (kind === 'sitemap') room -= addSitemap(file.sitemaps, value, room)
    else if (kind === 'user-agent') {
      if (ruleSeen) isNamed = isCommon = ruleSeen = false
      file.addressed = true
      if (/^\*(\s|$)/.test(value)) isCommon = file.common.seen = true
      else if (productToken(value) === token) isNamed = file.named.seen = true
    } else if (isNamed || isCommon) {
      const group = isNamed ? file.named : file.common
      if (kind === 'crawl-delay') {
        addCrawlDelay(group, value)
        continue
      }
      ruleSeen = true
      const pattern = comparable(value)
      const length = pattern.length + 'Disallow: \n'.length
      if (length <= room && group.rules.add(kind === 'allow', pattern)) room -= length
    }
  }
  return file
}

/** `FooBot/1.2 (+http…)` and `foobot news` address foobot. */
function productToken(value: string): string {
  return /^[a-z_-]*/i.exec(value)![0].toLowerCase()
}

/** The length that it takes in `text`. */
function addSitemap(sitemaps: string[], value: string, room: number): number {
  if (sitemaps.length >= MOST_SITEMAPS || value.length > LONGEST_SITEMAP) return 0
  const href = parseUrl(Buffer.from(value, 'latin1').toString('utf8'))?.href
  if (href === undefined || href.length > Math.min(LONGEST_SITEMAP, room - 16) || sitemaps.includes(href)) return 0
  sitemaps.push(href)
  return href.length + 'Sitemap: \n'.length
}

/** Seconds, fractions too; whatever follows the number is forgiven. Of several the longest counts. */
function addCrawlDelay(group: Group, value: string): void {
  const seconds = /^(\d{1,12}(?:[.,]\d{1,12})?|[.,]\d{1,12})/.exec(value)?.[1]
  if (seconds === undefined) return
  const delay = Math.min(Math.round(Number(seconds.replace(',', '.')) * 1000), LONGEST_CRAWL_DELAY)
  group.crawlDelay = Math.max(group.crawlDelay ?? 0, delay)
}

function writeText(group: Group, agent: string, sitemaps: readonly string[]): string {
  let text = `User-agent: ${agent}\n`
  if (group.crawlDelay !== undefined) text += `Crawl-delay: ${group.crawlDelay / 1000}\n`
  for (const line of group.rules.lines) text += `${line}\n`
  for (const sitemap of sitemaps) text += `Sitemap: ${sitemap}\n`
  return text
}
