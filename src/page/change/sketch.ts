/**
 * A page in some hundred bytes, so that a later look can say how much of it changed, and where, without the earlier body: a
 * short hash of each line of its text, and the minima of its shingles. With it goes what was learnt of the page: its volatile
 * regions.
 *
 * A region is a run of lines between two that stayed. It is volatile if it differed in every one of three looks in a row, or in
 * two that were minutes apart; then it is left out of the decision. Where only its numbers and dates differed, only these are.
 * A run that is a large part of the page is its content and is never left out, nor one that grew beyond what was learnt.
 */

import { ByteReader, ByteWriter } from '../../base/bytes.ts'
import { hash64 } from '../../base/digest.ts'
import { type Change, type ChangeClass, LONGEST_PLACE } from '../../contracts/change.ts'
import { foldText } from '../extract/text.ts'

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
  /** By their hashes; asked for only if some of them changed. */
  linesOf(): ReadonlyMap<number, Line>
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
}

interface Sketch {
  looks: number
  level: number
  links: number
  minima: Uint16Array
  lines: Uint16Array
  regions: Region[]
}

/** A changed run: from and to, in the lines of both looks. */
interface Run {
  oldFrom: number
  oldTo: number
  from: number
  to: number
}

const MAX_LINES = 256
/** A page that has grown to more is compared as a whole. */
const MAX_COMPARED = 1024
const MAX_REGIONS = 16
/** Looks in a row in which a region must have differed. */
const VOLATILE = 2
const MINUTES = 10 * 60_000
/** A volatile region that stayed the same so often is one no more. */
const MAX_QUIET = 8
/** A run of more lines, or of a larger part of the page, is its content. */
const MAX_SIZE = 32
const MAX_SHARE = 1 / 3
/** Runs at one place with so few lines between them are one. */
const MAX_GAP = 2
/** With fewer lines in common it is another template, and what was learnt is forgotten. */
const SAME_TEMPLATE = 0.3
/** Instead of a line before the first and behind the last. */
const EDGE = 0

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
  const isTemplate = isComparable && kept >= SAME_TEMPLATE * Math.max(old.lines.length, now.lines.length)
  // Of looks in between that found nothing changed, or failed, there is no other trace than their number.
  const isNext = look.looks === old.looks
  const known = isTemplate ? old.regions.filter(({ times }) => isNext || times >= VOLATILE) : []
  const isSoon = isNext && look.since >= 0 && look.since <= MINUTES
  const judged = judgeRuns(old, now, runs, known, look, isSoon)
  const change = classed(judged, old, now, look)
  const level = levelFor(look.now.lines)
  const stored = level === old.level ? now : shortened(look.now, level)
  const regions = isTemplate && level === old.level ? judged.regions : []
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
  const page = runs.length === 0 ? new Map<number, Line>() : look.linesOf()
  const left = new Set(known)
  const placed = (run: Run) => placeOf(run, linesIn(run, now, look.now, page), now, look.now, page)
  for (const run of joined(runs, placed)) {
    const lines = linesIn(run, now, look.now, page)
    const place = placed(run)
    const seen = regionOf(run, now, lines, place)
    const region = known.find((one) => left.has(one) && isSameRegion(one, seen))
    if (region !== undefined) left.delete(region)
    // From level 1 on it may be several lines; and one title says nothing of others.
    const isOneLine = run.to - run.from === 1 && old.level === 0 && run.from !== TITLE
    // What is added to a list, or taken from it, is news, however often that happens.
    const isGrowth = isGrown(run, old.lines, now.lines)
    const isContent =
      isGrowth || seen.size > MAX_SIZE || seen.size > MAX_SHARE * Math.max(old.lines.length, now.lines.length)
    const isKnown =
      (region !== undefined && isVolatile(region, seen)) || (isOneLine && look.isVolatileOnSite(seen.place))
    const isLeftOut = isKnown && !isContent && !lines.some(({ isWatched }) => isWatched)
    judged[isLeftOut ? 'volatile' : 'changed'].push(place)
    if (isContent) continue
    const after = learntOf(region, seen, isSoon)
    judged.regions.push(after)
    const isNews = after.times >= VOLATILE && (region?.times ?? 0) < VOLATILE
    if (isNews && isOneLine && isOnlyLineAt(place, page)) judged.learnt.push(seen.place)
  }
  for (const region of left) {
    const isStill = region.times >= VOLATILE && region.quiet < MAX_QUIET
    if (isStill) judged.regions.push({ ...region, quiet: region.quiet + 1 })
  }
  judged.regions.sort((a, b) => b.times - a.times).splice(MAX_REGIONS)
  return judged
}

/** Lines were only added, or only taken away, and not all of them moved. */
function isGrown({ oldFrom, oldTo, from, to }: Run, old: Uint16Array, now: Uint16Array): boolean {
  if (from === to) return !old.subarray(oldFrom, oldTo).every((line) => now.includes(line))
  return oldFrom === oldTo && !now.subarray(from, to).every((line) => old.includes(line))
}

/** Of a list in another order, or with other items, some items may stay where they are: it is one region all the same. */
function joined(runs: readonly Run[], placeOf: (run: Run) => string): Run[] {
  const all: Run[] = []
  for (const run of runs) {
    const last = all.at(-1)
    const isNear = last !== undefined && run.from - last.to <= MAX_GAP
    // Where something is missing, it has no place of its own.
    const isMissing = (one: Run) => one.from === one.to
    if (isNear && (isMissing(last) || isMissing(run) || placeOf(last) === placeOf(run)))
      all[all.length - 1] = { ...last, oldTo: run.oldTo, to: run.to }
    else all.push(run)
  }
  return all
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
    before: run.from === 0 ? EDGE : now[run.from - 1],
    after: run.to === now.length ? EDGE : now[run.to],
    place: placeKey(place),
    shape: Number(foldText(lines.map(({ text }) => text).join('\n')).shape & 0xffffn),
    size: Math.max(run.to - run.from, run.oldTo - run.oldFrom),
    times: 1,
    words: 0,
    quiet: 0,
  }
}

/** At the same place, and one of its neighbours is the same. */
function isSameRegion(region: Region, seen: Region): boolean {
  return region.place === seen.place && (region.before === seen.before || region.after === seen.after)
}

function isVolatile(region: Region, seen: Region): boolean {
  // A list in another order has more or fewer lines that differ.
  const isNoLarger = seen.size <= region.size + (region.size >> 2)
  return region.times >= VOLATILE && isNoLarger && (region.shape === seen.shape || region.words > 0)
}

/** `isSoon`: the look before was minutes ago. */
function learntOf(region: Region | undefined, seen: Region, isSoon: boolean): Region {
  if (region === undefined) return isSoon ? { ...seen, times: VOLATILE, words: 1 } : seen
  const isProven = region.times >= VOLATILE
  return {
    ...seen,
    size: isProven ? region.size : Math.max(region.size, seen.size),
    times: Math.min(255, region.times + 1),
    words: region.shape === seen.shape ? 0 : Math.min(255, region.words + 1),
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

/** The title is the first line. */
const TITLE = 0

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

/** What lies between the lines of a longest common subsequence. */
function runsOf(old: Uint16Array, now: Uint16Array): Run[] {
  let start = 0
  while (start < old.length && start < now.length && old[start] === now[start]) start++
  let [oldEnd, end] = [old.length, now.length]
  while (oldEnd > start && end > start && old[oldEnd - 1] === now[end - 1]) {
    oldEnd--
    end--
  }
  const width = end - start + 1
  // How many of the lines from here on both have.
  const common = new Uint16Array((oldEnd - start + 1) * width)
  for (let i = oldEnd - 1; i >= start; i--) {
    for (let j = end - 1; j >= start; j--) {
      const at = (i - start) * width + j - start
      common[at] = old[i] === now[j] ? common[at + width + 1] + 1 : Math.max(common[at + width], common[at + 1])
    }
  }
  const runs: Run[] = []
  let [i, j] = [start, start]
  while (i < oldEnd || j < end) {
    const run: Run = { oldFrom: i, oldTo: i, from: j, to: j }
    while ((i < oldEnd || j < end) && !(i < oldEnd && j < end && old[i] === now[j])) {
      const at = (i - start) * width + j - start
      if (j === end || (i < oldEnd && common[at + width] >= common[at + 1])) i++
      else j++
    }
    run.oldTo = i
    run.to = j
    runs.push(run)
    while (i < oldEnd && j < end && old[i] === now[j]) {
      i++
      j++
    }
  }
  return runs
}

const VERSION = 1
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
  for (const { buffer } of [minima, lines]) bytes.blob(new Uint8Array(buffer))
  bytes.count(regions.length)
  for (const { before, after, place, shape, size, times, words, quiet } of regions)
    for (const value of [before, after, place, shape, size, times, words, quiet]) bytes.count(value)
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
      regions.push({ before, after, place, shape, size, times, words, quiet })
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
