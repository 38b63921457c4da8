/**
 * URLs made of the same few words over and over: searches that propose longer searches, tags added to tags. Names given
 * by people bring new words; these only get longer.
 */
import { type Family, isFolder } from './family.ts'
import { type PageContext, type PatternFinding, patience } from './finding.ts'
import { mark, ones } from './marks.ts'
import type { LinkFacts } from './page-facts.ts'
import { kindOf, LETTER, OTHER, SPECIAL } from './segments.ts'

/**
 * Recent pages with only known words, more of them than the shortest URL, that lead on by adding words; each other page
 * counts against two.
 */
const PAGES = 10
/** Words are remembered as 96 bits; beyond this many set, no new one is added. */
const MAX_BITS = 44
const MAX_WORDS = 12
const MAX_LINKS = 12
const WORD = /\p{L}{2,}/gu
const EVERY_NOT_WORD = /%[0-9a-f]{2}|[?&][^=&]*=/gi
const LONGEST_URL = 300

/** The words of a page's URL and of its links, computed once for all its families. */
export interface Words {
  all: readonly string[]
  wordBits: readonly number[]
  /** Of its first fresh links, computed on demand. */
  next: { wordBits: readonly number[][]; adding: boolean } | undefined
}

export function wordsOfPage(path: string): Words {
  const all = wordsOf(path)
  return { all, wordBits: all.length === 0 ? NO_BITS : all.map(bitOf), next: undefined }
}

const NO_BITS: readonly number[] = []
/** The words of the family being counted. */
const bits = new Int32Array(3)

export function countWords(family: Family, words: Words, links: readonly LinkFacts[]): void {
  const { all, wordBits } = words
  bits[0] = family.words1
  bits[1] = family.words2
  bits[2] = family.words3
  let own = 0
  let news = 0
  for (let at = 0; at < all.length; at++) {
    // Words of the pattern are in all its URLs.
    if (family.pattern.includes(all[at])) continue
    own++
    const bit = wordBits[at]
    if (((bits[bit >> 5] >>> (bit & 31)) & 1) === 0) news |= 1 << at
  }
  if (own === 0) return
  if (family.fewest === 0 || own < family.fewest) family.fewest = own
  for (let at = 0; news >>> at !== 0; at++) if ((news >>> at) & 1) learn(wordBits[at])
  // Where pages lead only to more of their kind, learn the words of the links too: a limited vocabulary is soon complete.
  let adding = false
  if (own > family.fewest && family.pages >= 3 && family.inward >= family.pages * 0.8) {
    words.next ??= wordsOfLinks(all, links)
    for (const one of words.next.wordBits) for (const bit of one) learn(bit)
    adding = words.next.adding
  }
  family.combined = news === 0 && adding ? family.combined + 1 : Math.max(0, family.combined - 2)
  family.words1 = bits[0]
  family.words2 = bits[1]
  family.words3 = bits[2]
}

/** A manual has few words too, in many orders; generated URLs only add words to those already there. */
function wordsOfLinks(all: readonly string[], links: readonly LinkFacts[]): NonNullable<Words['next']> {
  const next = links.filter(({ fresh }) => fresh).slice(0, MAX_LINKS)
  const words = next.map(({ path }) => wordsOf(path))
  const longer = words.filter((one) => one.length > all.length && all.every((word) => one.includes(word)))
  return {
    wordBits: words.map((one) => one.map(bitOf)),
    adding: longer.length * 2 >= next.length && next.length > 0,
  }
}

const bitOf = (word: string) => mark(word) % 96

function learn(bit: number): void {
  if (ones(bits[0]) + ones(bits[1]) + ones(bits[2]) >= MAX_BITS) return
  bits[bit >> 5] |= 1 << (bit & 31)
}

/** The distinct words of a URL, without parameter names. */
export function wordsOf(path: string): string[] {
  const cut = path.length > LONGEST_URL ? path.slice(0, LONGEST_URL) : path
  const text = cut.includes('%') || cut.includes('?') ? cut.replace(EVERY_NOT_WORD, ' ') : cut
  const words: string[] = []
  let length = 0
  for (let at = 0; at <= text.length; at++) {
    const kind = at < text.length ? kindOf(text.charCodeAt(at)) : OTHER
    if (kind === SPECIAL) return [...new Set(text.match(WORD))].slice(0, MAX_WORDS)
    if (kind === LETTER) {
      length++
      continue
    }
    if (length > 1) {
      const word = text.slice(at - length, at)
      if (!words.includes(word)) words.push(word)
      if (words.length === MAX_WORDS) return words
    }
    length = 0
  }
  return words
}

/** Forms only: the folders of a manual have few words too, in many orders. */
export function judgeWords(family: Family, context: PageContext): PatternFinding | undefined {
  if (isFolder(family)) return undefined
  const { pattern, pages, combined, fewest, growing, inward, examples } = family
  if (combined < patience(PAGES, family, context)) return undefined
  if (growing < pages * 0.8 || inward < pages * 0.8) return undefined
  const evidence = `${combined} pages of late have the same few words in their URLs, ever more of them, and lead only to more of the same`
  return { rule: 'few-words', proof: 'growth', pattern: fewWordsPattern(pattern, fewest + 1), evidence, examples }
}

function fewWordsPattern(pattern: string, min: number): string {
  return `${pattern} of ${min} words or more`
}
