/**
 * URLs made of the same few words over and over: results of searches that propose longer searches, tags that can be added to
 * tags. Names that people give bring new words; these have more and more words and none that is new.
 */
import { mark, ones } from './content.ts'
import type { Family } from './family.ts'
import { type Finding, patience, type Sight } from './finding.ts'
import type { LinkFacts } from './page-facts.ts'

/** Pages of late that had nothing but known words, more of them than the shortest, and lead on by adding others; each other page counts against two. */
const PAGES = 10
/** Words are remembered as bits of 96; from so many on no new one is. */
const MOST_BITS = 44
const MOST_WORDS = 12
const MOST_LINKS = 12
const WORD = /\p{L}{2,}/gu
const NOT_WORDS = /[%?]/
const EVERY_NOT_WORD = /%[0-9a-f]{2}|[?&][^=&]*=/gi

/** `all`: the words of the page's URL. */
export function countWords(family: Family, all: readonly string[], links: readonly LinkFacts[]): void {
  const words = all.filter((word) => !family.pattern.includes(word))
  if (words.length === 0) return
  if (family.fewest === 0 || words.length < family.fewest) family.fewest = words.length
  const places = words.map(placeOf)
  const bits = [family.words1, family.words2, family.words3]
  const known = places.every((place) => (bits[place >> 5] >>> (place & 31)) & 1)
  learn(bits, places)
  // Where pages lead to nothing but more of their kind, the words to come are looked at before: a stock of words is soon complete.
  let adding = false
  if (words.length > family.fewest && family.pages >= 3 && family.inward >= family.pages * 0.8) {
    const next = links.filter(({ fresh }) => fresh).slice(0, MOST_LINKS)
    const nextWords = next.map(({ path }) => wordsOf(path))
    for (const one of nextWords) learn(bits, one.map(placeOf))
    // A manual has few words too, and says them in ever other ways; here they are only added to those that are there.
    const longer = nextWords.filter((one) => one.length > all.length && all.every((word) => one.includes(word)))
    adding = longer.length * 2 >= next.length && next.length > 0
  }
  family.combined = known && adding ? family.combined + 1 : Math.max(0, family.combined - 2)
  ;[family.words1, family.words2, family.words3] = bits
}

const placeOf = (word: string) => mark(word) % 96

function learn(bits: number[], places: readonly number[]): void {
  for (const place of places) {
    if (ones(bits[0]) + ones(bits[1]) + ones(bits[2]) >= MOST_BITS) return
    bits[place >> 5] = (bits[place >> 5] | (1 << (place & 31))) >>> 0
  }
}

/** Words of a URL, each once; names of parameters are none. */
export function wordsOf(path: string): string[] {
  const cut = path.length > 300 ? path.slice(0, 300) : path
  const text = NOT_WORDS.test(cut) ? cut.replace(EVERY_NOT_WORD, ' ') : cut
  return [...new Set(text.match(WORD))].slice(0, MOST_WORDS)
}

export function judgeWords(family: Family, sight: Sight): Finding | undefined {
  const { pattern, pages, combined, fewest, growing, inward, examples } = family
  if (Math.min(combined, pages - family.vouched) < patience(PAGES, family, sight)) return undefined
  if (growing < pages * 0.8 || inward < pages * 0.8) return undefined
  const evidence = `${combined} pages of late have the same few words in their URLs, ever more of them, and lead only to more of the same`
  return { rule: 'few-words', pattern: fewWordsPattern(pattern, fewest + 1), evidence, examples }
}

export function fewWordsPattern(pattern: string, least: number): string {
  return `${pattern} of ${least} words or more`
}
