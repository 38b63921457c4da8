/** Where the lines of two looks at a page differ: runs between lines that stayed, and lists that are one run. */

/** A changed run: from and to, in the lines of both looks. */
export interface Run {
  oldFrom: number
  oldTo: number
  from: number
  to: number
  /** Its lines are the same, in another order. */
  isReordered?: boolean
}

/** The title is the first line. */
export const TITLE = 0

/** Runs at one place with so few lines between them are one. */
const MAX_GAP = 2

/** What lies between the lines of a longest common subsequence. */
export function runsOf(old: Uint16Array, now: Uint16Array): Run[] {
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

/**
 * Lines at one place in a row, such as the items of a list, of which some changed, are one run if `isList` says so, whichever
 * of them stayed where they were: so it has the same neighbours and size at each look. `length`: of the page, in lines.
 */
export function lists(
  runs: readonly Run[],
  length: number,
  placeAt: (at: number) => string | undefined,
  isList: (run: Run) => boolean | 'reordered',
): Run[] {
  const all: Run[] = []
  for (let i = 0; i < runs.length; ) {
    const first = runs[i]
    const isGap = first.from === first.to
    const place = placeAt(first.from) ?? (isGap && first.from > 0 ? placeAt(first.from - 1) : undefined)
    let { from } = first
    const floor = Math.max(TITLE, (all.at(-1)?.to ?? 0) - 1)
    while (place !== undefined && from - 1 > floor && placeAt(from - 1) === place) from--
    let last = i
    let { to } = first
    for (;;) {
      const next = runs.at(last + 1)
      if (next !== undefined && to === next.from && (next.from === next.to || placeAt(to) === place)) {
        last++
        to = next.to
      } else if (place !== undefined && to < length && to !== next?.from && placeAt(to) === place) to++
      else break
    }
    const { oldTo, to: end } = runs[last]
    const whole: Run = { oldFrom: first.oldFrom - (first.from - from), oldTo: oldTo + (to - end), from, to }
    const found = place !== undefined && isList(whole)
    if (found) all.push({ ...whole, isReordered: found === 'reordered' })
    else all.push(...runs.slice(i, last + 1))
    i = last + 1
  }
  return all
}

/** Which lines came, and which went; none: it is another order. */
export function exchanged(old: Uint16Array, now: Uint16Array): { came: number[]; gone: number[] } {
  const counts = new Map<number, number>()
  for (const line of old) counts.set(line, (counts.get(line) ?? 0) + 1)
  const came: number[] = []
  for (const line of now) {
    const left = counts.get(line) ?? 0
    if (left > 0) counts.set(line, left - 1)
    else came.push(line)
  }
  return { came, gone: [...counts].flatMap(([line, left]) => Array<number>(left).fill(line)) }
}

/** What is known of a run: the lines around it, and how many are between them. */
interface Extent {
  before: number
  after: number
  size: number
}

/** Instead of a line before the first and behind the last. */
const EDGE = 0
const lineAt = (lines: Uint16Array, at: number) => lines[at] ?? EDGE

export function neighbours({ from, to }: Run, lines: Uint16Array): { before: number; after: number } {
  return { before: lineAt(lines, from - 1), after: lineAt(lines, to) }
}

/** A run inside a region that is known is that region: of a list that is chosen anew, some items may stay where they are. */
export function widened(runs: readonly Run[], known: readonly Extent[], now: Uint16Array): Run[] {
  const all: Run[] = []
  for (const run of runs) {
    const { from, to } = known.reduce((span: Span, extent) => around(span, extent, now), run)
    // Lines between two runs are in both looks.
    const wide = { oldFrom: run.oldFrom - (run.from - from), oldTo: run.oldTo + (to - run.to), from, to }
    const last = all.at(-1)
    if (last === undefined || from > last.to) all.push(wide)
    else {
      // The region before reaches into this run, or this one back into it.
      if (from < last.from) Object.assign(last, { oldFrom: last.oldFrom - (last.from - from), from })
      last.to = Math.max(last.to, to)
      last.oldTo = run.oldTo + (last.to - run.to)
    }
  }
  return all
}

type Span = Pick<Run, 'from' | 'to'>

/** As far as the lines around the region, if they are near enough. */
function around(run: Span, { before, after, size }: Extent, now: Uint16Array): Span {
  const spare = size - (run.to - run.from)
  for (let up = 0; up <= spare && run.from - up > TITLE; up++) {
    if (lineAt(now, run.from - up - 1) !== before) continue
    for (let down = 0; up + down <= spare && run.to + down <= now.length; down++)
      if (lineAt(now, run.to + down) === after) return { from: run.from - up, to: run.to + down }
  }
  return run
}

/** A stamp beside a paragraph that was edited: what is known, and is the same but for its numbers, is a run of its own. */
export function apart<T extends Extent>(
  run: Run,
  known: readonly T[],
  now: Uint16Array,
  isAlike: (run: Run, one: T) => boolean,
): Run[] {
  if (run.isReordered) return [run]
  const { before, after } = neighbours(run, now)
  for (const one of known) {
    const { size } = one
    if (size >= run.to - run.from || size > run.oldTo - run.oldFrom) continue
    const [oldCut, cut] = [run.oldTo - size, run.to - size]
    const tail = { ...run, oldFrom: oldCut, from: cut }
    if (one.after === after && isAlike(tail, one)) return [{ ...run, oldTo: oldCut, to: cut }, tail]
    const head = { ...run, oldTo: run.oldFrom + size, to: run.from + size }
    if (one.before === before && isAlike(head, one)) return [head, { ...run, oldFrom: head.oldTo, from: head.to }]
  }
  return [run]
}

/** Of a list in another order, or with other items, some items may stay where they are: it is one region all the same. */
export function joined(runs: readonly Run[], placeOf: (run: Run) => string): Run[] {
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

/** Lines were only added, or only taken away, and not all of them moved. */
export function isGrown({ oldFrom, oldTo, from, to }: Run, old: Uint16Array, now: Uint16Array): boolean {
  if (from === to) return !old.subarray(oldFrom, oldTo).every((line) => now.includes(line))
  return oldFrom === oldTo && !now.subarray(from, to).every((line) => old.includes(line))
}

export const sizeOf = ({ oldFrom, oldTo, from, to }: Run) => Math.max(to - from, oldTo - oldFrom)
