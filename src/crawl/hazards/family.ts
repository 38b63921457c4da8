/** A family: the URLs of one pattern and what fetching them showed, stored as a row of the site's memory. */
import type { FamilyRow, ParameterRow } from '../../contracts/trap-memory.ts'
import { toSigned, toUnsigned } from './marks.ts'

/** The counts of a row, in this order. */
export interface Counts {
  /** Answers of any kind. */
  answers: number
  /** Answers with content. */
  pages: number
  /** Different contents among them. */
  kinds: number
  /** Pages since the last one that was new. */
  streak: number
  /** Pages in a row with exactly the text and pictures of an earlier one. */
  same: number
  /** Pages since the last new one with one long text and links to known pages: neither an error page nor a trap. */
  linked: number
  /** Pages that share a template with others of the site. */
  templated: number
  /** Pages with a fresh link into the family, and with several. */
  growing: number
  branching: number
  /** Fresh links into the family on its own pages; of them, those with random names. */
  fresh: number
  random: number
  /** Links to known pages: those that the page before had too (navigation), and others. */
  navigation: number
  known: number
  /** Pages with a link home, and with links to other sites. */
  homeward: number
  outward: number
  /** Pages whose only fresh links lead into the family. */
  inward: number
  /** Recent maze-like pages; each other page counts against two. */
  lost: number
  /** Slow answers. */
  slow: number
  /** Pages like the answer to a name that cannot exist, listed or not. */
  hollow: number
  /** Pages whose fresh links into the family are all longer than their own URL; the longest URL. */
  longer: number
  longest: number
  /** Pages whose number was above or below all earlier ones, and the range; for patterns with numbers. */
  stepping: number
  lowest: number
  highest: number
  /** Pages with a date that lies years ahead. */
  ahead: number
  /** Forms only: words in its URLs, as bits; the fewest per URL; recent pages with only known words. */
  words1: number
  words2: number
  words3: number
  fewest: number
  combined: number
  /** When a page of it was last answered, counted in answers of the site. */
  at: number
  /** Pages since the last new one that lead to fresh pages of the family. */
  bred: number
  /** Fresh links into the family on those. */
  born: number
}

export interface Family extends Counts {
  pattern: string
  contents: number[]
  examples: readonly string[]
  parameters: ParameterRow | undefined
  /** The size of its row when last measured, in characters of JSON, and the current size of pattern and examples. */
  size: number
  textSize: number
}

/** A folder is stopped for its contents only if they are next to nothing in all. */
export const MAX_FOLDER_KINDS = 3

const MAX_EXAMPLES = 3
export const LONGEST_EXAMPLE = 64
/** All counts, then the size of the row and of its texts. */
const COUNTS = 33
const SIZE = COUNTS
const TEXT_SIZE = COUNTS + 1
const NO_COUNTS: readonly number[] = Array.from({ length: COUNTS + 2 }, () => 0)

export function freshFamily(pattern: string): Family {
  return { ...NOTHING, pattern, contents: [], textSize: pattern.length }
}

/**
 * Column by column, in the order of `Counts`: a loop over the names takes six times as long. All values are 32-bit
 * integers, so that V8 boxes none.
 */
export function openRow(row: FamilyRow): Family {
  const counts = row[1].length === NO_COUNTS.length ? row[1] : withSizes(row)
  return {
    pattern: row[0],
    contents: toSigned(row[2]),
    examples: row[3],
    parameters: row[4],
    size: counts[SIZE] | 0,
    textSize: counts[TEXT_SIZE] | 0,
    answers: counts[0] | 0,
    pages: counts[1] | 0,
    kinds: counts[2] | 0,
    streak: counts[3] | 0,
    same: counts[4] | 0,
    linked: counts[5] | 0,
    templated: counts[6] | 0,
    growing: counts[7] | 0,
    branching: counts[8] | 0,
    fresh: counts[9] | 0,
    random: counts[10] | 0,
    navigation: counts[11] | 0,
    known: counts[12] | 0,
    homeward: counts[13] | 0,
    outward: counts[14] | 0,
    inward: counts[15] | 0,
    lost: counts[16] | 0,
    slow: counts[17] | 0,
    hollow: counts[18] | 0,
    longer: counts[19] | 0,
    longest: counts[20] | 0,
    stepping: counts[21] | 0,
    lowest: counts[22],
    highest: counts[23],
    ahead: counts[24] | 0,
    words1: counts[25] | 0,
    words2: counts[26] | 0,
    words3: counts[27] | 0,
    fewest: counts[28] | 0,
    combined: counts[29] | 0,
    at: counts[30] | 0,
    bred: counts[31] | 0,
    born: counts[32] | 0,
  }
}

/**
 * Numbers may be as large as a date. An object with fractions makes V8 use double fields for all families, for as long
 * as the object is there; otherwise the first date discards the compiled code of every function that reads a family.
 */
const NOTHING = openRow(['', NO_COUNTS.toSpliced(22, 2, 0.5, 0.5), [], []])
NOTHING.lowest = NOTHING.highest = 0

export function closeRow(family: Family): FamilyRow {
  measureFamily(family)
  const { pattern, examples, parameters } = family
  const counts = Array.from(written)
  const contents = toUnsigned(family.contents)
  return parameters === undefined
    ? [pattern, counts, contents, examples]
    : [pattern, counts, contents, examples, parameters]
}

/** The counts of the last measured family. */
const written = new Float64Array(COUNTS + 2)

/** The current size of its row. */
export function measureFamily(family: Family): number {
  const counts = written
  counts[0] = family.answers
  counts[1] = family.pages
  counts[2] = family.kinds
  counts[3] = family.streak
  counts[4] = family.same
  counts[5] = family.linked
  counts[6] = family.templated
  counts[7] = family.growing
  counts[8] = family.branching
  counts[9] = family.fresh
  counts[10] = family.random
  counts[11] = family.navigation
  counts[12] = family.known
  counts[13] = family.homeward
  counts[14] = family.outward
  counts[15] = family.inward
  counts[16] = family.lost
  counts[17] = family.slow
  counts[18] = family.hollow
  counts[19] = family.longer
  counts[20] = family.longest
  counts[21] = family.stepping
  counts[22] = family.lowest
  counts[23] = family.highest
  counts[24] = family.ahead
  counts[25] = family.words1 >>> 0
  counts[26] = family.words2 >>> 0
  counts[27] = family.words3 >>> 0
  counts[28] = family.fewest
  counts[29] = family.combined
  counts[30] = family.at
  counts[31] = family.bred
  counts[32] = family.born
  const size = measure(counts, family.textSize, family.contents, family.parameters)
  counts[SIZE] = size
  counts[TEXT_SIZE] = family.textSize
  return size
}

/** An upper bound in characters of JSON. */
export function sizeOf(row: FamilyRow): number {
  return row[1].length === NO_COUNTS.length ? row[1][SIZE] : withSizes(row)[SIZE]
}

/** For a row of an older memory, or a new one. */
function withSizes([pattern, row, contents, examples, parameters]: FamilyRow): number[] {
  const counts = NO_COUNTS.map((none, at) => (at < COUNTS ? (row[at] ?? none) : none))
  counts[TEXT_SIZE] = examples.reduce((sum, example) => sum + sizeOfExample(example), pattern.length)
  counts[SIZE] = measure(counts, counts[TEXT_SIZE], contents, parameters)
  return counts
}

const sizeOfExample = (example: string) => example.length + 3

/** With a comma each: ten digits for a hash, sixteen for a date as a number. */
function measure(
  counts: ArrayLike<number>,
  textSize: number,
  contents: readonly number[],
  parameters: ParameterRow | undefined,
): number {
  let size = textSize + 20 + 11 * contents.length
  for (let at = 0; at < COUNTS; at++) {
    const count = counts[at]
    size += count < 10 ? 2 : count < 1_000 ? 4 : count < 100_000 ? 6 : 17
  }
  if (parameters !== undefined) {
    for (const name of parameters[0]) size += name.length + 34
    size += 11 * (parameters[4].length + parameters[5].length) + 14
  }
  return size
}

export function isFolder({ pattern }: Family): boolean {
  return pattern.endsWith('/**')
}

/** Numbers without wide gaps: an enumeration, not chance. */
export function isDense({ pattern, pages, lowest, highest }: Family): boolean {
  if (highest % LARGEST_NUMBER === LARGEST_NUMBER - 1) return false
  return pattern.includes('#') && pages >= 8 && highest > 0 && highest - lowest <= 4 * pages + 50
}

/** Larger numbers all look the same (`ordinalOf`). */
export const LARGEST_NUMBER = 100_000

export function withExample(family: Family, path: string): void {
  if (family.examples.length >= MAX_EXAMPLES) return
  const example = shorten(path)
  if (family.examples.includes(example)) return
  family.examples = [...family.examples, example]
  family.textSize += sizeOfExample(example)
}

export function shorten(path: string): string {
  const clean = path.replace(/[^\x21-\x7e]|["\\]/g, '_')
  return clean.length <= LONGEST_EXAMPLE ? clean : clean.slice(0, LONGEST_EXAMPLE - 1) + '…'
}
