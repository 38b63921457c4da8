/**
 * A wrong media type seen from the result (V32): what was read as HTML or text has no links, no words, no white space.
 * What is short proves nothing; nor does a page of scripts, whose tags show that it is one.
 */
import type { Trouble } from '../troubles.ts'

export interface Result {
  /** Characters of the whole content. */
  size: number
  /** Links that can be followed. */
  links: number
  words: number
  /** Characters of text, and of strings that are no words and were left out (`extract/text.ts`), and how many strings. */
  length: number
  leftOut: number
  strings: number
  /** Tags that HTML knows, of three letters and more: random bytes have none. */
  tags: number
}

const MIN_SIZE = 1024
/** Characters of content for each of text: so little is noise, as in encoded data that a space happened to be in. */
const NOISE = 50

export function belied(result: Result): Trouble | undefined {
  const { size, links, words, length, leftOut, strings, tags } = result
  if (links > 0 || words * NOISE > Math.max(size, leftOut)) return undefined
  const isNoise = length * NOISE <= leftOut && leftOut >= MIN_SIZE
  const isNothing = tags === 0 && size >= MIN_SIZE && length * NOISE <= size
  if (!isNoise && !isNothing) return undefined
  return words === 0 && strings <= 1 ? 'belied:no-white-space' : 'belied:no-words'
}
