/**
 * Slots: elements that a template fills anew at each look, such as an advertisement, a box of related questions or a footer.
 *
 * A slot is named by its tag, its id and classes, or by those of the element around it that has some. It may have another number of lines at each
 * look, or none. Its name is the same on all pages of a template, so what pages have shown is counted for the site: of slots that
 * changed at one look, how many changed at the very next, too, and how many stayed. An edit of content is seldom followed by
 * another at the next look; what a template fills nearly always is.
 *
 * A box that all pages have, such as a list of new members, may change less often, and may only grow. What comes into it comes on
 * other pages, too: the site keeps the lines that came lately.
 */
import type { ByteReader, ByteWriter } from '../../base/bytes.ts'
import { type Elements, elementsOf, type Found } from './elements.ts'
import { linesIn, type Pair, shapeOf } from './regions.ts'
import { type Extent, type Run, shiftBefore, sizeOf, TITLE } from './runs.ts'

/** What is kept of a slot. */
export interface Slot extends Extent {
  name: number
  /** With the numbers and dates left out. */
  shape: number
  /** Looks in a row in which it differed, and in how many of them more than its numbers did. At 1 the next look tells the site. */
  times: number
  words: number
  /** Looks in a row in which it did not. */
  quiet: number
}

/** Of slots that had changed at one look: what the very next one showed of them. */
export interface SlotNews {
  name: number
  /** 'shared': it changed twice within MAX_QUIET looks, and most lines that came now had come on other pages, too. */
  what: 'words' | 'numbers' | 'stayed' | 'shared'
  /** A sample of the lines in it that stayed, but for headings. */
  lines: number[]
}

/** A line that came into an element that may be a slot, and the title of the page: one with the same may be a copy of it. */
export type Came = readonly [line: number, title: number]

export interface JudgedSlots {
  slots: Slot[]
  news: SlotNews[]
  /** For `cameOnSite` of other pages. */
  came: Came[]
  /** Marked, if all of them is in volatile slots. */
  runs: Run[]
}

const MAX_SLOTS = 16
/** Lines that the site is told of a slot, and of a look: the smallest hashes, so that two pages choose the same. */
const SAMPLE = 8
const MAX_CAME = 16
/** Of an element, at least this part of the lines changed when it was noted: of small ones, and of larger ones around them. */
const NOTED = [1 / 2, 1 / 4, 1 / 8]
/** Of one whose new lines have come on other pages, too, such as a list that moves on: one item of five, and a heading. */
const MOVED = 1 / 8
/** Looks in a row at which it stayed; then it is forgotten, and what all pages have is a change, too. */
const MAX_QUIET = 8
/** If it, or the whole page, stayed at so many looks in a row, other pages do not make it volatile here. */
const STILL = 3
const MAX_TIMES = 255

/** `between`: looks since the last one that found a change. */
export function judgeSlots(runs: readonly Run[], before: readonly Slot[], pair: Pair, between: number): JudgedSlots {
  const news: SlotNews[] = []
  const known = new Map<number, Slot>()
  for (const one of before) {
    // The page was the same at a look in between.
    if (between > 0 && isFollowed(one)) news.push(stayed(one))
    const quiet = one.quiet + between
    if (quiet < MAX_QUIET) known.set(one.name, { ...one, quiet, times: between > 0 && isFollowed(one) ? 0 : one.times })
  }
  const elements = elementsOf(runs, pair)
  const { came, shared } = sharedIn(elements, runs, pair)
  const here = boxesOf(elements, runs, (name) => known.has(name) || shared.has(name), pair)
  const changes = new Map([...known.values()].map((one) => [one.name, changeOf(one, here.get(one.name), runs)]))
  const seen = { known, here, changes, shared }
  return { slots: learnt(seen, runs, pair, news), news, came, runs: marked(runs, seen, pair, between) }
}

/** What the very next look finds in it will be told to the site. */
const isFollowed = ({ times }: Slot) => times === 1
const stayed = ({ name }: Slot): SlotNews => ({ name, what: 'stayed', lines: [] })

/** Slots by their names. */
interface Seen {
  known: ReadonlyMap<number, Slot>
  here: ReadonlyMap<number, Filled>
  /** Of those that are known. */
  changes: ReadonlyMap<number, ReturnType<typeof changeOf>>
  shared: ReadonlySet<number>
}

/** Which runs volatile slots explain. */
function marked(runs: readonly Run[], { known, here, changes }: Seen, pair: Pair, between: number): Run[] {
  const isVolatile = ({ name, shape }: Pick<Slot, 'name' | 'shape'>) => {
    const lines = here.get(name)
    const onSite = pair.onSite(name)
    if (changes.get(name)?.isNews === true && onSite !== 'shared') return false
    if (lines !== undefined && linesIn(lines, pair).some(({ isWatched }) => isWatched)) return false
    const one = known.get(name)
    if (one !== undefined && isProven(one)) return true
    const quiet = Math.max(between, one?.quiet ?? 0)
    if ((onSite === 'shared' && quiet < MAX_QUIET) || (onSite === 'words' && quiet < STILL)) return true
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
  return runs.map((run) => {
    if (isExplained(run)) return { ...run, isSlot: true }
    return sizeOf(run) > 0 && isBeside(run) ? { ...run, isBeside: true } : run
  })
}

/** For the next look. */
function learnt({ known, here, changes, shared }: Seen, runs: readonly Run[], pair: Pair, news: SlotNews[]): Slot[] {
  const slots: Slot[] = []
  for (const one of known.values()) {
    const now = here.get(one.name)
    const { differs, isNews, hasWords } = changes.get(one.name)!
    const at = one.from + shiftBefore(one.from, runs)
    const { from, to, shape } = now ?? { from: at, to: differs ? at : at + one.to - one.from, shape: one.shape }
    const isShared = shared.has(one.name)
    if (differs && (!isNews || isShared)) {
      const what = isShared ? 'shared' : hasWords ? 'words' : 'numbers'
      const isAgain = isFollowed(one) || (one.times === 0 && (one.quiet === 0 || isShared))
      if (isAgain) news.push({ name: one.name, what, lines: now?.sample ?? [] })
      // Of what is most of a page, or has lines that stay, only other pages may say that it is volatile.
      const more = hasWords && now?.isMost !== true && (now?.stays ?? 0) === 0 ? 1 : 0
      const [times, words] = [Math.min(MAX_TIMES, one.times + 1), Math.min(MAX_TIMES, one.words + more)]
      slots.push({ ...one, from, to, shape, times: isShared ? Math.max(2, times) : times, words, quiet: 0 })
      continue
    }
    // One that is empty since it changed may be filled again.
    const hasStayed = isFollowed(one) && one.from < one.to
    if (hasStayed) news.push(stayed(one))
    slots.push({ ...one, from, to, shape, times: hasStayed ? 0 : one.times, quiet: one.quiet + 1 })
  }
  for (const { name, from, to, shape, isNoted, changed } of here.values()) {
    if (known.has(name)) continue
    // Each change of what the site takes for volatile is followed up, however small: an edit that stays speaks against it.
    const isWorth = isNoted || (changed > 0 && pair.onSite(name) !== undefined)
    // A box that all pages have may well stay at the next look.
    const times = isWorth && !shared.has(name) ? 1 : 0
    slots.push({ name, from, to, shape, times, words: 0, quiet: changed > 0 ? 0 : 1 })
  }
  return slots.sort((a, b) => b.times - a.times).slice(0, MAX_SLOTS)
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
  sample: number[]
}

/** The slots of a page that something is known of, and those that are noted: the outermost elements that are mostly new. */
function boxesOf(
  { all, isNew, isSlot, isMost, nameOf }: Elements,
  runs: readonly Run[],
  isKnown: (name: number) => boolean,
  pair: Pair,
): Map<number, Filled> {
  const slots = new Map<number, Filled>()
  const add = (one: Found, name: number, isNoted: boolean) => {
    const stayed = Array.from(pair.now.subarray(one.from, one.to)).filter((_, nth) => isNew[one.from + nth] === 0)
    const sample = [...new Set(stayed)].sort((a, b) => a - b).slice(0, SAMPLE)
    slots.set(name, { ...one, name, isNoted, isMost: isMost(one), shape: shapeOf(linesIn(one, pair)), sample })
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
    if (isKnown(name) || pair.onSite(name) !== undefined) add(one, name, false)
  }
  return slots
}

/** Of the lines that came, a sample, and the elements in which most of them had come on other pages, too. */
function sharedIn({ around, isSlot, isMost, nameOf }: Elements, runs: readonly Run[], pair: Pair) {
  const title = pair.now[TITLE]
  const came = new Set<number>()
  const matched = new Map<Found, number>()
  for (const { from, to } of runs) {
    for (let at = Math.max(from, TITLE + 1); at < to; at++) {
      const line = Math.imul((pair.boxAt(at)?.key ?? 0) ^ pair.now[at], 0x85ebca6b) >>> 0
      const isKnown = pair.cameOnSite(line, title)
      for (const one of around(at)) {
        if (!isSlot(one) || isMost(one)) break
        if (nameOf(one) !== one.name) continue
        came.add(line)
        if (isKnown) matched.set(one, (matched.get(one) ?? 0) + 1)
      }
    }
  }
  const shared = [...matched].filter(([{ changed, lines }, count]) => 2 * count >= changed && changed >= MOVED * lines)
  return {
    came: [...came]
      .sort((a, b) => a - b)
      .slice(0, MAX_CAME)
      .map((line): Came => [line, title]),
    shared: new Set(shared.map(([{ name }]) => name)),
  }
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
