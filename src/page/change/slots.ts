/**
 * Slots: elements that a template fills anew at each look, such as an advertisement, a box of related questions or a footer.
 *
 * A slot is named by its tag, its id and classes, or by those of the element around it that has some. It may have another number of lines at each
 * look, or none. Its name is the same on all pages of a template, so what pages have shown is counted for the site: of slots that
 * changed at one look, how many changed at the very next, too, and how many stayed. An edit of content is seldom followed by
 * another at the next look; what a template fills nearly always is.
 */
import type { ByteReader, ByteWriter } from '../../base/bytes.ts'
import type { Box } from './blocks.ts'
import { lengthOf, linesIn, MAX_LENGTH, type Pair, shapeOf } from './regions.ts'
import { type Extent, MAX_SIZE, type Run, shiftBefore, sizeOf, TITLE } from './runs.ts'

/** What is kept of a slot. */
export interface Slot extends Extent {
  name: number
  /** With the numbers and dates left out. */
  shape: number
  /** Looks in a row in which it differed, and in how many of them more than its numbers did. */
  times: number
  words: number
  /** Looks in a row in which it did not. */
  quiet: number
}

/** Of slots that had changed at one look: what the very next one showed of them. */
export interface SlotNews {
  name: number
  what: 'words' | 'numbers' | 'stayed'
  /** Of the lines in it that stayed, but for headings, the sum of the hashes; 0: there are none. */
  stays: number
}

export interface JudgedSlots {
  slots: Slot[]
  news: SlotNews[]
  /** Marked, if all of them is in volatile slots. */
  runs: Run[]
}

const MAX_SLOTS = 16
/** Of an element, at least this part of the lines changed when it was noted: of small ones, and of larger ones around them. */
const NOTED = [1 / 2, 1 / 4]
/** An element with a larger part of the page, both of its lines and of its text, is its content. */
const MAX_SHARE = 1 / 2
/** Lines that a page must have besides. */
const MIN_BESIDE = 1
/** Looks in a row at which it stayed; then it is forgotten. */
const MAX_QUIET = 8
const MAX_TIMES = 255
/** Elements around a line that are seen, so that deep pages take no longer. */
const MAX_AROUND = 64
/** Mixed into a name: the first of several, the last, and the lines beside other elements. */
const [FIRST, LAST, OWN] = [0x9e3779b9, 0x7f4a7c15, 0x85ebca6b]

export function judgeSlots(runs: readonly Run[], before: readonly Slot[], pair: Pair, isNext: boolean): JudgedSlots {
  const news: SlotNews[] = []
  // The page was the same at a look in between.
  const isLost = ({ times }: Slot) => !isNext && times === 1
  for (const one of before) if (isLost(one)) news.push({ name: one.name, what: 'stayed', stays: 0 })
  const known = new Map(before.filter((one) => !isLost(one)).map((one) => [one.name, one]))
  const here = boxesOf(runs, new Set(known.keys()), pair)
  const changes = new Map([...known.values()].map((one) => [one.name, changeOf(one, here.get(one.name), runs)]))
  const isVolatile = ({ name, shape }: Pick<Slot, 'name' | 'shape'>) => {
    const lines = here.get(name)
    if (changes.get(name)?.isNews === true) return false
    if (lines !== undefined && linesIn(lines, pair).some(({ isWatched }) => isWatched)) return false
    const one = known.get(name)
    const onSite = pair.onSite(name)
    if (onSite === 'words' || (one !== undefined && isProven(one))) return true
    return onSite === 'numbers' && (one === undefined || one.shape === shape)
  }
  const filled = [...here.values()].filter(isVolatile)
  const emptied = [...known.values()].filter((one) =>
    isVolatile({ ...one, shape: here.get(one.name)?.shape ?? one.shape }),
  )
  const fresh = filled.filter(({ name }) => !known.has(name))
  const isExplained = (run: Run) => {
    if (sizeOf(run) === 0 || !isWithin(run, filled)) return false
    // Where nothing is known of a slot's lines so far, those that went may be of the text beside it.
    const isFresh = run.from < run.to && run.oldTo - run.oldFrom <= run.to - run.from && isWithin(run, fresh)
    return isFresh || isWithin({ from: run.oldFrom, to: run.oldTo }, emptied)
  }
  // Only lines of a slot went, and lines came that are neither in it nor in a box around it.
  const isBeside = (run: Run) =>
    emptied.some(({ name, from, to }) => {
      if (run.oldFrom < from || to < run.oldTo) return false
      const now = here.get(name)
      const around = [...here.values()].filter((one) => now !== undefined && one.from <= now.from && now.to <= one.to)
      return !isWithin(run, around)
    })
  const marked = runs.map((run) => {
    if (isExplained(run)) return { ...run, isSlot: true }
    return sizeOf(run) > 0 && isBeside(run) ? { ...run, isBeside: true } : run
  })
  const slots: Slot[] = []
  for (const one of known.values()) {
    const now = here.get(one.name)
    const { differs, isNews, hasWords } = changes.get(one.name)!
    const at = one.from + shiftBefore(one.from, runs)
    const { from, to, shape } = now ?? { from: at, to: differs ? at : at + one.to - one.from, shape: one.shape }
    if (differs && !isNews) {
      if (one.times === 1) news.push({ name: one.name, what: hasWords ? 'words' : 'numbers', stays: now?.stays ?? 0 })
      // Of what is most of a page, or has lines that stay, only other pages may say that it is volatile.
      const more = hasWords && now?.isMost !== true && (now?.stays ?? 0) === 0 ? 1 : 0
      const [times, words] = [Math.min(MAX_TIMES, one.times + 1), Math.min(MAX_TIMES, one.words + more)]
      slots.push({ ...one, from, to, shape, times, words, quiet: 0 })
    } else if (one.times === 1 && one.from < one.to) news.push({ name: one.name, what: 'stayed', stays: 0 })
    else if (one.quiet < MAX_QUIET) slots.push({ ...one, from, to, shape, quiet: one.quiet + 1 })
  }
  const named = new Set(slots.map(({ name }) => name))
  for (const { name, from, to, shape, isNoted, changed } of here.values()) {
    // Each change of what the site takes for volatile is followed up, however small: an edit that stays speaks against it.
    const times = isNoted || (changed > 0 && pair.onSite(name) !== undefined) ? 1 : 0
    if (!named.has(name)) slots.push({ name, from, to, shape, times, words: 0, quiet: 0 })
  }
  slots.sort((a, b) => b.times - a.times).splice(MAX_SLOTS)
  return { slots, news, runs: marked }
}

/** What happened to a slot. Lines that are only added to others, or only taken away from them, are news. */
function changeOf(one: Slot, now: Filled | undefined, runs: readonly Run[]) {
  let gone = 0
  for (const { oldFrom, oldTo } of runs) gone += Math.max(0, Math.min(oldTo, one.to) - Math.max(oldFrom, one.from))
  const had = one.to - one.from
  const came = now?.changed ?? 0
  const isOther = now === undefined ? gone === had : came > 0 && gone > 0
  const wasEmpty = had === 0
  return {
    differs: gone > 0 || came > 0,
    isNews: !wasEmpty && !isOther,
    hasWords: wasEmpty || now === undefined || now.shape !== one.shape,
  }
}

/** On this page: twice in a row, and not only in its numbers, which is for regions to tell. */
function isProven({ times, words }: Pick<Slot, 'times' | 'words'>): boolean {
  return times >= 2 && 2 * words >= times
}

function isWithin({ from, to }: Extent, extents: readonly Extent[]): boolean {
  for (let at = from; at < to; at++) if (!extents.some((one) => one.from <= at && at < one.to)) return false
  return true
}

interface Filled extends Found {
  shape: number
  isNoted: boolean
  isMost: boolean
}

interface Found extends Extent {
  name: number
  lines: number
  changed: number
  /** Those that stayed, but for headings: the sum of their hashes; 0: there are none. */
  stays: number
}

/** The slots of a page that something is known of, and those that are noted: the outermost elements that are mostly new. */
function boxesOf(runs: readonly Run[], known: ReadonlySet<number>, pair: Pair): Map<number, Filled> {
  const all = foundIn(runs, pair)
  const count = pair.now.length
  const lengths = new Float64Array(count + 1)
  for (let at = 0; at < count; at++) lengths[at + 1] = lengths[at] + lengthOf(pair.linesAt(at))
  const isSlot = ({ from, to, lines }: Found) => {
    const length = lengths[to] - lengths[from]
    const isAll = count - 1 - lines < MIN_BESIDE
    return lines <= MAX_SIZE && to - from === lines && length <= MAX_LENGTH && !isAll
  }
  const isMost = ({ from, to, lines }: Found) =>
    lines > MAX_SHARE * (count - 1) && lengths[to] - lengths[from] > MAX_SHARE * pair.length
  const [firsts, lasts] = [new Map<number, Found>(), new Map<number, Found>()]
  for (const one of all) {
    if (!firsts.has(one.name)) firsts.set(one.name, one)
    lasts.set(one.name, one)
  }
  // If there are several at such a place, the first or the last of them.
  const nameOf = (one: Found): number | undefined => {
    const [isFirst, isLast] = [firsts.get(one.name) === one, lasts.get(one.name) === one]
    if (isFirst && isLast) return one.name
    if (isFirst && 2 * one.from < count) return (one.name ^ FIRST) >>> 0
    return isLast && 2 * one.from >= count ? (one.name ^ LAST) >>> 0 : undefined
  }
  const slots = new Map<number, Filled>()
  const add = (one: Found, name: number, isNoted: boolean) => {
    slots.set(name, { ...one, name, isNoted, isMost: isMost(one), shape: shapeOf(linesIn(one, pair)) })
  }
  const isReplaced = (one: Found) =>
    runs.some(({ oldFrom, oldTo, from, to }) => oldFrom < oldTo && from < one.to && one.from < to)
  const note = (isNoted: (one: Found) => boolean, isOnly = false) => {
    let end = 0
    // Of elements with the same lines, the outermost was found last.
    const found = all.filter((one) => isSlot(one) && isNoted(one)).reverse()
    for (const one of found.sort((a, b) => a.from - b.from || b.lines - a.lines)) {
      const name = nameOf(one)
      if (one.from < end || name === undefined || (isOnly && name !== one.name)) continue
      // A list has its news on top.
      if (name !== one.name && !isReplaced(one)) continue
      add(one, name, true)
      end = one.to
    }
  }
  note(({ changed, stays }) => changed > 0 && stays === 0)
  // Lines that stay are of the template if they are the same on other pages, and else of the text around the slot.
  for (const share of NOTED) note(({ changed, lines }) => changed >= share * lines, true)
  for (const one of all) {
    const name = nameOf(one)
    if (name === undefined || slots.has(name) || !isSlot(one)) continue
    if (known.has(name) || pair.onSite(name) !== undefined) add(one, name, false)
  }
  return slots
}

/** The elements with lines, the inner ones first. Of those with more than MAX_SIZE lines, only that they have more. */
function foundIn(runs: readonly Run[], { now, boxAt }: Pair): Found[] {
  const all = new Map<Box, Found>()
  const own = new Map<Box, Box>()
  const isNew = new Uint8Array(now.length)
  for (const { from, to } of runs) isNew.fill(1, from, to)
  for (let at = TITLE + 1; at < now.length; at++) {
    const around = boxAt(at)
    if (around === undefined) continue
    // Lines beside other elements, such as those right in the body, are one of their own.
    let box: Box | undefined = own.get(around)
    if (box === undefined) own.set(around, (box = { ...around, key: (around.key ^ OWN) >>> 0, around }))
    for (let steps = 0; box !== undefined; box = box.around) {
      let one = all.get(box)
      if (one === undefined) all.set(box, (one = { name: box.key, from: at, to: at, lines: 0, changed: 0, stays: 0 }))
      // Further out than any template has them; what is around it is not known either.
      if (++steps > MAX_AROUND) one.lines = MAX_SIZE + 1
      if (one.lines > MAX_SIZE) break
      one.lines++
      one.to = at + 1
      one.changed += isNew[at]
      if (isNew[at] === 0 && !around.isHeading) one.stays = (one.stays + now[at]) % 0xffff || 1
    }
  }
  return [...all.values()]
}

export function packSlots(bytes: ByteWriter, slots: readonly Slot[]): void {
  bytes.count(slots.length)
  for (const { name, from, to, shape, times, words, quiet } of slots)
    for (const value of [name, from, to - from, shape, times, words, quiet]) bytes.count(value)
}

/** Bounded, because it may come from a worker: throws a RangeError. */
export function unpackSlots(bytes: ByteReader): Slot[] {
  const count = bytes.count()
  if (count > MAX_SLOTS) throw new RangeError('too many')
  return Array.from({ length: count }, () => {
    const [name, from, length, shape] = [bytes.count(), bytes.count(), bytes.count(), bytes.count()]
    const [times, words, quiet] = [bytes.count(), bytes.count(), bytes.count()]
    return { name, from, to: from + length, shape, times, words, quiet }
  })
}
