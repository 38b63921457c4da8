/**
 * A page in some hundred bytes, so that a later look can say how much of it changed, and where, without the earlier body: a
 * short hash of each line of its text, and the minima of its shingles. With it goes what was learnt of the page: its volatile
 * regions (`regions.ts`).
 */

import { ByteReader, ByteWriter } from '../../base/bytes.ts'
import { type Change, type ChangeClass, LONGEST_PLACE } from '../../contracts/change.ts'
import { MAX_SKETCH } from '../../contracts/visit.ts'
import type { Box } from './blocks.ts'
import {
  isLasting,
  type Judged,
  judgeRuns,
  type Line,
  LONG_STRING,
  lengthOf,
  type OnSite,
  type Pair,
  packRegions,
  type Region,
  stillThere,
  unpackRegions,
} from './regions.ts'
import { type Run, runsOf, TITLE } from './runs.ts'
import { type Came, judgeSlots, packSlots, type Slot, type SlotNews, unpackSlots } from './slots.ts'

/** What a reading says of a page, as far as it is compared. */
export interface Sketched {
  /** Without those that the operator ignores. */
  lines: Uint32Array
  minima: Uint16Array
  title: string
  /** Of the links as a set. */
  links: number
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
  /** Of each line, the element around it. */
  boxes: readonly (Box | undefined)[]
  /** What the pages of the site have shown of a slot. */
  onSite(slot: number): OnSite
  /** Pages of the site with another title have told of it. */
  cameOnSite(line: number, title: number): boolean
}

export interface Compared extends Change {
  /** For the next look. */
  sketch: Uint8Array
  /** What this look says of slots that had changed at the last one. */
  news: SlotNews[]
  /** Lines that came, each with the title, for `cameOnSite` of other pages. */
  came: Came[]
}

interface Sketch {
  looks: number
  level: number
  links: number
  minima: Uint16Array
  lines: Uint16Array
  regions: Region[]
  slots: Slot[]
}

const MAX_LINES = 2048
/** A page that has grown to more is compared as a whole. */
const MAX_COMPARED = 4096
const MINUTES = 10 * 60_000
/** With fewer lines in common it is another template, and what was learnt is forgotten, but for stamps that are still there. */
const SAME_TEMPLATE = 0.3

/** `looks`: at the page so far. */
export function sketchOf(page: Sketched, looks = 1): Uint8Array {
  const level = levelFor(page.lines)
  return packed({ looks, level, ...shortened(page, level), regions: [], slots: [] })
}

/** Undefined: what is there is no sketch. */
export function compareSketch(before: Uint8Array, look: Look): Compared | undefined {
  const old = unpacked(before)
  if (old === undefined) return undefined
  const now = shortened(look.now, old.level)
  const isComparable = now.lines.length <= MAX_COMPARED
  const runs = isComparable ? runsOf(old.lines, now.lines) : []
  const hasLines = isComparable && now.lines.length > TITLE + 1
  if (hasLines && runs.length === 0 && !look.isSameText) runs.push(stringsOf(old.lines, now.lines))
  const kept = old.lines.length - runs.reduce((sum, { oldFrom, oldTo }) => sum + oldTo - oldFrom, 0)
  const hasSameTemplate = isComparable && kept >= SAME_TEMPLATE * Math.max(old.lines.length, now.lines.length)
  // Of looks in between that found nothing changed, or failed, there is no other trace than their number.
  const isNext = look.looks === old.looks
  const pair = pairOf(old, now, look, isNext)
  const known = old.regions.filter((region) => isNext || isLasting(region))
  // Their names tell whether they are of this template.
  const { slots, news, came, runs: marked } = judgeSlots(runs, old.slots, pair, look.looks - old.looks)
  const judged = judgeRuns(marked, hasSameTemplate ? known : stillThere(marked, known, pair), pair)
  const change = classed(judged, old, now, look)
  const level = levelFor(look.now.lines)
  const stored = level === old.level ? now : shortened(look.now, level)
  const found = level === old.level ? { regions: judged.regions, slots } : { regions: [], slots: [] }
  return { ...change, sketch: packed({ looks: look.looks + 1, level, ...stored, ...found }), news, came }
}

/** Strings of over 30 characters are in the digest, but in no line: if only they differ, that is a run without lines at the end. */
function stringsOf({ length: oldEnd }: Uint16Array, { length: end }: Uint16Array): Run {
  return { oldFrom: oldEnd, oldTo: oldEnd, from: end, to: end }
}

function pairOf({ lines: old, level }: Sketch, { lines: now, firsts }: Shortened, look: Look, isNext: boolean): Pair {
  const { page, boxes, now: whole, since, onSite, cameOnSite } = look
  const found: Line[][] = []
  const linesAt = (at: number) => {
    found[at] ??= linesFrom(at)
    return found[at]
  }
  const linesFrom = (at: number) => {
    if (at === TITLE) return [{ text: whole.title, place: 'title' }]
    if (at < 0 || at >= firsts.length) return []
    const hashes = whole.lines.subarray(firsts[at], firsts[at + 1])
    // Of a page with very long lines, some are not there.
    return Array.from(hashes).flatMap((hash) => page.get(hash) ?? [])
  }
  // Where the text of a page is cut, or read in another way, it has other lines.
  const areLines = level === 0 && boxes.length === whole.lines.length
  const boxAt = (at: number) => (areLines && at > TITLE ? boxes[firsts[at]] : undefined)
  const isSoon = isNext && since >= 0 && since <= MINUTES
  const length = lengthOf(page.values())
  return { old, now, linesAt, length, isSoon, boxAt, onSite, cameOnSite }
}

function classed({ changed, volatile }: Judged, old: Sketch, now: Shortened, look: Look): Change {
  const alike = resemblance(old.minima, now.minima)
  if (changed.length > 0 || now.lines.length > MAX_COMPARED) {
    // Between two whole texts that differ, all minima may be the same.
    const kind: ChangeClass = alike >= 0.7 ? 'small' : alike >= 0.3 ? 'medium' : alike > 0 ? 'large' : 'complete'
    return { class: kind, place: named(changed) }
  }
  if (volatile.length > 0) return { class: 'volatile', place: named(volatile) }
  if (!look.isSameText) return { class: 'small', place: LONG_STRING }
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

const VERSION = 4
/** Making one costs more than filling it. */
const bytes = new ByteWriter(2048)

/** Lines that all end a stretch could be more: the hashes are no secret. */
function packed({ looks, level, links, minima, lines: all, regions, slots }: Sketch): Uint8Array {
  const lines = all.slice(0, MAX_LINES)
  bytes.clear()
  bytes.byte(VERSION)
  bytes.count(looks)
  bytes.byte(level)
  bytes.count(links)
  for (const { buffer, byteOffset, byteLength } of [minima, lines])
    bytes.blob(new Uint8Array(buffer, byteOffset, byteLength))
  packRegions(bytes, regions)
  packSlots(bytes, slots)
  const sketch = bytes.bytes()
  // Counts grow with each look; a server refuses the whole report for one that is too long.
  if (sketch.length <= MAX_SKETCH) return sketch
  return packed({ looks, level, links, minima, lines, regions: regions.slice(0, regions.length >> 1), slots: [] })
}

/** Bounded, because it may come from a worker. */
function unpacked(given: Uint8Array): Sketch | undefined {
  try {
    const from = new ByteReader(given)
    if (from.byte() !== VERSION) return undefined
    const [looks, level, links] = [from.count(), from.byte(), from.count()]
    const [minima, lines] = [shortFrom(from, MAX_MINIMA), shortFrom(from, MAX_LINES)]
    if (level > 32) return undefined
    const regions = unpackRegions(from, lines.length)
    return { looks, level, links, minima, lines, regions, slots: unpackSlots(from) }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function shortFrom(from: ByteReader, max: number): Uint16Array {
  const blob = from.blob()
  if (blob.length > 2 * max || blob.length % 2 !== 0) throw new RangeError('another length')
  // The slice of a Buffer would be no copy.
  return new Uint16Array(new Uint8Array(blob).buffer)
}
