/**
 * When two pages say the same. Numbers and dates are folded in a page's shape, so that the pages of a calendar are near one
 * another; its pictures count, so that the pages of a gallery are not. A list in another order is recognised by its size.
 *
 * The shape alone is not enough: where one phrase is repeated many times (`reply reply reply …`) it outvotes all the rest of
 * the page. So the length must fit too, and pages with different titles must be alike in nearly every bit.
 */

import { shift } from './columns.ts'
import { highHalf, lowHalf, mix, ones } from './marks.ts'
import type { PageFacts } from './page-facts.ts'
import { titleMark } from './title.ts'

/** A content in the columns of the site's memory: all that is needed to know it again. Hashes have a sign (`columns.ts`). */
export interface Content {
  low: number
  high: number
  /** Of what is embedded; 0 for nothing, or not known. */
  embeds: number
  /** Of the text, as it is. */
  text: number
  /** Characters of it. */
  length: number
  /** Of its tags and the number of its words: the same things in another order have the same, and the same length. */
  bag: number
  /** Of the title, with numbers and dates folded. */
  title: number
  words: number
}

export const CONTENT_COLUMNS = 7
/** Below, equal size is chance. */
const FEWEST_WORDS_OF_A_BAG = 40
/** Of a list in another order the inside of each entry stays; 32 is chance. */
const MAX_BITS_OF_A_BAG = 23

export function contentOf(facts: NonNullable<PageFacts['content']>): Content {
  const shape = facts.shape ?? facts.simhash
  return {
    low: lowHalf(shape),
    high: highHalf(shape),
    embeds: facts.embeds === undefined ? 0 : fold(facts.embeds),
    text: fold(facts.textDigest),
    length: facts.length,
    bag: mix(fold(facts.tags) ^ facts.words) | 0,
    title: titleMark(facts.title) | 0,
    words: facts.words,
  }
}

/** 32 of 64 bits, 0 only for 0 (nearly). */
function fold(bits: bigint): number {
  return lowHalf(bits) ^ highHalf(bits)
}

export function toColumns(content: Content): number[] {
  const columns: number[] = []
  writeColumns(columns, 0, content)
  return columns
}

/** A content more, in the last columns; of more than so many the first makes room. */
export function addColumns(columns: number[], content: Content, max: number): void {
  const full = columns.length >= max * CONTENT_COLUMNS
  if (full) shift(columns, 0, CONTENT_COLUMNS)
  writeColumns(columns, full ? columns.length - CONTENT_COLUMNS : columns.length, content)
}

export function writeColumns(columns: number[], at: number, content: Content): void {
  columns[at] = content.low
  columns[at + 1] = content.high
  columns[at + 2] = content.embeds
  columns[at + 3] = content.text
  columns[at + 4] = content.length
  columns[at + 5] = content.bag
  columns[at + 6] = content.title
}

/** Bits of the shape that may differ: those of about two words of the page's, of none when it has few. */
function bitsAllowed(words: number): number {
  if (words < 20) return 1
  if (words < 80 || words >= 400) return words >= 1000 ? 2 : 3
  return 4
}

/** How a content compares with the one in the columns from `at` on. */
export function likeness(content: Content, columns: readonly number[], at: number): 'same' | 'near' | 'other' {
  if (columns[at + 2] !== content.embeds) return 'other'
  if (columns[at + 3] === content.text) return 'same'
  const apart = bitsApart(content, columns, at)
  if (apart > MAX_BITS_OF_A_BAG) return 'other'
  const longer = Math.abs(columns[at + 4] - content.length)
  if (longer <= lengthAllowed(content, apart, columns[at + 6] === content.title)) return 'near'
  const reordered = longer === 0 && columns[at + 5] === content.bag && apart <= MAX_BITS_OF_A_BAG
  return reordered && content.words >= FEWEST_WORDS_OF_A_BAG ? 'near' : 'other'
}

/** Bits that may differ in pages of one cast: about one word in three. */
const BITS_OF_A_CAST = 20

/** The same tags and the same number of words, and of those most are the same: one page cast again with other names in it. */
export function isCast(content: Content, columns: readonly number[], at: number): boolean {
  if (columns[at + 5] !== content.bag || columns[at + 2] !== content.embeds) return false
  return bitsApart(content, columns, at) <= BITS_OF_A_CAST
}

/** Characters by which a near page may be longer or shorter: names of months, numbers, the name that was asked for. */
function lengthAllowed({ words, length }: Content, apart: number, sameTitle: boolean): number {
  if (!sameTitle) return apart <= 1 ? 24 : -1
  if (apart === 0) return 24 + length / 50
  return apart <= bitsAllowed(words) ? 12 + length / 100 : -1
}

/** 24 bits: by chance one text of 80,000 is taken for one of 200 others. */
export function textMark({ text, embeds }: Content): number {
  return mix(text ^ mix(embeds)) >>> 8
}

export function bitsApart({ low, high }: Content, columns: readonly number[], at: number): number {
  return ones(columns[at] ^ low) + ones(columns[at + 1] ^ high)
}

/** The place of the content that is most like it, among several in columns; -1 for none. */
export function findLike(content: Content, columns: readonly number[], width = CONTENT_COLUMNS): number {
  let near = -1
  for (let at = 0; at + CONTENT_COLUMNS <= columns.length; at += width) {
    const like = likeness(content, columns, at)
    if (like === 'same') return at
    if (like === 'near' && near < 0) near = at
  }
  return near
}
