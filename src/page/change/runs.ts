/** Where the lines of two looks at a page differ: runs between lines that stayed, and lists that are one run. */

/** A changed run: from and to, in the lines of both looks. */
export interface Run {
  oldFrom: number
  oldTo: number
  from: number
  to: number
  /** Its lines are all of a list; the same, in another order. */
  isList?: boolean
  isReordered?: boolean
  /** All of it is in volatile slots. */
  isSlot?: boolean
  /** It has lines beside such a slot. */
  isBeside?: boolean
}

/** The title is the first line. */
export const TITLE = 0

/** Runs at one place with so few lines between them are one. */
const MAX_GAP = 2
/** Lines of one item of a list. */
const MAX_ITEM = 4
/** A run of more lines is content. */
export const MAX_SIZE = 32

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
 * of them stayed where they were: so it is the same region at each look. An item may have several lines, each at its own place.
 * `length`: of the page, in lines.
 */
export function lists(
  runs: readonly Run[],
  length: number,
  placeAt: (at: number) => string | undefined,
  isList: (run: Run, changed: Run) => boolean | 'reordered',
): Run[] {
  const all: Run[] = []
  for (let i = 0; i < runs.length; ) {
    const first = runs[i]
    const isGap = first.from === first.to && first.from > 0
    const begin = isGap && placeAt(first.from) === undefined ? first.from - 1 : first.from
    const floor = Math.max(TITLE, (all.at(-1)?.to ?? 0) - 1)
    let end = i
    for (const places of itemsAt(begin, placeAt)) {
      // Longer runs of several lines are not lists, wherever they end.
      const reach = places.size === 1 ? length : MAX_SIZE + 1
      const limits = { floor: Math.max(floor, begin - reach), length: Math.min(length, begin + reach) }
      const { whole, changed, behind, last } = listAt(i, runs, limits, (at) => places.has(placeAt(at) ?? ''))
      const found = isList(whole, changed)
      if (found || places.size === 1) end = last
      if (!found) continue
      all.push({ ...whole, isList: true, isReordered: found === 'reordered' })
      if (behind !== undefined) all.push(behind)
      i = end + 1
      break
    }
    if (i <= end) all.push(...runs.slice(i, end + 1))
    i = end + 1
  }
  return all
}

/** The places that the items of a list may have that has a line here: those of several lines, or one. */
function itemsAt(at: number, placeAt: (at: number) => string | undefined): ReadonlySet<string>[] {
  const place = placeAt(at)
  if (place === undefined) return []
  const one = new Set([place])
  for (let lines = 2; lines <= MAX_ITEM; lines++) {
    for (const step of [1, -1]) {
      const item = Array.from({ length: lines }, (_, nth) => placeAt(at + step * nth) ?? '')
      const isAgain = item.every((each, nth) => each !== '' && each === placeAt(at + step * (nth + lines)))
      if (isAgain && new Set(item).size === lines) return [new Set(item), one]
    }
  }
  return [one]
}

/** The list around a run, with the runs that are in it up to the last. */
function listAt(
  nth: number,
  runs: readonly Run[],
  { floor, length }: { floor: number; length: number },
  isIn: (at: number) => boolean,
): { whole: Run; changed: Run; behind?: Run; last: number } {
  const first = runs[nth]
  let { from } = first
  while (from - 1 > floor && isIn(from - 1)) from--
  let last = nth
  let { to } = first
  for (;;) {
    const next = runs.at(last + 1)
    if (next !== undefined && to === next.from && (next.from === next.to || isIn(to))) {
      last++
      to = next.to
    } else if (to < length && to !== next?.from && isIn(to)) to++
    else break
  }
  const { oldFrom, oldTo, from: start, to: end } = runs[last]
  // A stamp right behind the list, line for line.
  let behind = 0
  if (to === end && oldTo - oldFrom === end - start) while (end - behind > start && !isIn(end - behind - 1)) behind++
  const whole = {
    oldFrom: first.oldFrom - (first.from - from),
    oldTo: oldTo + (to - end) - behind,
    from,
    to: to - behind,
  }
  const changed = { ...first, oldTo: oldTo - behind, to: end - behind }
  if (behind === 0) return { whole, changed, last }
  return { whole, changed, behind: { oldFrom: oldTo - behind, oldTo, from: end - behind, to: end }, last }
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

/** Where a region was at the last look: the lines from and to. */
export interface Extent {
  from: number
  to: number
}

/** An empty run meets only one at the same place. */
export function meets({ oldFrom, oldTo }: Pick<Run, 'oldFrom' | 'oldTo'>, { from, to }: Extent): boolean {
  return (oldFrom < to && from < oldTo) || (oldFrom === from && oldTo === to)
}

/** By how many lines what is behind the runs before it has moved. */
export function shiftBefore(line: number, runs: readonly Run[]): number {
  let by = 0
  for (const { oldFrom, oldTo, from, to } of runs) if (oldTo <= line) by += to - from - (oldTo - oldFrom)
  return by
}

/** A stamp beside a paragraph that was edited: what is known, and is the same but for its numbers, is a run of its own. */
export function apart<T extends Extent>(run: Run, known: readonly T[], isAlike: (run: Run, one: T) => boolean): Run[] {
  if (run.isReordered) return [run]
  for (const one of known) {
    const isInside = run.oldFrom <= one.from && one.to <= run.oldTo && one.from < one.to
    if (!isInside || one.to - one.from === sizeOf(run)) continue
    // As far from the beginning as it was, or from the end.
    for (const from of [run.from + one.from - run.oldFrom, run.to + one.from - run.oldTo]) {
      const to = from + one.to - one.from
      const middle = { oldFrom: one.from, oldTo: one.to, from, to }
      if (from < run.from || to > run.to || !isAlike(middle, one)) continue
      const before = { ...run, oldTo: one.from, to: from }
      const after = { ...run, oldFrom: one.to, from: to }
      const rest = (part: Run) => (sizeOf(part) === 0 ? [] : apart(part, known, isAlike))
      return [...rest(before), middle, ...rest(after)]
    }
  }
  return [run]
}

/** A run that is part of a region is all of it: of a list that is chosen anew, some items may stay where they are. */
export function widened<T extends Extent>(
  runs: readonly Run[],
  known: readonly T[],
  isPart: (run: Run, one: T) => boolean,
): Run[] {
  const all: { oldFrom: number; oldTo: number; first: Run; last: Run }[] = []
  for (const run of runs) {
    const parts: Extent[] = [{ from: run.oldFrom, to: run.oldTo }, ...known.filter((one) => isPart(run, one))]
    let [oldFrom, oldTo, first] = [
      Math.min(...parts.map(({ from }) => from)),
      Math.max(...parts.map(({ to }) => to)),
      run,
    ]
    for (let before = all.at(-1); before !== undefined && before.oldTo > oldFrom; before = all.at(-1)) {
      oldFrom = Math.min(oldFrom, before.oldFrom)
      oldTo = Math.max(oldTo, before.oldTo)
      first = before.first
      all.pop()
    }
    all.push({ oldFrom, oldTo, first, last: run })
  }
  // Lines between two runs are in both looks.
  return all.map(({ oldFrom, oldTo, first, last }) => ({
    ...(first === last && first),
    oldFrom,
    oldTo,
    from: first.from - (first.oldFrom - oldFrom),
    to: last.to + (oldTo - last.oldTo),
  }))
}

/** Of a list in another order, or with other items, some items may stay where they are: it is still one region. */
export function joined(runs: readonly Run[], placeOf: (run: Run) => string): Run[] {
  const all: Run[] = []
  for (const run of runs) {
    const last = all.at(-1)
    const isNear = last !== undefined && run.from - last.to <= MAX_GAP
    // Missing lines have no place of their own.
    const isMissing = (one: Run) => one.from === one.to
    if (isNear && (isMissing(last) || isMissing(run) || placeOf(last) === placeOf(run)))
      all[all.length - 1] = { ...last, oldTo: run.oldTo, to: run.to }
    else all.push(run)
  }
  return all
}

export const sizeOf = ({ oldFrom, oldTo, from, to }: Run) => Math.max(to - from, oldTo - oldFrom)
