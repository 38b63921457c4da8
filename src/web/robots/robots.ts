/**
 * What a site's robots.txt demands: RFC 9309 with Google's published reading of its edge cases (C4, V16). A file that
 * cannot be interpreted restricts nothing. The request for robots.txt itself is never subject to its rules (a *page*
 * linked as /robots.txt is, as in Google's cases).
 */
import { byteOrderMark } from '../../base/bytes.ts'
import type { Millis } from '../../base/clock.ts'
import { runThrough, type Stretches } from '../../base/stretches.ts'
import { parseUrl } from '../url/web-url.ts'
import { comparable, type Effort, type Place, type RobotsRule, RobotsRules } from './robots-rules.ts'

export interface RobotsAnswer {
  allowed: boolean
  /** The deciding group's user-agent, as the file spells it: `*`, `Orbweaver/2.0`; '' when no group is for us. */
  group: string
  /** The number of the deciding line in the file, from 1; 0 when no rule matches, or in a file too long to count. */
  line: number
  /** That line, as `Disallow: /private*`, at most 200 characters; '' when no rule matches. */
  rule: string
}

export interface Robots {
  /** rules: it has rules for robots; none: only comments; uninterpretable: empty, or no line understood. */
  readonly state: 'rules' | 'none' | 'uninterpretable'
  /** The lines for our token: a small robots.txt in ASCII with the same meaning (`recallRobots`); '' unless 'rules'. */
  readonly text: string
  readonly crawlDelay: Millis | undefined
  /** Absolute, at most 100. They belong to no group. */
  readonly sitemaps: readonly string[]
  /** Sitemap lines after the first hundred, which are ignored. */
  readonly sitemapsLeft: number
  /** Path and query as on the request line. The cost is added to `effort`. */
  permits(pathAndQuery: string, effort?: Effort): RobotsAnswer
}

const MAX_SITEMAPS = 100
const LONGEST_SITEMAP = 2048
const LONGEST_CRAWL_DELAY: Millis = 86_400_000
const LONGEST_SHOWN = 200
const LONGEST_NAME = 100
/** Of `text`. No file of 512 KiB in ASCII needs more; one that is all escapes loses its last rules. */
const MAX_TEXT = 640 * 1024
const ROOM_FOR_HEAD = 1024
/** Lines per stretch: 5 to 10 ms. */
export const LINES_A_STRETCH = 2000

/**
 * The token is the crawler's name without version: letters, `-` and `_` (§2.2.1). RFC 9309 §2.3.1.5: every line that parses counts,
 * also after mark-up or binary data (www.uspto.gov begins with `<!--`); an error page has no such line.
 */
export function parseRobots(bytes: Uint8Array | string, token: string): Robots {
  return runThrough(robotsInStretches(bytes, token))
}

/** As `parseRobots`, but yields now and then: 512 KiB of rules take 100 ms. */
export function* robotsInStretches(bytes: Uint8Array | string, token: string): Stretches<Robots> {
  const text = decodeRobots(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
  // An empty file says nothing; a comment at least shows that somebody wrote the file on purpose.
  if (text.trim() === '') return unrestricted('uninterpretable')
  return yield* robotsOf(yield* readGroups(text, token.toLowerCase()), token)
}

/**
 * Parses `Robots.text`, with the positions that the rules had in the original file. All rules in it are for us, even if
 * our name has changed since: obeying one too many is better than forgetting one.
 */
export function recallRobots(text: string): Robots {
  return runThrough(recallInStretches(text))
}

export function* recallInStretches(text: string): Stretches<Robots> {
  return yield* robotsOf(yield* readGroups(text, undefined), undefined, text)
}

/** `written`: the text that it was recalled from. */
function* robotsOf(file: RobotsFile, token: string | undefined, written?: string): Stretches<Robots> {
  if (!file.addressed && file.sitemaps.length === 0) return unrestricted(file.strange > 0 ? 'uninterpretable' : 'none')
  const group = file.named.first !== undefined ? file.named : file.common
  const agent = group === file.common ? '*' : (token ?? file.named.name)
  group.rules.seal()
  const text = written ?? (yield* writeText(group, agent, file.sitemaps))
  return {
    state: 'rules',
    text,
    crawlDelay: group.crawlDelay,
    sitemaps: file.sitemaps,
    sitemapsLeft: file.sitemapsLeft,
    permits: (path, effort) => answer(group.rules.decide(path === '' ? '/' : path, effort), group),
  }
}

function answer(rule: RobotsRule | undefined, { first }: Group): RobotsAnswer {
  const group = (rule?.place.group || first) ?? ''
  if (rule === undefined) return { allowed: true, group, line: 0, rule: '' }
  return { allowed: rule.allow, group, line: rule.place.line, rule: rule.text.slice(0, LONGEST_SHOWN) }
}

const FREE: RobotsAnswer = { allowed: true, group: '', line: 0, rule: '' }

function unrestricted(state: 'none' | 'uninterpretable'): Robots {
  return { state, text: '', crawlDelay: undefined, sitemaps: [], sitemapsLeft: 0, permits: () => FREE }
}

interface Group {
  /** The name on the first user-agent line for us, as the file spells it; undefined when there is none. */
  first: string | undefined
  /** The product token at its beginning, in the same spelling. */
  name: string
  rules: RobotsRules
  crawlDelay: Millis | undefined
}

interface RobotsFile {
  /** Some user-agent line was understood. */
  addressed: boolean
  named: Group
  common: Group
  sitemaps: string[]
  sitemapsLeft: number
  /** Lines that were not understood. */
  strange: number
}

const emptyGroup = (): Group => ({ first: undefined, name: '*', rules: new RobotsRules(), crawlDelay: undefined })

/**
 * All groups that name the token are one; so are all groups of `*`. Only a rule ends a list of user agents. Without a
 * token the text is one of ours: every group is for us, and comments give the positions of its lines (`writeText`).
 */
function* readGroups(text: string, token: string | undefined): Stretches<RobotsFile> {
  const file: RobotsFile = {
    addressed: false,
    named: emptyGroup(),
    common: emptyGroup(),
    sitemaps: [],
    sitemapsLeft: 0,
    strange: 0,
  }
  let room = MAX_TEXT - ROOM_FOR_HEAD
  let ours: Group | undefined
  let spelt = ''
  let ruleSeen = false
  let rested = 0
  for (const line of readLines(text, token === undefined ? MAX_TEXT : LONGEST_LINE)) {
    if (line.number - rested >= LINES_A_STRETCH) {
      rested = line.number
      yield
    }
    const { kind, value } = line
    if (kind === 'other') file.strange++
    else if (kind === 'sitemap') room -= addSitemap(file, value, room)
    else if (kind === 'user-agent') {
      if (ruleSeen) ours = undefined
      ruleSeen = false
      file.addressed = true
      const group = addressee(file, value, token)
      if (group === undefined || ours === file.named) continue
      ours = group
      spelt = token === undefined ? recalledName(line) : shown(value)
      if (group.first === undefined) {
        group.first = spelt
        group.name = productToken(value)
      }
    } else if (ours !== undefined) {
      if (kind === 'crawl-delay') {
        addCrawlDelay(ours, value)
        continue
      }
      ruleSeen = true
      const pattern = comparable(value)
      const length = pattern.length + (kind === 'allow' ? 'Allow: \n' : 'Disallow: \n').length
      const place = token === undefined ? recalledPlace(line, spelt) : { line: line.number, group: spelt }
      if (length <= room && ours.rules.add(kind === 'allow', pattern, place)) room -= length
    }
  }
  return file
}

/** Our own group, that of `*`, or undefined for any other. */
function addressee(file: RobotsFile, value: string, token: string | undefined): Group | undefined {
  if (/^\*(\s|$)/.test(value)) return file.common
  return token === undefined || productToken(value).toLowerCase() === token ? file.named : undefined
}

/** `FooBot/1.2 (+http…)` and `foobot news` address foobot. */
function productToken(value: string): string {
  return /^[a-z_-]*/i.exec(value)![0]
}

/** For people: printable ASCII, shortened. */
function shown(value: string): string {
  return value
    .slice(0, LONGEST_NAME)
    .replace(/[^\x20-\x7e]/g, '?')
    .trimEnd()
}

/** Its length in `text`. */
function addSitemap(file: RobotsFile, value: string, room: number): number {
  const { sitemaps } = file
  if (sitemaps.length >= MAX_SITEMAPS) file.sitemapsLeft++
  if (sitemaps.length >= MAX_SITEMAPS || value.length > LONGEST_SITEMAP) return 0
  const href = parseUrl(Buffer.from(value, 'latin1').toString('utf8'))?.href
  if (href === undefined || href.length > Math.min(LONGEST_SITEMAP, room - 16) || sitemaps.includes(href)) return 0
  sitemaps.push(href)
  return href.length + 'Sitemap: \n'.length
}

/** Seconds, fractions too; anything after the number is ignored. The longest of several counts. */
function addCrawlDelay(group: Group, value: string): void {
  const seconds = /^(\d{1,12}(?:[.,]\d{1,12})?|[.,]\d{1,12})/.exec(value)?.[1]
  if (seconds === undefined) return
  const delay = Math.min(Math.round(Number(seconds.replace(',', '.')) * 1000), LONGEST_CRAWL_DELAY)
  group.crawlDelay = Math.max(group.crawlDelay ?? 0, delay)
}

/**
 * Writes a small robots.txt whose comments keep the positions of its lines: `Disallow: /a #12`, and `User-agent:
 * orbweaver #Orbweaver/2.0` where a group begins. If they would make it too long, the rules come first.
 */
function* writeText(group: Group, agent: string, sitemaps: readonly string[]): Stretches<string> {
  const tail = sitemaps.map((sitemap) => `Sitemap: ${sitemap}\n`).join('')
  if (group.first === undefined) return tail
  let text = userAgentLine(agent, group.first)
  if (group.crawlDelay !== undefined) text += `Crawl-delay: ${group.crawlDelay / 1000}\n`
  let spare = MAX_TEXT - text.length - tail.length
  for (const line of group.rules.lines.keys()) spare -= line.length + 1
  let current = group.first
  let written = 0
  for (const [line, place] of group.rules.lines) {
    if (++written % LINES_A_STRETCH === 0) yield
    const change = place.group === current ? '' : userAgentLine(agent, place.group)
    const number = ` #${place.line}`
    const fits = place.line > 0 && change.length + number.length <= spare
    if (fits) {
      spare -= change.length + number.length
      current = place.group
    }
    text += fits ? `${change}${line}${number}\n` : `${line}\n`
  }
  return text + tail
}

function userAgentLine(agent: string, group: string): string {
  return group === agent ? `User-agent: ${agent}\n` : `User-agent: ${agent} #${group}\n`
}

function recalledName({ value, comment }: RobotsLine): string {
  return comment === undefined || comment === '' ? value : comment
}

function recalledPlace({ comment }: RobotsLine, group: string): Place {
  const line = /^\d{1,7}$/.exec(comment ?? '')
  return line === null ? { line: 0, group: '' } : { line: Number(line[0]), group }
}

/** The lines of a robots.txt, read with the tolerance of Google's published parser. */

type LineKind = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap' | 'other'

interface RobotsLine {
  kind: LineKind
  value: string
  /** 1 for the first: CR, LF and CR LF each end a line. */
  number: number
  /** The text after the `#`; undefined when there is none. */
  comment: string | undefined
}

/** RFC 9309 asks for 500 KiB at least. */
const PARSED_BYTES = 512 * 1024
/** Google's limit for a line: eight times the longest URL that browsers accept. */
const LONGEST_LINE = 2083 * 8

/** In this order; a key need only begin so. The misspellings are the commonest ones. */
const KEYS: readonly (readonly [LineKind, RegExp])[] = [
  ['user-agent', /^user[- ]?agent/i],
  ['allow', /^allow/i],
  ['disallow', /^(disallow|dissallow|dissalow|disalow|diasllow|disallaw)/i],
  ['sitemap', /^site-?map/i],
  ['crawl-delay', /^crawl[- ]?delay/i],
]

/**
 * Decodes one character per byte, so that a pattern in an unknown encoding keeps its bytes. Whole lines of the first
 * 512 KiB, without the byte order mark (or part of one) and without NULs: UTF-16 without its mark is readable then.
 */
function decodeRobots(bytes: Uint8Array): string {
  const mark = byteOrderMark(bytes)
  if (mark === 'utf-16le' || mark === 'utf-16be') {
    // Against RFC 9309, but it happens, and the intent is clear.
    const text = new TextDecoder(mark).decode(bytes.subarray(0, 2 * PARSED_BYTES))
    return decodeRobots(new TextEncoder().encode(text))
  }
  let from = 0
  for (const byte of [0xef, 0xbb, 0xbf])
    if (bytes[from] === byte) from++
    else break
  // The fetch stops at the same length: a last line of exactly that many bytes may be half a line.
  const end = bytes.length < PARSED_BYTES ? bytes.length : lineBorder(bytes, Math.min(bytes.length, PARSED_BYTES))
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, end - from)
    .toString('latin1')
    .replaceAll('\0', '')
}

/** Behind the last line end before `limit`; a single endless line is cut there. */
function lineBorder(bytes: Uint8Array, limit: number): number {
  for (let at = limit; at > 0; at--) if (bytes[at - 1] === 10 || bytes[at - 1] === 13) return at
  return limit
}

/** Leaves out empty lines and lines with only a comment. */
function* readLines(text: string, longest = LONGEST_LINE): Generator<RobotsLine> {
  for (const [before, raw] of text.split(/\r\n|\r|\n/).entries()) {
    const line = readLine(raw.slice(0, longest), before + 1)
    if (line !== undefined) yield line
  }
}

function readLine(raw: string, number: number): RobotsLine | undefined {
  const hash = raw.indexOf('#')
  const line = trim(hash < 0 ? raw : raw.slice(0, hash))
  if (line === '') return undefined
  const comment = hash < 0 ? undefined : raw.slice(hash + 1)
  const colon = line.indexOf(':')
  if (colon >= 0) {
    return { kind: kindOf(trim(line.slice(0, colon))), value: trim(line.slice(colon + 1)), number, comment }
  }
  // `Disallow /private`: exactly two words, otherwise it may be anything.
  const space = /[ \t]+/.exec(line)
  const value = space === null ? '' : line.slice(space.index + space[0].length)
  if (space === null || /[ \t]/.test(value)) return { kind: 'other', value: line, number, comment }
  return { kind: kindOf(line.slice(0, space.index)), value, number, comment }
}

function kindOf(key: string): LineKind {
  for (const [kind, pattern] of KEYS) if (pattern.test(key)) return kind
  return 'other'
}

/** ASCII white space only: a byte 0xA0 is part of some letter. */
function trim(text: string): string {
  let from = 0
  let end = text.length
  while (from < end && isSpace(text.charCodeAt(from))) from++
  while (end > from && isSpace(text.charCodeAt(end - 1))) end--
  return text.slice(from, end)
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}
