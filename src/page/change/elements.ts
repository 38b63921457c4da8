/** The elements of a page that have lines, and which of them may be slots of the template (`slots.ts`). */
import type { Box } from './blocks.ts'
import { lengthOf, MAX_LENGTH, type Pair } from './regions.ts'
import { type Extent, MAX_SIZE, type Run, TITLE } from './runs.ts'

/** What is a larger part of the page, both of its lines and of its text, is its content. */
const MAX_SHARE = 1 / 2
/** Lines that a page must have besides. */
const MIN_BESIDE = 1
/** Elements around a line that are seen, so that deep pages take no longer. */
const MAX_AROUND = 64
/** Mixed into a name: the first of several, the last, and the lines beside other elements. */
const [FIRST, LAST, OWN] = [0x9e3779b9, 0x7f4a7c15, 0x85ebca6b]

export interface Found extends Extent {
  name: number
  lines: number
  changed: number
  /** Lines that stayed, but for headings. */
  stays: number
}

export interface Elements {
  /** The inner ones first. */
  all: readonly Found[]
  /** The elements around a line, the innermost first. */
  around(at: number): Iterable<Found>
  isNew: Uint8Array
  /** Not too large to be one. */
  isSlot(one: Found): boolean
  isMost(one: Found): boolean
  /** If there are several at such a place, the first or the last of them. */
  nameOf(one: Found): number | undefined
}

export function elementsOf(runs: readonly Run[], pair: Pair): Elements {
  const { all, around, isNew } = foundIn(runs, pair)
  const count = pair.now.length
  const lengths = new Float64Array(count + 1)
  for (let at = 0; at < count; at++) lengths[at + 1] = lengths[at] + lengthOf(pair.linesAt(at))
  const lengthIn = ({ from, to }: Found) => lengths[to] - lengths[from]
  const [firsts, lasts] = [new Map<number, Found>(), new Map<number, Found>()]
  for (const one of all) {
    if (!firsts.has(one.name)) firsts.set(one.name, one)
    lasts.set(one.name, one)
  }
  return {
    all,
    around,
    isNew,
    isSlot: (one) => {
      const { from, to, lines } = one
      const isSmall = lines <= MAX_SIZE && count - 1 - lines >= MIN_BESIDE
      return isSmall && to - from === lines && lengthIn(one) <= MAX_LENGTH
    },
    isMost: (one) => one.lines > MAX_SHARE * (count - 1) && lengthIn(one) > MAX_SHARE * pair.length,
    nameOf: (one) => {
      const [isFirst, isLast] = [firsts.get(one.name) === one, lasts.get(one.name) === one]
      if (isFirst && isLast) return one.name
      if (isFirst && 2 * one.from < count) return (one.name ^ FIRST) >>> 0
      return isLast && 2 * one.from >= count ? (one.name ^ LAST) >>> 0 : undefined
    },
  }
}

/** Of those with more than MAX_SIZE lines, only that they have more. */
function foundIn(runs: readonly Run[], { now, boxAt }: Pair): Pick<Elements, 'all' | 'around' | 'isNew'> {
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
      if (isNew[at] === 0 && !around.isHeading) one.stays++
    }
  }
  function* around(at: number): Iterable<Found> {
    const inner = boxAt(at)
    let steps = 0
    for (let box = inner && own.get(inner); box !== undefined && steps++ < MAX_AROUND; box = box.around) {
      const one = all.get(box)
      if (one === undefined || one.lines > MAX_SIZE) return
      yield one
    }
  }
  return { all: [...all.values()], around, isNew }
}
