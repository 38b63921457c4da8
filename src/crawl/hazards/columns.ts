/**
 * Lists of numbers in a site's memory, which are never written to: each change is a copy. The copies are as long as they
 * must be; a list that grows by `push` or by spreading has half as much again in reserve, and thousands of sites are in memory.
 */

/** What copies are cut from, so that they are lists of doubles from the start. */
const BLANK: readonly number[] = Array.from({ length: 256 }, () => 0.5)

/** A copy with so many more numbers at its end, still to be written. */
export function extended(list: readonly number[], more: number): number[] {
  const next = BLANK.slice(0, list.length + more)
  for (let at = 0; at < list.length; at++) next[at] = list[at]
  return next
}

/** A copy without so many numbers from `at` on; at its end there are as many to be written. */
export function shifted(list: readonly number[], from: number, width: number): number[] {
  const next = list.slice()
  // `copyWithin` takes thirty times as long.
  for (let at = from + width; at < list.length; at++) next[at - width] = list[at]
  return next
}

/** A copy with one more at its end; when it is full, without its first. */
export function appended(list: readonly number[], one: number, max: number): number[] {
  const next = list.length < max ? extended(list, 1) : shifted(list, 0, 1)
  next[next.length - 1] = one
  return next
}

/** The first numbers of an array that is written to again. */
export function listOf(numbers: Uint32Array, count: number): number[] {
  const list = BLANK.slice(0, count)
  for (let at = 0; at < count; at++) list[at] = numbers[at]
  return list
}
