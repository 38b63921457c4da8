/** The title of a page with numbers and dates folded, as 32 bits: `Events of 3 May 2031` and `Events of 12 June 2031` have one. */

import { HALF, kindOf, LETTER, NUMBER, OTHER } from './letters.ts'
import { EMPTY, mark, mix } from './marks.ts'
import { isDateWord, LONGEST_DATE_WORD } from './segments.ts'

const LONGEST = 80
const HASH = 35
/** A letter in lower case may be three units long. */
const folded = new Uint16Array(3 * LONGEST)

export function titleMark(title: string): number {
  const text = (title.length > LONGEST ? title.slice(0, LONGEST) : title).toLowerCase()
  const length = foldWords(text)
  return length < 0 ? mark(slowly(text)) : markFolded(length)
}

/** Words with a number in them and names of months and days become `#`. Units of the folded text, or -1 for one with halves of letters. */
function foldWords(text: string): number {
  let length = 0
  for (let at = 0; at < text.length; ) {
    const from = at
    const start = length
    let numeric = false
    let unit = 0
    let kind = OTHER
    for (; at < text.length; at++) {
      unit = text.charCodeAt(at)
      kind = kindOf(unit)
      if (kind === HALF) return -1
      if (kind === OTHER) break
      if (kind === NUMBER) numeric = true
      folded[length++] = unit
    }
    if (numeric || (at > from && at - from <= LONGEST_DATE_WORD && isDateWord(text, from, at))) {
      length = start
      folded[length++] = HASH
    }
    if (at < text.length) {
      folded[length++] = unit
      at++
    }
  }
  return length
}

/** As `mark`, with several `#` that have no letter between them as one; two that touch are two. */
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

/** The same in words that are easier to believe; `title.test.ts` holds one against the other. */
export function slowly(text: string): string {
  return text
    .replace(/[\p{L}\p{N}]+/gu, (word) => (/\p{N}/u.test(word) || isDateWord(word, 0, word.length) ? '#' : word))
    .replace(/#(\P{L}+#)*/gu, '#')
}
