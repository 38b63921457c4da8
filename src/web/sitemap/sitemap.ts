/**
 * What a sitemap or a feed lists (B5): XML urlsets and indexes, plain text, RSS 2.0 and 1.0, Atom. Tolerant and
 * bounded: it returns what could be read and never throws. Priorities and change frequencies cannot be checked, and
 * images, videos and news are not pages: all are ignored.
 */

import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { byteOrderMark } from '../../base/bytes.ts'
import type { Instant } from '../../base/clock.ts'
import { runThrough, type Stretches } from '../../base/stretches.ts'
import { instantOf } from '../http/http-date.ts'
import { decodeEntities, XmlScan } from './xml-scan.ts'

export interface ListedUrl {
  /** As written, without surrounding white space and with entities decoded; it may not be a URL. */
  loc: string
  lastmod?: Instant
}

export interface Sitemap {
  /** unknown: a web page or anything else without a list. */
  kind: 'urlset' | 'index' | 'text' | 'rss' | 'atom' | 'unknown'
  urls: ListedUrl[]
  /** Of an index. */
  sitemaps: string[]
  /** For people: what was left out and why. */
  troubles: string[]
}

/** The protocol's limits for entries of one file and for its bytes without compression. */
export const MAX_LISTED = 50_000
export const MAX_SITEMAP_BYTES = 52_428_800
/** The protocol's limit for a URL. */
export const LONGEST_LOC = 2048
/** Characters of an entry's text that are looked at before entities are decoded. */
const LONGEST_FIELD = 16_384

interface Effort {
  steps: number
}

/** Characters scanned per stretch: 2 to 10 ms. */
export const STEPS_A_STRETCH = 256 * 1024

/** `effort.steps` grows by the characters scanned: tests limit it. */
export function parseSitemap(bytes: Uint8Array, charset: string | undefined, effort: Effort = { steps: 0 }): Sitemap {
  return runThrough(sitemapInStretches(bytes, charset, effort))
}

/** As `parseSitemap`, but yields after each stretch: a million entries took 0.6 s. */
export function* sitemapInStretches(
  bytes: Uint8Array,
  charset: string | undefined,
  effort: Effort = { steps: 0 },
): Stretches<Sitemap> {
  const list = new Listing()
  if (bytes.length > MAX_SITEMAP_BYTES) list.cut = true
  const text = yield* sitemapText(bytes.subarray(0, MAX_SITEMAP_BYTES), charset)
  effort.steps += text.length
  const isText = isList(text.slice(0, 1000))
  const kind = isText ? yield* readText(text, list) : yield* readXml(text, list, effort)
  return { kind, urls: list.urls, sitemaps: list.sitemaps, troubles: list.troubles() }
}

class Listing {
  readonly urls: ListedUrl[] = []
  readonly sitemaps: string[] = []
  cut = false
  torn = false
  #tooLong = 0
  #empty = 0
  #tooMany = 0
  #strangeDates = 0

  add(to: 'urls' | 'sitemaps', raw: string, date: string): void {
    const loc = cleanLoc(raw)
    if (loc === '') this.#empty++
    else if (loc.length > LONGEST_LOC) this.#tooLong++
    else if (this.urls.length + this.sitemaps.length >= MAX_LISTED) this.#tooMany++
    else if (to === 'sitemaps') this.sitemaps.push(loc)
    else {
      const lastmod = date === '' ? undefined : parseW3cDate(date)
      if (date !== '' && lastmod === undefined) this.#strangeDates++
      this.urls.push(lastmod === undefined ? { loc } : { loc, lastmod })
    }
  }

  troubles(): string[] {
    const troubles: string[] = []
    if (this.torn) troubles.push('torn')
    if (this.cut) troubles.push(`cut at ${MAX_SITEMAP_BYTES} bytes`)
    if (this.#tooMany > 0) troubles.push(`${this.#tooMany} entries after the first ${MAX_LISTED} left out`)
    if (this.#tooLong > 0) troubles.push(`${this.#tooLong} URLs over ${LONGEST_LOC} characters left out`)
    if (this.#empty > 0) troubles.push(`${this.#empty} entries without a URL`)
    if (this.#strangeDates > 0) troubles.push(`${this.#strangeDates} dates not understood`)
    return troubles
  }
}

/** Without surrounding white space and inner tabs and line ends; a copy of its own. */
function cleanLoc(raw: string): string {
  const trimmed = raw.trim()
  const clean = /[\t\n\r]/.test(trimmed) ? trimmed.replace(/[\t\n\r]+\s*/g, '') : trimmed
  return (' ' + clean.slice(0, LONGEST_LOC + 1)).slice(1)
}

/** It begins with a URL; or a later line does, and there is no tag: some lists begin with a comment or a heading. */
function isList(start: string): boolean {
  return /^\s*https?:\/\//i.test(start) || (!start.includes('<') && /^\s*https?:\/\//im.test(start))
}

/** One URL per line; other lines are ignored silently, for there are no rules for them. */
function* readText(text: string, list: Listing): Stretches<Sitemap['kind']> {
  let from = 0
  let rested = 0
  while (from < text.length) {
    if (from - rested >= STEPS_A_STRETCH) {
      rested = from
      yield
    }
    let end = from
    while (end < text.length && text.charCodeAt(end) !== 10 && text.charCodeAt(end) !== 13) end++
    const line = text.slice(from, Math.min(end, from + LONGEST_FIELD)).trim()
    if (/^https?:\/\//i.test(line)) list.add('urls', line, '')
    from = end + 1
  }
  return 'text'
}

const ROOTS: Readonly<Record<string, Sitemap['kind']>> = {
  urlset: 'urlset',
  sitemapindex: 'index',
  rss: 'rss',
  rdf: 'rss',
  feed: 'atom',
  // The root is missing.
  url: 'urlset',
  sitemap: 'index',
  html: 'unknown',
}

/** Elements before the root that are examined: mostly warnings of server scripts. */
const BEFORE_ROOT = 50

/** Which elements are entries, and which of their children name the URL and the date, best first. */
const ENTRIES: Readonly<Record<Sitemap['kind'], readonly string[]>> = {
  urlset: ['url', 'sitemap'],
  index: ['sitemap', 'url'],
  rss: ['item'],
  atom: ['entry'],
  text: [],
  unknown: [],
}
const DATES = ['lastmod', 'updated', 'pubdate', 'date', 'published']

function* readXml(text: string, list: Listing, effort: Effort): Stretches<Sitemap['kind']> {
  const scan = new XmlScan(text)
  const kind = rootOf(scan)
  if (kind !== 'unknown') yield* readEntries(kind, scan, list)
  effort.steps += scan.steps
  return kind
}

function rootOf(scan: XmlScan): Sitemap['kind'] {
  for (let seen = 0; seen < BEFORE_ROOT; ) {
    const token = scan.next()
    if (token === 'end') break
    if (token !== 'open') continue
    seen++
    if (Object.hasOwn(ROOTS, scan.name)) return ROOTS[scan.name]
  }
  return 'unknown'
}

interface Entry {
  name: string
  prefix: string
  /** By name of the field. */
  fields: Map<string, string>
  /** The direct child that is open, `image:image`. */
  child: string | undefined
  /** Its name, if its text is needed. */
  field: string | undefined
  text: string
}

function* readEntries(kind: Sitemap['kind'], scan: XmlScan, list: Listing): Stretches<void> {
  const names = ENTRIES[kind]
  const root = scan.name
  list.torn = !scan.isEmpty && !names.includes(root)
  // Without a root, the scan is at the first entry already.
  let entry = names.includes(scan.name) ? newEntry(scan) : undefined
  let rested = 0
  for (;;) {
    if (scan.position - rested >= STEPS_A_STRETCH) {
      rested = scan.position
      yield
    }
    const token = scan.next()
    if (token === 'end') break
    if (token === 'close' && scan.name === root) list.torn = false
    if (token === 'text') {
      if (entry?.field !== undefined) addText(entry, scan)
      else if (entry !== undefined && entry.child === undefined) addOwnText(entry, scan)
    } else if (names.includes(scan.name) && (entry === undefined || entry.prefix === scan.prefix)) {
      // Whether or not the previous one was closed.
      finish(entry, list)
      entry = token === 'open' ? newEntry(scan) : undefined
    } else if (entry === undefined) continue
    else if (token === 'open') {
      if (isSecondLoc(entry, scan)) {
        finish(entry, list)
        entry.fields.clear()
      }
      openChild(kind, entry, scan)
    } else if (qualified(scan) === entry.child) closeChild(entry)
  }
  finish(entry, list)
}

function newEntry({ name, prefix, isEmpty }: XmlScan): Entry | undefined {
  return isEmpty ? undefined : { name, prefix, fields: new Map(), child: undefined, field: undefined, text: '' }
}

function qualified({ prefix, name }: XmlScan): string {
  return prefix === '' ? name : `${prefix}:${name}`
}

/** Elements inside a child are ignored. A URL or a date has none: that one was not closed. */
function openChild(kind: Sitemap['kind'], entry: Entry, scan: XmlScan): void {
  if (entry.child !== undefined && entry.field === undefined) return
  closeChild(entry)
  if (kind === 'atom' && scan.name === 'link') addAtomLink(entry, scan)
  if (scan.isEmpty) return
  entry.child = qualified(scan)
  entry.field = fieldOf(kind, entry, scan)
}

/** An entry has one URL: between two of them, a tag is missing. */
function isSecondLoc({ prefix, fields, child, field }: Entry, scan: XmlScan): boolean {
  if (scan.name !== 'loc' || scan.isEmpty || scan.prefix !== prefix) return false
  if (child !== undefined && field === undefined) return false
  return field === 'loc' || fields.has('loc')
}

/** `<sitemap>http://…</sitemap>`: the `loc` is missing. */
function addOwnText(entry: Entry, scan: XmlScan): void {
  if (entry.fields.has('loc')) return
  const text = scan.slice(scan.from, Math.min(scan.to, scan.from + LONGEST_FIELD)).trim()
  if (/^https?:\/\//i.test(text)) entry.fields.set('own', scan.isCdata ? text : decodeEntities(text))
}

function closeChild(entry: Entry): void {
  const { field, text } = entry
  if (field !== undefined && !entry.fields.has(field)) entry.fields.set(field, text)
  entry.child = undefined
  entry.field = undefined
  entry.text = ''
}

/** Only of the entry's own name space: `image:loc` is not a page. Feeds use dates of other name spaces. */
function fieldOf(kind: Sitemap['kind'], entry: Entry, scan: XmlScan): string | undefined {
  const { name, prefix } = scan
  const isDate = DATES.includes(name)
  if (kind === 'rss') {
    if (prefix === '' && name === 'guid')
      return scan.attribute('ispermalink')?.toLowerCase() === 'false' ? undefined : name
    return (prefix === '' && name === 'link') || (isDate && (prefix === '' || prefix === 'dc')) ? name : undefined
  }
  if (prefix !== entry.prefix) return undefined
  return name === 'loc' || isDate ? name : undefined
}

/** The page itself: `rel` is missing or `alternate`. */
function addAtomLink(entry: Entry, scan: XmlScan): void {
  const rel = scan.attribute('rel') ?? 'alternate'
  const href = scan.attribute('href')
  if (rel === 'alternate' && href !== undefined && !entry.fields.has('link')) {
    entry.fields.set('link', decodeEntities(href.slice(0, LONGEST_FIELD)))
  }
}

function addText(entry: Entry, scan: XmlScan): void {
  const room = LONGEST_FIELD - entry.text.length
  if (room <= 0) return
  const text = scan.slice(scan.from, Math.min(scan.to, scan.from + room))
  entry.text += scan.isCdata ? text : decodeEntities(text)
}

function finish(entry: Entry | undefined, list: Listing): void {
  if (entry === undefined) return
  closeChild(entry)
  const { fields } = entry
  const loc = fields.get('loc') ?? (fields.get('link')?.trim() || fields.get('guid')) ?? fields.get('own') ?? ''
  const date = DATES.map((name) => fields.get(name)?.trim() ?? '').find((text) => text !== '') ?? ''
  list.add(entry.name === 'sitemap' ? 'sitemaps' : 'urls', loc, date)
}

/** The text of a sitemap: UTF-8 by the protocol, but feeds and broken files differ. */

/** Bytes decoded per stretch: 1 to 10 ms. */
const A_STRETCH = 1024 * 1024

/** A byte order mark or unmistakable bytes decide; otherwise HTTP or the XML declaration. Yields between stretches. */
function* sitemapText(bytes: Uint8Array, charset: string | undefined): Stretches<string> {
  const decoder = decoderFor(bytes, charset)
  if (bytes.length <= A_STRETCH) return decoder.decode(bytes)
  const pieces: string[] = []
  for (let from = 0; from < bytes.length; from += A_STRETCH) {
    if (from > 0) yield
    pieces.push(decoder.decode(bytes.subarray(from, from + A_STRETCH), { stream: true }))
  }
  pieces.push(decoder.decode())
  return pieces.join('')
}

function decoderFor(bytes: Uint8Array, charset: string | undefined): TextDecoder {
  const sure = byteOrderMark(bytes) ?? wideOf(bytes) ?? (isUtf8(bytes) ? 'utf-8' : undefined)
  if (sure !== undefined) return new TextDecoder(sure)
  return decoderOf(charset) ?? decoderOf(declaredIn(bytes)) ?? new TextDecoder('windows-1252')
}

/** `<` or `h` beside a zero: two bytes per letter. */
function wideOf(bytes: Uint8Array): string | undefined {
  if (bytes.length < 4) return undefined
  if (bytes[0] !== 0 && bytes[1] === 0 && bytes[2] !== 0 && bytes[3] === 0) return 'utf-16le'
  if (bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0 && bytes[3] !== 0) return 'utf-16be'
  return undefined
}

function declaredIn(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1')
  return /^\s*<\?xml[^>]{0,150}?encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']/.exec(start)?.[1]
}

/** Two bytes per letter would have shown: a declaration that contradicts the bytes is ignored. */
function decoderOf(label: string | undefined): TextDecoder | undefined {
  if (label === undefined || label.length > 40) return undefined
  try {
    const decoder = new TextDecoder(label)
    return decoder.encoding.startsWith('utf-16') ? undefined : decoder
  } catch {
    return undefined
  }
}

/**
 * The dates of sitemaps and feeds: W3C's profile of ISO 8601 in every precision (`2004`, `2004-12`, `2004-12-23`,
 * `2004-12-23T18:00+01:00`, with seconds and fractions), and the e-mail dates of RSS (`Thu, 23 Dec 2004 18:00:15 +0100`).
 */

const LONGEST = 64
const MINUTE = 60_000

const ISO =
  /^(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?:[Tt ]\s?(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|z|UTC|GMT|[+-]\d\d:?\d\d|[+-]\d\d)?)?)?)?$/
const COMPACT = /^(\d{4})(\d\d)(\d\d)$/
const MAIL =
  /^(?:[A-Za-z]{3,9},?\s+)?(\d\d?\s+[A-Za-z]{3}[a-z]*\s+(?:\d{4}|\d\d)\s+\d\d?:\d\d(?::\d\d)?)\s*(Z|UTC|UT|GMT|[A-Z]{3}|[+-]\d{4}|[+-]\d\d:\d\d)?$/

/** The first instant of what the text names, in UTC if it has no zone. Undefined when it names none. */
export function parseW3cDate(text: string): Instant | undefined {
  const trimmed = text.length > LONGEST ? '' : text.trim()
  const iso = ISO.exec(trimmed) ?? COMPACT.exec(trimmed)
  if (iso !== null) {
    const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((at) => Number(iso[at] ?? (at < 4 ? 1 : 0)))
    const at = instantOf(year, month, day, hour, minute, second)
    const ms = Number((iso[7] ?? '').padEnd(3, '0').slice(0, 3))
    return at === undefined ? undefined : at + ms - offsetOf(iso[8])
  }
  const mail = MAIL.exec(trimmed)
  if (mail === null) return undefined
  // A zone whose name the engine does not know is ignored.
  return [`${mail[1]} ${mail[2]}`, `${mail[1]} GMT`].map((said) => Date.parse(said)).find(Number.isFinite)
}

function offsetOf(zone: string | undefined): number {
  if (zone === undefined) return 0
  const found = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (found === null) return 0
  const minutes = +found[2] * 60 + Number(found[3] ?? 0)
  return (found[1] === '-' ? -minutes : minutes) * MINUTE
}
