/** The title of a page with numbers and dates folded, as 32 bits: `Events of 3 May 2031` and `Events of 12 June 2031` have one. */

import { HALF, kindOf, LETTER, lowerOf, NUMBER, OTHER } from './letters.ts'
import { EMPTY, mark, mix } from './marks.ts'
import { isDateWord } from './segments.ts'

const LONGEST = 80
const HASH = 35
const folded = new Uint16Array(LONGEST)

export function titleMark(title: string): number {
  const length = foldWords(title)
  return length < 0 ? mark(slowly(title)) : markFolded(length)
}

/** Words with a number in them and names of months and days become `#`. Units of the folded text, or -1 for one that is not so simple. */
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
      if (kind === HALF) return -1
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
export function slowly(title: string): string {
  return title
    .slice(0, LONGEST)
    .toLowerCase()
    .replace(/[\p{L}\p{N}]+/gu, (word) => (/\p{N}/u.test(word) || isDateWord(word, 0, word.length) ? '#' : word))
    .replace(/#(\P{L}+#)*/gu, '#')
}
