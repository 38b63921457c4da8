/**
 * Aligns two sequences: which elements of one are which of the other, in order. Elements that occur once on both sides are
 * anchors (patience); between anchors, Myers' shortest edit, cut off after some hundred edits and begun again from the
 * furthest point. So it takes linear time whatever comes: at most 2 × MAX_EDITS steps per element.
 */

/** `length` elements from `before` on are those from `after` on. */
export interface Match {
  before: number
  after: number
  length: number
}

const MAX_EDITS = 128
/** How often anchors are looked for again between anchors. */
const MAX_DEPTH = 8

/** Ranges of both sequences that are still to be aligned. */
interface Range {
  a0: number
  a1: number
  b0: number
  b1: number
  depth: number
}

/** Sorted, neither overlapping nor adjacent. Elements are equal when their numbers are. */
export function align(a: Int32Array, b: Int32Array): Match[] {
  const found: Match[] = []
  const open: Range[] = [{ a0: 0, a1: a.length, b0: 0, b1: b.length, depth: 0 }]
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const { a0, a1, b0, b1, depth } = trim(a, b, range, found)
    if (a0 === a1 || b0 === b1) continue
    const anchors = depth < MAX_DEPTH ? anchorsOf(a, b, { a0, a1, b0, b1, depth }) : []
    if (anchors.length === 0) {
      shortestEdit(a, b, { a0, a1, b0, b1, depth }, found)
      continue
    }
    let [x, y] = [a0, b0]
    for (const [ax, by] of anchors) {
      open.push({ a0: x, a1: ax, b0: y, b1: by, depth: depth + 1 })
      found.push({ before: ax, after: by, length: 1 })
      x = ax + 1
      y = by + 1
    }
    open.push({ a0: x, a1, b0: y, b1, depth: depth + 1 })
  }
  return joined(found)
}

/** Without the equal elements at both ends. */
function trim(a: Int32Array, b: Int32Array, range: Range, found: Match[]): Range {
  let { a0, a1, b0, b1 } = range
  while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) {
    a0++
    b0++
  }
  if (a0 > range.a0) found.push({ before: range.a0, after: range.b0, length: a0 - range.a0 })
  while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) {
    a1--
    b1--
  }
  if (a1 < range.a1) found.push({ before: a1, after: b1, length: range.a1 - a1 })
  return { a0, a1, b0, b1, depth: range.depth }
}

/** The longest rising sequence of elements that occur once on each side of the range. */
function anchorsOf(a: Int32Array, b: Int32Array, { a0, a1, b0, b1 }: Range): [number, number][] {
  const inB = positionsOfUnique(b, b0, b1)
  const inA = positionsOfUnique(a, a0, a1)
  const pairs: [number, number][] = []
  for (let x = a0; x < a1; x++) {
    const y = inA.get(a[x]) === x ? inB.get(a[x]) : undefined
    if (y !== undefined && y >= 0) pairs.push([x, y])
  }
  return longestRising(pairs)
}

/** -1: it occurs more than once. */
function positionsOfUnique(values: Int32Array, from: number, to: number): Map<number, number> {
  const at = new Map<number, number>()
  for (let i = from; i < to; i++) at.set(values[i], at.has(values[i]) ? -1 : i)
  return at
}

/** By their second numbers; the first ones rise already. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const before = new Int32Array(pairs.length)
  /** `ends[n]`: the pair with the smallest second number that ends a sequence of n + 1. */
  const ends: number[] = []
  for (let i = 0; i < pairs.length; i++) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (pairs[ends[middle]][1] < pairs[i][1]) low = middle + 1
      else high = middle
    }
    before[i] = low === 0 ? -1 : ends[low - 1]
    ends[low] = i
  }
  const rising: [number, number][] = []
  for (let i = ends.at(-1) ?? -1; i >= 0; i = before[i]) rising.push(pairs[i])
  return rising.reverse()
}

/** Myers (1986), from the start of the range, again and again, until its end is reached. */
function shortestEdit(a: Int32Array, b: Int32Array, range: Range, found: Match[]): void {
  let { a0, b0 } = range
  while (a0 < range.a1 && b0 < range.b1) {
    const reached = furthest(a, b, { ...range, a0, b0 }, found)
    a0 = reached.x
    b0 = reached.y
  }
}

/** No path reaches this diagonal. */
const DEAD = -(2 ** 30)

/** Adds the matches of the best path with at most MAX_EDITS edits; returns where it ends. */
function furthest(a: Int32Array, b: Int32Array, { a0, a1, b0, b1 }: Range, found: Match[]): { x: number; y: number } {
  const size = { n: a1 - a0, m: b1 - b0 }
  const limit = Math.min(MAX_EDITS, size.n + size.m)
  /** For each diagonal x - y the furthest x; and how it was before each edit, to find the way back. */
  const reach = new Int32Array(2 * limit + 3).fill(DEAD)
  const middle = limit + 1
  const trace: Int32Array[] = []
  let best = { x: 0, y: 0, edits: 0 }
  for (let edits = 0; edits <= limit; edits++) {
    trace.push(reach.slice(middle - edits - 1, middle + edits + 2))
    for (let k = -edits; k <= edits; k += 2) {
      let x = edits === 0 ? 0 : Math.max(down(reach, middle + k, k, size.m), right(reach, middle + k, size.n))
      let y = x - k
      while (x >= 0 && x < size.n && y < size.m && a[a0 + x] === b[b0 + y]) {
        x++
        y++
      }
      reach[middle + k] = x
      if (x + y > best.x + best.y) best = { x, y, edits }
    }
    if (best.x === size.n && best.y === size.m) break
  }
  walkBack(trace, best, { a0, b0, ...size }, found)
  return { x: a0 + best.x, y: b0 + best.y }
}

/** One edit onto diagonal `k`, at `at` of `reach`: down from the next diagonal or right from the one before, within the range. */
function down(reach: Int32Array, at: number, k: number, m: number): number {
  return reach[at + 1] - k <= m ? reach[at + 1] : DEAD
}
function right(reach: Int32Array, at: number, n: number): number {
  return reach[at - 1] < n ? reach[at - 1] + 1 : DEAD
}

function walkBack(
  trace: readonly Int32Array[],
  end: { x: number; y: number; edits: number },
  { a0, b0, n, m }: { a0: number; b0: number; n: number; m: number },
  found: Match[],
): void {
  let { x, y } = end
  for (let edits = end.edits; edits > 0; edits--) {
    const k = x - y
    const at = k + edits + 1
    const [byDown, byRight] = [down(trace[edits], at, k, m), right(trace[edits], at, n)]
    const from = Math.max(byDown, byRight)
    const snake = x - from
    if (snake > 0) found.push({ before: a0 + from, after: b0 + from - k, length: snake })
    x = byDown >= byRight ? from : from - 1
    y = byDown >= byRight ? from - k - 1 : from - k
  }
  if (x > 0) found.push({ before: a0, after: b0, length: x })
}

function joined(found: Match[]): Match[] {
  found.sort((one, other) => one.before - other.before)
  const all: Match[] = []
  for (const match of found) {
    const last = all.at(-1)
    if (last !== undefined && last.before + last.length === match.before && last.after + last.length === match.after)
      last.length += match.length
    else all.push(match)
  }
  return all
}
