/**
 * The volatile regions of a page, learnt from look to look.
 *
 * A region is a run of lines between two that stayed. It is volatile if it differed in every one of three looks in a row, or in
 * two that were minutes apart; then it is left out of the decision. Where mostly its numbers and dates differed, only these are.
 * Lines in a row at one place may be a choice: they are one region if they differed together at one of these looks, though some
 * of them stayed at another. Of lines at several places, only those that differed each time are the region.
 * A run that is most of the page is its content, unless its lines come back: news do not. One that grew beyond what was learnt
 * is not left out, unless by lines that had been in it: then all are chosen from one stock.
 */
import type { ByteReader, ByteWriter } from '../../base/bytes.ts'
import { hash64 } from '../../base/digest.ts'
import { foldText } from '../extract/text.ts'
import type { Box } from './blocks.ts'
import {
  apart,
  type Extent,
  exchanged,
  joined,
  lists,
  MAX_SIZE,
  meets,
  type Run,
  shiftBefore,
  sizeOf,
  TITLE,
  widened,
} from './runs.ts'

/** A line of the page as it is now. */
export interface Line {
  text: string
  place: string
  /** The operator watches it: each change counts. */
  isWatched?: boolean
}

/** What is kept of a run of lines that changed. */
export interface Region extends Extent {
  /** With the numbers and dates left out. */
  shape: number
  /** Lines, at most. */
  size: number
  /** Looks in a row in which it differed, and in how many of them more than its numbers may have. */
  times: number
  words: number
  /** Looks in a row in which it did not, since it is volatile. */
  quiet: number
  /** Lines that came so far, how many of them had been there before, and the last that went. */
  came: number
  back: number
  gone: number[]
}

/** What the pages of the site have shown of a slot: that all have the same, that words change in it, or only numbers. */
export type OnSite = 'shared' | 'words' | 'numbers' | undefined

/** Two looks at a page. */
export interface Pair {
  /** The lines as hashes. */
  old: Uint16Array
  now: Uint16Array
  /** What stands there now: one line, or several where the page has too many. */
  linesAt(at: number): Line[]
  /** Characters of the page now. */
  length: number
  /** The look before was minutes ago. */
  isSoon: boolean
  /** The element around a line, where each line is one of the page's. */
  boxAt(at: number): Box | undefined
  onSite(slot: number): OnSite
  /** A line had come into such an element of a page with another title. */
  cameOnSite(line: number, title: number): boolean
}

export interface Judged {
  regions: Region[]
  /** Places of the runs that are changes, and of those that are left out. */
  changed: string[]
  volatile: string[]
}

const MAX_REGIONS = 32
/** Lines that are kept of a region that is most of the page, of another one, and of all together. */
const MAX_GONE = 32
const FEW_GONE = 8
const ALL_GONE = 48
/** Looks in a row in which a region must have differed. */
const VOLATILE = 2
/** A volatile region that stayed the same this often is no longer volatile. */
const MAX_QUIET = 8
/** A run of more characters, or of a larger part of the page (both its lines and its text), is its content. */
export const MAX_LENGTH = 4000
const MAX_SHARE = 1 / 2
/** Of a choice from a stock, at least this part of what comes had been there before. */
const BACK = 1 / 10
/** Of a list that is renewed, at least this part changed. */
const RENEWED = 1 / 4
/** Lines in another order. */
const ANY_SHAPE = 0x10000

/** The place of a run without lines. */
export const LONG_STRING = 'a long string'

export const isProven = ({ times }: Region) => times >= VOLATILE
export const isLasting = (region: Region) => isProven(region) && region.quiet < MAX_QUIET

/** Which runs count, and what is learnt of all. */
export function judgeRuns(runs: readonly Run[], known: readonly Region[], pair: Pair): Judged {
  const others = runs.filter(({ isSlot }) => isSlot !== true)
  const filled = runs.filter(({ isSlot }) => isSlot === true)
  const judged: Judged = { regions: [], changed: [], volatile: filled.map((run) => placeOf(run, pair)) }
  const beside: Region[] = []
  const partsOf = (whole: Run) => others.filter((run) => isPart(run, whole))
  for (const run of regionRuns(others, known, pair)) {
    const met = known.filter((one) => meets(run, one) && isSameRegion(one, run))
    met.sort((a, b) => b.times - a.times)
    beside.push(...judgeRun(run, met, partsOf(run), pair, judged))
  }
  // Known regions last, even where an edit made one run of several: if that is line for line, each is where it was.
  for (const region of known.filter(isLasting)) {
    if (runs.some((run) => meets(run, region) && run.to - run.from !== run.oldTo - run.oldFrom)) continue
    const by = shiftBefore(region.from, runs)
    const [from, to] = [region.from + by, region.to + by]
    if (judged.regions.some((one) => meets({ oldFrom: from, oldTo: to }, one))) continue
    judged.regions.push({ ...region, from, to, quiet: region.quiet + 1 })
  }
  judged.regions.push(
    ...beside.filter((one) => !judged.regions.some((other) => one.from < other.to && other.from < one.to)),
  )
  // Of those that are as likely, the ones next to the beginning or the end of the page: stamps and counters stand there.
  const within = ({ from, to }: Region) => Math.min(from, pair.now.length - to)
  judged.regions.sort((a, b) => b.times - a.times || a.size - b.size || within(a) - within(b)).splice(MAX_REGIONS)
  return judged
}

function isPart(run: Run, { oldFrom, oldTo, from, to }: Run): boolean {
  return oldFrom <= run.oldFrom && run.oldTo <= oldTo && from <= run.from && run.to <= to
}

/** Of a page that is new but for little: the regions that are the same but for their numbers. */
export function stillThere(runs: readonly Run[], known: readonly Region[], pair: Pair): Region[] {
  const isAlike = alike(pair)
  const isOf = (one: Region, run: Run) => run.oldFrom === one.from && run.oldTo === one.to && isAlike(run, one)
  return known.filter((one) => runs.some((run) => apart(run, [one], isAlike).some((part) => isOf(one, part))))
}

const alike =
  (pair: Pair) =>
  (run: Run, { shape }: Region) =>
    shape === shapeOf(linesIn(run, pair))

/** The runs that are judged: lists and regions that are known are one each, whichever of their lines stayed. */
function regionRuns(runs: readonly Run[], known: readonly Region[], pair: Pair): Run[] {
  if (runs.every((run) => sizeOf(run) === 0)) return [...runs]
  const placeAt = (at: number) => pair.linesAt(at)[0]?.place
  const placed = (run: Run) => placeOf(run, pair)
  const isList = (run: Run, changed: Run) => {
    const proven = known.find((one) => isProven(one) && meets(changed, one))
    const isOther = proven !== undefined && (proven.from !== run.oldFrom || proven.to !== run.oldTo)
    return !isOther && kindOfList(run, pair)
  }
  const differing = new Set(known.filter((one) => runs.some((run) => meets(run, one))))
  // One item of two, then the other: what is beside a region is part of it if its lines had been there.
  const isBeside = (run: Run, one: Region) => {
    const isNext = (run.oldTo === one.from || run.oldFrom === one.to) && !differing.has(one)
    if (!isNext || run.oldFrom === run.oldTo || run.from === run.to) return false
    return isProven(one) && isFrom(one, pair.now.subarray(run.from, run.to))
  }
  // A paragraph that was edited once beside an advertisement is no part of it.
  const isPart = (run: Run, one: Region) => {
    if (!meets(run, one)) return isBeside(run, one)
    const by = run.from - run.oldFrom
    return isProven(one) || hasOnePlace({ from: one.from + by, to: one.to + by }, pair)
  }
  const found = joined(lists(runs, pair.now.length, placeAt, isList), placed)
  const parts = found.flatMap((run) => apart(run, [...differing], alike(pair)))
  return widened(parts, known, isPart)
}

function hasOnePlace(extent: Extent, pair: Pair): boolean {
  const [first, ...more] = linesIn(extent, pair)
  return more.every(({ place }) => place === first.place)
}

function kindOfList(run: Run, pair: Pair): boolean | 'reordered' {
  const { came, gone } = exchangedIn(run, pair)
  if (came.length === 0 || gone.length === 0) return came.length === gone.length && 'reordered'
  const changed = (came.length + gone.length) / (run.oldTo - run.oldFrom + run.to - run.from)
  return Math.min(came.length, gone.length) > 1 && changed >= RENEWED && sizeOf(run) <= MAX_SIZE
}

/** `met`: the regions that were there, the best known first. `parts`: the runs that it is made of. Returns what was beside the best. */
function judgeRun(run: Run, met: readonly Region[], parts: readonly Run[], pair: Pair, judged: Judged): Region[] {
  const [region] = met
  const lines = linesIn(run, pair)
  const place = placeOf(run, pair)
  const seen = regionOf(run, lines)
  // Items added to a list, or taken from it, are news, however often that happens; lines that come and go at one place
  // are not.
  const isTooLarge = !run.isReordered && (seen.size > MAX_SIZE || lengthOf(lines) > MAX_LENGTH)
  const isWhole = !run.isReordered && isMost(run, lines, pair)
  const [learnt, ...rest] = learntOf(met, seen, run, pair)
  const after = { ...learnt, ...exchangeOf(run, region, isWhole, pair) }
  const isContent = isTooLarge || (isWhole && after.back < Math.max(1, BACK * after.came))
  const isKnown = region !== undefined && isVolatile(region, seen, run, pair)
  const counts = isContent || lines.some(({ isWatched }) => isWatched) || parts.some((part) => part.isBeside === true)
  judged[isKnown && !counts ? 'volatile' : 'changed'].push(place)
  if (isTooLarge) return []
  judged.regions.push(after)
  return rest
}

export function linesIn({ from, to }: Extent, { linesAt }: Pair): Line[] {
  return Array.from({ length: to - from }, (_, nth) => linesAt(from + nth)).flat()
}

function exchangedIn({ oldFrom, oldTo, from, to }: Run, { old, now }: Pair): ReturnType<typeof exchanged> {
  return exchanged(old.subarray(oldFrom, oldTo), now.subarray(from, to))
}

export function placeOf(run: Run, { linesAt }: Pair): string {
  if (sizeOf(run) === 0) return LONG_STRING
  const { from, to } = run
  for (let at = from; at < to; at++) for (const { place } of linesAt(at)) return place
  // Where lines are missing now, their place is behind the line in front of them.
  for (let at = from - 1; at > TITLE; at--) for (const { place } of linesAt(at)) return `after ${place}`
  return 'beginning'
}

/** A title never is. */
function isMost(run: Run, lines: readonly Line[], { old, now, length }: Pair): boolean {
  const all = Math.max(old.length, now.length) - 1
  return run.to !== TITLE + 1 && sizeOf(run) > MAX_SHARE * all && lengthOf(lines) > MAX_SHARE * length
}

export function lengthOf(lines: Iterable<Line>): number {
  let length = 0
  for (const { text } of lines) length += text.length
  return length
}

function regionOf(run: Run, lines: readonly Line[]): Region {
  const { from, to } = run
  const shape = run.isReordered ? ANY_SHAPE : shapeOf(lines)
  // Whether the words differ is not known: what was there before is no longer at hand.
  return { from, to, shape, size: sizeOf(run), times: 1, words: 1, quiet: 0, came: 0, back: 0, gone: [] }
}

/** Similar texts have similar shapes: all bits count, and another order is another text. */
export function shapeOf(lines: readonly Line[]): number {
  const text = lines.map((line) => line.text).join('\n')
  return Number(hash64(String(foldText(text).shape)) & 0xffffn)
}

/** They begin or end together, or one is part of the other. */
function isSameRegion({ from, to }: Region, run: Run): boolean {
  const isInside = from <= run.oldFrom && run.oldTo <= to
  return run.oldFrom === from || run.oldTo === to || run.isList === true || isInside
}

function isVolatile(region: Region, seen: Region, run: Run, { now }: Pair): boolean {
  const { from, to, times, words, size, shape } = region
  if (!isProven(region) || (shape !== seen.shape && 2 * words < times)) return false
  // What is beside the region now, or more than it had, must have been in it.
  const more = seen.size - size
  const before = Math.max(0, from - run.oldFrom, run.oldFrom === from ? 0 : more)
  const behind = Math.max(0, run.oldTo - to, run.oldFrom === from ? more : 0)
  if (before + behind === 0) return true
  if (before + behind >= run.to - run.from) return false
  return (
    isFrom(region, now.subarray(run.from, run.from + before)) && isFrom(region, now.subarray(run.to - behind, run.to))
  )
}

/** All lines had been in the region. */
function isFrom({ gone }: Region, lines: Uint16Array): boolean {
  return lines.every((line) => gone.includes(line))
}

/** The region, and what is beside it if that differed, too. */
function learntOf([region, ...others]: readonly Region[], seen: Region, run: Run, pair: Pair): Region[] {
  // One pair may have been an edit: if it does not differ at the very next look, it is forgotten.
  if (region === undefined) return [pair.isSoon ? { ...seen, times: VOLATILE, quiet: MAX_QUIET } : seen]
  const { size, times, words, shape } = region
  const hasSameShape = shape === seen.shape && shape !== ANY_SHAPE
  const learnt = { ...seen, times: Math.min(255, times + 1), words: Math.min(255, words + (hasSameShape ? 0 : 1)) }
  const more = run.oldTo - run.oldFrom - (region.to - region.from)
  if (!isProven(region) && more < 0) return [learnt]
  // What is beside it is part of it if it differed at the last look, too.
  const isRest = (one: Region) => !isProven(one) && one.to - one.from === more
  const isPart = isProven(region) ? others.some(isRest) : more === 0 || hasOnePlace(run, pair)
  if (isPart || seen.to - seen.from <= size) return [{ ...learnt, size: isPart ? Math.max(size, seen.size) : size }]
  const cut = run.oldFrom === region.from ? seen.from + size : seen.to - size
  const [before, after] = [
    { from: seen.from, to: cut },
    { from: cut, to: seen.to },
  ]
  const [own, beside] = run.oldFrom === region.from ? [before, after] : [after, before]
  return [
    { ...learnt, size, ...own },
    { ...seen, ...beside, size: beside.to - beside.from, shape: shapeOf(linesIn(beside, pair)) },
  ]
}

/** What came into the region, and what went. */
function exchangeOf(run: Run, region: Region | undefined, isWhole: boolean, pair: Pair): Partial<Region> {
  const { came, gone } = exchangedIn(run, pair)
  const before = region?.gone ?? []
  return {
    came: (region?.came ?? 0) + came.length,
    back: (region?.back ?? 0) + came.filter((line) => before.includes(line)).length,
    gone: [...new Set([...gone, ...before])].slice(0, isWhole ? MAX_GONE : FEW_GONE),
  }
}

export function packRegions(bytes: ByteWriter, regions: readonly Region[]): void {
  bytes.count(regions.length)
  let room = ALL_GONE
  for (const { from, to, shape, size, times, words, quiet, came, back, gone } of regions) {
    const kept = gone.slice(0, room)
    room -= kept.length
    for (const value of [from, to - from, shape, size, times, words, quiet, came, back, kept.length, ...kept])
      bytes.count(value)
  }
}

/** Bounded, because it may come from a worker: throws a RangeError. `lines`: of the page. */
export function unpackRegions(bytes: ByteReader, lines: number): Region[] {
  const regions: Region[] = []
  const next = (max: number) => {
    const value = bytes.count()
    if (value > max) throw new RangeError('too many')
    return value
  }
  for (let left = next(MAX_REGIONS); left > 0; left--) {
    const [from, length, shape, size] = [bytes.count(), bytes.count(), bytes.count(), bytes.count()]
    const [times, words, quiet] = [bytes.count(), bytes.count(), bytes.count()]
    const [came, back] = [bytes.count(), bytes.count()]
    const gone = Array.from({ length: next(MAX_GONE) }, () => bytes.count())
    // The last lines of a long page are not kept.
    if (from + length <= lines)
      regions.push({ from, to: from + length, shape, size, times, words, quiet, came, back, gone })
  }
  return regions
}
