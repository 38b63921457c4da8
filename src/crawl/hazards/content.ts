/**
 * Decides when two pages say the same. A page's shape ignores numbers and dates, so the pages of a calendar are near
 * one another; pictures count, so those of a gallery are not. A list in another order is recognised by its size.
 *
 * The shape alone is not enough: a phrase repeated many times (`reply reply reply …`) outweighs the rest of the page.
 * So the length must fit too, and pages with different titles must agree in nearly every bit.
 */

import { EMPTY, highHalf, lowHalf, mark, mix, ones, shift } from './marks.ts'
import type { PageFacts } from './page-facts.ts'
import { isDateWord, kindOf, LETTER, lowerOf, NUMBER, OTHER, SPECIAL } from './segments.ts'

/** A content as columns of the site's memory. Hashes are signed (`marks.ts`). */
export interface Content {
  low: number
  high: number
  /** Hash of what is embedded; 0 for nothing, or not known. */
  embeds: number
  /** Hash of the exact text. */
  text: number
  /** Characters of the text. */
  length: number
  /** Hash of its tags and its number of words: equal for the same entries in another order. */
  bag: number
  /** Hash of the title, with numbers and dates folded. */
  title: number
  words: number
}

export const CONTENT_COLUMNS = 7
/** With fewer words, equal size is chance. */
const MIN_BAG_WORDS = 40
/** The inside of each entry stays when a list is reordered; 32 would be chance. */
const MAX_BAG_BITS = 23

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

/** 32 of 64 bits; 0 (nearly) only for 0. */
function fold(bits: bigint): number {
  return lowHalf(bits) ^ highHalf(bits)
}

export function toColumns(content: Content): number[] {
  const columns: number[] = []
  writeColumns(columns, 0, content)
  return columns
}

/** Adds a content in the last columns; above `max` the oldest is dropped. */
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

/** Bits of the shape that may differ: about two words of the page, none if it has few. */
function bitsAllowed(words: number): number {
  if (words < 20) return 1
  if (words < 80 || words >= 400) return words >= 1000 ? 2 : 3
  return 4
}

/** Compares a content with the one in the columns from `at` on. */
export function likeness(content: Content, columns: readonly number[], at: number): 'same' | 'near' | 'other' {
  if (columns[at + 2] !== content.embeds) return 'other'
  if (columns[at + 3] === content.text) return 'same'
  const apart = bitsApart(content, columns, at)
  if (apart > MAX_BAG_BITS) return 'other'
  const longer = Math.abs(columns[at + 4] - content.length)
  if (longer <= lengthAllowed(content, apart, columns[at + 6] === content.title)) return 'near'
  const reordered = longer === 0 && columns[at + 5] === content.bag && apart <= MAX_BAG_BITS
  return reordered && content.words >= MIN_BAG_WORDS ? 'near' : 'other'
}

/** Bits that may differ between pages of one template: about one word in three. */
const TEMPLATE_BITS = 20

/** The same tags and number of words, most words equal: one template with other names filled in. */
export function isSameTemplate(content: Content, columns: readonly number[], at: number): boolean {
  if (columns[at + 5] !== content.bag || columns[at + 2] !== content.embeds) return false
  return bitsApart(content, columns, at) <= TEMPLATE_BITS
}

/** Characters by which near pages may differ: month names, numbers, the requested name. */
function lengthAllowed({ words, length }: Content, apart: number, sameTitle: boolean): number {
  if (!sameTitle) return apart <= 1 ? 24 : -1
  if (apart === 0) return 24 + length / 50
  return apart <= bitsAllowed(words) ? 12 + length / 100 : -1
}

/** Less than a third of the mean length of the site's new pages. */
export function isShort(
  { length }: Pick<Content, 'length'>,
  [pages, , all]: readonly [number, number, number],
): boolean {
  return length * 3 * pages < all
}

/** 24 bits: one text in 80,000 is mistaken for one of 200 others. */
export function textMark({ text, embeds }: Content): number {
  return mix(text ^ mix(embeds)) >>> 8
}

export function bitsApart({ low, high }: Content, columns: readonly number[], at: number): number {
  return ones(columns[at] ^ low) + ones(columns[at + 1] ^ high)
}

/** The index of the most similar content in the columns; -1 for none. */
export function findLike(content: Content, columns: readonly number[], width = CONTENT_COLUMNS): number {
  let near = -1
  for (let at = 0; at + CONTENT_COLUMNS <= columns.length; at += width) {
    const like = likeness(content, columns, at)
    if (like === 'same') return at
    if (like === 'near' && near < 0) near = at
  }
  return near
}

/**
 * The page title with numbers and dates folded, as 32 bits: equal for `Events of 3 May 2031` and `Events of 12 June
 * 2031`.
 */

const LONGEST = 80
const HASH = 35
const folded = new Uint16Array(LONGEST)

export function titleMark(title: string): number {
  const length = foldWords(title)
  return length < 0 ? mark(foldTitleSlowly(title)) : markFolded(length)
}

/**
 * Replaces words with a number in them and names of months and days by `#`. Returns the length of the folded text, or
 * -1 for text with special letters.
 */
function foldWords(title: string): number {
  const end = Math.min(title.length, LONGEST)
  let length = 0
  for (let at = 0; at < end; ) {
    const from = at
    const start = length
    let isNumeric = false
    let unit = 0
    for (; at < end; at++) {
      unit = title.charCodeAt(at)
      const kind = kindOf(unit)
      if (kind === SPECIAL) return -1
      if (kind === OTHER) break
      if (kind === NUMBER) isNumeric = true
      folded[length++] = lowerOf(unit)
    }
    if (isNumeric || (at > from && isDateWord(title, from, at))) {
      length = start
      folded[length++] = HASH
    }
    if (at < end) {
      folded[length++] = lowerOf(unit)
      at++
    }
  }
  return length
}

/** Like `mark`, but several `#` without a letter between them count as one; two that touch are two. */
function markFolded(length: number): number {
  let hash = EMPTY
  for (let at = 0; at < length; at++) {
    const unit = folded[at]
    hash = Math.imul(hash ^ unit, 0x01000193)
    if (unit !== HASH) continue
    let last = at
    for (let next = at + 1; next < length && kindOf(folded[next]) !== LETTER; next++) {
      if (folded[next] === HASH) last = next
    }
    if (last > at + 1) at = last
  }
  return mix(hash)
}

/** The same as a readable reference; `content.test.ts` compares the two. */
export function foldTitleSlowly(title: string): string {
  return title
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[\p{L}\p{N}]+/gu, (word) => (/\p{N}/u.test(word) || isDateWord(word, 0, word.length) ? '#' : word))
    .replace(/#(\P{L}+#)*/gu, '#')
}
