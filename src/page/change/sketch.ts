/**
 * A page in some hundred bytes, so that a later look can say how much of it changed, and where, without the earlier body: a
 * short hash of each line of its text, and the minima of its shingles. With it goes what was learnt of the page: its volatile
 * regions.
 *
 * A region is a run of lines between two that stayed. It is volatile if it differed in every one of three looks in a row, or in
 * two that were minutes apart; then it is left out of the decision. Where only its numbers and dates differed, only these are.
 * A run that is most of the page is its content, unless its lines come back: news do not. One that grew beyond what was learnt
 * is never left out.
 */

import { ByteReader, ByteWriter } from '../../base/bytes.ts'
import { hash64 } from '../../base/digest.ts'
import { type Change, type ChangeClass, LONGEST_PLACE } from '../../contracts/change.ts'
import { foldText } from '../extract/text.ts'
import {
  apart,
  exchanged,
  isGrown,
  joined,
  lists,
  neighbours,
  type Run,
  runsOf,
  sizeOf,
  TITLE,
  widened,
} from './runs.ts'

/** What a reading says of a page, as far as it is compared. */
export interface Sketched {
  /** Without those that the operator ignores. */
  lines: Uint32Array
  minima: Uint16Array
  title: string
  /** Of the links as a set. */
  links: number
}

/** A line of the page as it is now. */
export interface Line {
  text: string
  place: string
  /** The operator wants to know of each change of it. */
  isWatched?: boolean
}

export interface Look {
  now: Sketched
  /** The text has the digest of the look before, or differs only in lines that are ignored. */
  isSameText: boolean
  /** Looks at the page before this one, and the time since the last, in milliseconds. */
  looks: number
  since: number
  /** The lines of the page by their hashes; needed only if the text changed. */
  page: ReadonlyMap<number, Line>
  /** Places that are volatile on other pages of the site too (`placeKey`). */
  isVolatileOnSite(place: number): boolean
}

export interface Compared extends Change {
  /** For the next look. */
  sketch: Uint8Array
  /** Places, each of one line of this page, that have just turned out to be volatile. */
  learnt: number[]
}

/** What is kept of a run of lines that changed. */
interface Region {
  /** The lines around it, as hashes. */
  before: number
  after: number
  /** Of its first line. */
  place: number
  /** With the numbers and dates left out. */
  shape: number
  /** Lines. */
  size: number
  /** Looks in a row in which it differed, and in which its shape did. */
  times: number
  words: number
  /** Looks in a row in which it did not, since it is volatile. */
  quiet: number
  /** Of one that is most of the page: lines that came so far, how many of them had been there before, and those that went. */
  came: number
  back: number
  gone: number[]
}

interface Sketch {
  looks: number
  level: number
  links: number
  minima: Uint16Array
  lines: Uint16Array
  regions: Region[]
}

const MAX_LINES = 2048
/** A page that has grown to more is compared as a whole. */
const MAX_COMPARED = 4096
const MAX_REGIONS = 16
const MAX_GONE = 32
/** Looks in a row in which a region must have differed. */
const VOLATILE = 2
const MINUTES = 10 * 60_000
/** A volatile region that stayed the same so often is one no more. */
const MAX_QUIET = 8
/** A run of more lines, or of a larger part of the page (both its lines and its text), is its content. */
const MAX_SIZE = 32
const MAX_SHARE = 1 / 2
/** Of a choice from a stock, at least this part of what comes had been there before. */
const BACK = 1 / 8
/** Of a list that is renewed, at least this part changed. */
const RENEWED = 1 / 4
/** With fewer lines in common it is another template, and what was learnt is forgotten. */
const SAME_TEMPLATE = 0.3
/** Of lines in another order. */
const ANY_SHAPE = 0x10000

/** `looks`: at the page so far. */
export function sketchOf(page: Sketched, looks = 1): Uint8Array {
  const level = levelFor(page.lines)
  return packed({ looks, level, ...shortened(page, level), regions: [] })
}

/** Undefined: what is there is no sketch. */
export function compareSketch(before: Uint8Array, look: Look): Compared | undefined {
  const old = unpacked(before)
  if (old === undefined) return undefined
  const now = shortened(look.now, old.level)
  const isComparable = now.lines.length <= MAX_COMPARED
  const runs = isComparable ? runsOf(old.lines, now.lines) : []
  const kept = old.lines.length - runs.reduce((sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom, 0)
  const hasSameTemplate = isComparable && kept >= SAME_TEMPLATE * Math.max(old.lines.length, now.lines.length)
  // Of looks in between that found nothing changed, or failed, there is no other trace than their number.
  const isNext = look.looks === old.looks
  const isLasting = ({ times, quiet }: Region) => times >= VOLATILE && quiet < MAX_QUIET
  const known = hasSameTemplate ? old.regions.filter((region) => isNext || isLasting(region)) : []
  const isSoon = isNext && look.since >= 0 && look.since <= MINUTES
  const judged = judgeRuns(old, now, runs, known, look, isSoon)
  const change = classed(judged, old, now, look)
  const level = levelFor(look.now.lines)
  const stored = level === old.level ? now : shortened(look.now, level)
  const regions = hasSameTemplate && level === old.level ? judged.regions : []
  return { ...change, sketch: packed({ looks: look.looks + 1, level, ...stored, regions }), learnt: judged.learnt }
}

interface Judged {
  regions: Region[]
  learnt: number[]
  /** Places of the runs that are changes. */
  changed: string[]
  volatile: string[]
}

/** Which runs count, and what is learnt of all. */
function judgeRuns(
  old: Sketch,
  now: Shortened,
  runs: readonly Run[],
  known: readonly Region[],
  look: Look,
  isSoon: boolean,
): Judged {
  const judged: Judged = { regions: [], learnt: [], changed: [], volatile: [] }
  const { page } = look
  const length = lengthOf(page.values())
  const left = new Set(known)
  const placed = (run: Run) => placeOf(run, linesIn(run, now, look.now, page), now, look.now, page)
  const oldLines = (run: Run) => old.lines.subarray(run.oldFrom, run.oldTo)
  const newLines = (run: Run) => now.lines.subarray(run.from, run.to)
  const placeAt = (at: number) => (at === TITLE ? undefined : page.get(look.now.lines[now.firsts[at]])?.place)
  const isMost = (run: Run) =>
    run.to !== TITLE + 1 &&
    sizeOf(run) > MAX_SHARE * Math.max(old.lines.length, now.lines.length) &&
    lengthOf(linesIn(run, now, look.now, page)) > MAX_SHARE * length
  const isList = (run: Run) => {
    const { came, gone } = exchanged(oldLines(run), newLines(run))
    if (came.length === 0 || gone.length === 0) return came.length === gone.length && 'reordered'
    const changed = came.length + gone.length
    const isRenewed =
      Math.min(came.length, gone.length) > 1 && changed >= RENEWED * (run.oldTo - run.oldFrom + run.to - run.from)
    return isRenewed && sizeOf(run) <= MAX_SIZE
  }
  const isAlike = (run: Run, { shape }: Region) => shape === shapeOf(linesIn(run, now, look.now, page))
  const found = joined(lists(widened(runs, known, now.lines), now.lines.length, placeAt, isList), placed)
  for (const run of found.flatMap((run) => apart(run, known, now.lines, isAlike))) {
    const lines = linesIn(run, now, look.now, page)
    const place = placed(run)
    const seen = regionOf(run, now, lines, place)
    const region = known.find((one) => left.has(one) && isSameRegion(one, seen))
    if (region !== undefined) left.delete(region)
    // From level 1 on it may be several lines; and one title says nothing of others.
    const isOneLine = run.to - run.from === 1 && old.level === 0 && run.from !== TITLE
    // What is added to a list, or taken from it, is news, however often that happens.
    const isGrowth = isGrown(run, old.lines, now.lines)
    const isTooLarge = !run.isReordered && seen.size > MAX_SIZE
    const isWhole = !run.isReordered && isMost(run)
    const after = learntOf(region, seen, isSoon)
    if (isWhole) remember(after, region, exchanged(oldLines(run), newLines(run)))
    const isContent = isGrowth || isTooLarge || (isWhole && after.back < Math.max(1, BACK * after.came))
    const isKnown =
      (region !== undefined && isVolatile(region, seen)) ||
      (isOneLine && look.isVolatileOnSite(seen.place) && isOnlyLineAt(place, page))
    const isLeftOut = isKnown && !isContent && !lines.some(({ isWatched }) => isWatched)
    judged[isLeftOut ? 'volatile' : 'changed'].push(place)
    if (isGrowth || isTooLarge) continue
    judged.regions.push(after)
    const isNews = after.times >= VOLATILE && (region?.times ?? 0) < VOLATILE
    if (isNews && isOneLine && !isWhole && isOnlyLineAt(place, page)) judged.learnt.push(seen.place)
  }
  for (const region of left) {
    const isStill = region.times >= VOLATILE && region.quiet < MAX_QUIET
    if (isStill) judged.regions.push({ ...region, quiet: region.quiet + 1 })
  }
  judged.regions.sort((a, b) => b.times - a.times).splice(MAX_REGIONS)
  return judged
}

/** What comes and goes where most of the page differs. */
function remember(after: Region, region: Region | undefined, { came, gone }: ReturnType<typeof exchanged>): void {
  const before = region?.gone ?? []
  after.came = (region?.came ?? 0) + came.length
  after.back = (region?.back ?? 0) + came.filter((line) => before.includes(line)).length
  after.gone = [...new Set([...gone, ...before])].slice(0, MAX_GONE)
}

/** As far as they are found: of a page with very long lines, some are not. */
function linesIn(run: Run, now: Shortened, { lines, title }: Sketched, page: ReadonlyMap<number, Line>): Line[] {
  const found: Line[] = []
  for (let at = run.from; at < run.to; at++) {
    if (at === TITLE) found.push({ text: title, place: 'title' })
    else
      for (let line = now.firsts[at]; line < (now.firsts[at + 1] ?? lines.length); line++) {
        const known = page.get(lines[line])
        if (known !== undefined) found.push(known)
      }
  }
  return found
}

function placeOf(
  { from }: Run,
  lines: readonly Line[],
  now: Shortened,
  whole: Sketched,
  page: ReadonlyMap<number, Line>,
): string {
  if (lines.length > 0) return lines[0].place
  // Where something is missing now, it is behind what is in front of it.
  for (let at = from - 1; at > TITLE; at--) {
    const before = page.get(whole.lines[now.firsts[at]])
    if (before !== undefined) return `after ${before.place}`
  }
  return 'beginning'
}

/** Elsewhere on the site, the same place must mean the same line. */
function isOnlyLineAt(place: string, page: ReadonlyMap<number, Line>): boolean {
  let count = 0
  for (const line of page.values()) if (line.place === place && ++count > 1) return false
  return true
}

function regionOf(run: Run, { lines: now }: Shortened, lines: readonly Line[], place: string): Region {
  return {
    ...neighbours(run, now),
    place: placeKey(place),
    shape: run.isReordered ? ANY_SHAPE : shapeOf(lines),
    size: sizeOf(run),
    times: 1,
    words: 0,
    quiet: 0,
    came: 0,
    back: 0,
    gone: [],
  }
}

function lengthOf(lines: Iterable<Line>): number {
  let length = 0
  for (const { text } of lines) length += text.length
  return length
}

/** Similar texts have similar shapes: all bits count, and another order is another text. */
function shapeOf(lines: readonly Line[]): number {
  const text = lines.map((line) => line.text).join('\n')
  return Number(hash64(String(foldText(text).shape)) & 0xffffn)
}

/** One of its neighbours is the same, and it is at the same place, or differs only in its numbers. */
function isSameRegion(region: Region, seen: Region): boolean {
  const isAlike = region.place === seen.place || (region.shape === seen.shape && seen.shape !== ANY_SHAPE)
  return isAlike && (region.before === seen.before || region.after === seen.after)
}

function isVolatile(region: Region, seen: Region): boolean {
  return region.times >= VOLATILE && seen.size <= region.size && (region.shape === seen.shape || region.words > 0)
}

/** `isSoon`: the look before was minutes ago. */
function learntOf(region: Region | undefined, seen: Region, isSoon: boolean): Region {
  // One pair may have been an edit: if it does not differ at the very next look, it is forgotten.
  if (region === undefined) return isSoon ? { ...seen, times: VOLATILE, words: 1, quiet: MAX_QUIET } : seen
  const isProven = region.times >= VOLATILE
  return {
    ...seen,
    size: isProven ? region.size : Math.max(region.size, seen.size),
    times: Math.min(255, region.times + 1),
    words: region.shape === seen.shape && seen.shape !== ANY_SHAPE ? 0 : Math.min(255, region.words + 1),
  }
}

function classed({ changed, volatile }: Judged, old: Sketch, now: Shortened, look: Look): Change {
  const alike = resemblance(old.minima, now.minima)
  if (changed.length > 0 || now.lines.length > MAX_COMPARED) {
    // Between two whole texts that differ, all minima may be the same.
    const kind: ChangeClass = alike >= 0.7 ? 'small' : alike >= 0.3 ? 'medium' : alike > 0 ? 'large' : 'complete'
    return { class: kind, place: named(changed) }
  }
  if (volatile.length > 0) return { class: 'volatile', place: named(volatile) }
  // Strings of over 30 characters are in the digest, but in no line.
  if (!look.isSameText) return { class: 'small', place: 'a long string' }
  return old.links === now.links ? { class: 'markup' } : { class: 'markup', place: 'links' }
}

function named(places: readonly string[]): string | undefined {
  const [first, ...more] = new Set(places)
  if (first === undefined) return undefined
  const rest = more.length === 0 ? '' : `, and ${more.length} more`
  return `${first.slice(0, LONGEST_PLACE - rest.length)}${rest}`
}

/** The share of shingles that both have, by the minima that both have. */
function resemblance(a: Uint16Array, b: Uint16Array): number {
  let equal = 0
  let used = 0
  for (let bin = 0; bin < a.length; bin++) {
    if (a[bin] === NO_SHINGLE && b[bin] === NO_SHINGLE) continue
    used++
    if (a[bin] === b[bin]) equal++
  }
  return used === 0 ? 1 : equal / used
}

const NO_SHINGLE = 0xffff
const MAX_MINIMA = 64

export function placeKey(place: string): number {
  return Number(hash64(place) & 0xffffffffn)
}

interface Shortened {
  minima: Uint16Array
  links: number
  lines: Uint16Array
  /** The first line of the page in each; of the title, none. */
  firsts: Uint32Array
}

/**
 * At most MAX_LINES: if a page has more, several of its lines become one, up to a line whose hash ends in so many zeros. So what
 * is inserted moves no other boundary.
 */
function levelFor(lines: Uint32Array): number {
  let level = 0
  // The title is one more, and what follows the last boundary.
  for (let count = lines.length; count > MAX_LINES - 2 && level < 32; ) {
    level++
    count = 0
    for (const line of lines) if (endsIn(line, level)) count++
  }
  return level
}

function endsIn(line: number, level: number): boolean {
  return level === 0 || (line << (32 - level)) >>> 0 === 0
}

function shortened({ lines, minima, title, links }: Sketched, level: number): Shortened {
  const sums = new Uint32Array(lines.length + 1)
  const firsts = new Uint32Array(lines.length + 1)
  sums[TITLE] = titleHash(title)
  let count = 1
  let isOpen = false
  for (let i = 0; i < lines.length; i++) {
    if (isOpen) sums[count - 1] += lines[i]
    else {
      sums[count] = lines[i]
      firsts[count++] = i
    }
    isOpen = !endsIn(lines[i], level)
  }
  const short = new Uint16Array(count)
  for (let i = 0; i < count; i++) short[i] = sums[i] >>> 16
  return { minima, links, lines: short, firsts: firsts.subarray(0, count) }
}

/** FNV-1a. */
function titleHash(title: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < title.length; i++) hash = Math.imul(hash ^ title.charCodeAt(i), 0x01000193)
  return hash ^ (hash << 13)
}

const VERSION = 2
/** Making one costs more than filling it. */
const bytes = new ByteWriter(2048)

/** Lines that all end a stretch could be more: the hashes are no secret. */
function packed({ looks, level, links, minima, lines: all, regions }: Sketch): Uint8Array {
  const lines = all.slice(0, MAX_LINES)
  bytes.clear()
  bytes.byte(VERSION)
  bytes.count(looks)
  bytes.byte(level)
  bytes.count(links)
  for (const { buffer, byteOffset, byteLength } of [minima, lines])
    bytes.blob(new Uint8Array(buffer, byteOffset, byteLength))
  bytes.count(regions.length)
  for (const { before, after, place, shape, size, times, words, quiet, came, back, gone } of regions)
    for (const value of [before, after, place, shape, size, times, words, quiet, came, back, gone.length, ...gone])
      bytes.count(value)
  return bytes.bytes()
}

/** Bounded, whoever made it. */
function unpacked(given: Uint8Array): Sketch | undefined {
  try {
    const from = new ByteReader(given)
    if (from.byte() !== VERSION) return undefined
    const [looks, level, links] = [from.count(), from.byte(), from.count()]
    const [minima, lines] = [shortFrom(from, MAX_MINIMA), shortFrom(from, MAX_LINES)]
    const count = from.count()
    if (level > 32 || count > MAX_REGIONS) return undefined
    const regions: Region[] = []
    for (let i = 0; i < count; i++) {
      const [before, after, place, shape] = [from.count(), from.count(), from.count(), from.count()]
      const [size, times, words, quiet] = [from.count(), from.count(), from.count(), from.count()]
      const [came, back, length] = [from.count(), from.count(), from.count()]
      if (length > MAX_GONE) return undefined
      const gone = Array.from({ length }, () => from.count())
      regions.push({ before, after, place, shape, size, times, words, quiet, came, back, gone })
    }
    return { looks, level, links, minima, lines, regions }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function shortFrom(from: ByteReader, max: number): Uint16Array {
  const blob = from.blob()
  if (blob.length > 2 * max || blob.length % 2 !== 0) throw new RangeError('another length')
  return new Uint16Array(blob.slice().buffer)
}
