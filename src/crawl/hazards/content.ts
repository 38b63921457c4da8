/**
 * Decides when two pages say the same. A page's shape ignores numbers and dates, so the pages of a calendar are near
 * one another; pictures count, so those of a gallery are not. A list in another order is recognised by its size.
 *
 * The shape alone is not enough: a phrase repeated many times (`reply reply reply …`) outweighs the rest of the page.
 * So the length must fit too, and pages with different titles must agree in nearly every bit.
 */

import { EMPTY, highHalf, lowHalf, markOn, mix, ones, shift } from './marks.ts'
import type { PageFacts } from './page-facts.ts'
import { isDateWord, isDigit } from './segments.ts'

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

const LONGEST_TITLE = 80
const NUMBER = 35

/** The title with numbers and dates folded: equal for `Events of 3 May 2031` and `Events of 12 June 2032`. */
export function titleMark(title: string): number {
  const text = title.slice(0, LONGEST_TITLE).toLowerCase()
  let hash = EMPTY
  /** After the last number, if no word has followed it: several numbers in a row count as one. */
  let afterNumber: number | undefined
  for (let at = 0; at < text.length; ) {
    const from = at
    let isNumber = false
    for (let code = text.charCodeAt(at); isWordUnit(code); code = text.charCodeAt(++at)) isNumber ||= isDigit(code)
    if (at === from) hash = markOn(hash, text, at, ++at)
    else if (isNumber || isDateWord(text, from, at)) {
      afterNumber ??= Math.imul(hash ^ NUMBER, 0x01000193)
      hash = afterNumber
    } else {
      hash = markOn(hash, text, from, at)
      afterNumber = undefined
    }
  }
  return mix(hash)
}

/** A letter of lower case or a digit; everything beyond ASCII counts as a letter. */
function isWordUnit(code: number): boolean {
  return (code >= 97 && code <= 122) || isDigit(code) || code >= 128
}
