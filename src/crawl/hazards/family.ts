/** A family: the URLs of one pattern and what fetching them showed, stored as a row of the site's memory. */
import type { FamilyRow, ParameterRow } from '../../contracts/trap-memory.ts'
import { toSigned, toUnsigned } from './marks.ts'

export class Family {
  readonly pattern: string
  contents: number[] = []
  examples: readonly string[] = []
  parameters: ParameterRow | undefined = undefined

  // The counts, which are the columns of a row in this order. 32-bit integers, so that V8 boxes none.
  /** Answers of any kind. */
  answers = 0
  /** Answers with content. */
  pages = 0
  /** Different contents among them. */
  kinds = 0
  /** Pages since the last one that was new. */
  streak = 0
  /** Pages in a row with exactly the text and pictures of an earlier one. */
  same = 0
  /** Pages since the last new one with one long text and links to known pages: neither an error page nor a trap. */
  linked = 0
  /** Pages that share a template with others of the site. */
  templated = 0
  /** Pages with a fresh link into the family, and with several. */
  growing = 0
  branching = 0
  /** Fresh links into the family on its own pages; of them, those with random names. */
  fresh = 0
  random = 0
  /** Links to known pages: those that the page before had too (navigation), and others. */
  navigation = 0
  known = 0
  /** Pages with a link home, and with links to other sites. */
  homeward = 0
  outward = 0
  /** Pages whose only fresh links lead into the family. */
  inward = 0
  /** Recent maze-like pages; each other page counts against two. */
  lost = 0
  /** Slow answers. */
  slow = 0
  /** Pages like the answer to a name that cannot exist, listed or not. */
  hollow = 0
  /** Pages whose fresh links into the family are all longer than their own URL; the longest URL. */
  longer = 0
  longest = 0
  /** Pages whose number was above or below all earlier ones, and the range; for patterns with numbers. */
  stepping = 0
  lowest = 0
  highest = 0
  /** Pages with a date that lies years ahead. */
  ahead = 0
  /** Forms only: words in its URLs, as bits; the fewest per URL; recent pages with only known words. */
  words1 = 0
  words2 = 0
  words3 = 0
  fewest = 0
  combined = 0
  /** When a page of it was last answered, counted in answers of the site. */
  at = 0
  /** Pages since the last new one that lead to fresh pages of the family. */
  bred = 0
  /** Fresh links into the family on those. */
  born = 0

  constructor(pattern: string) {
    this.pattern = pattern
  }
}

type CountName = { [Field in keyof Family]: Family[Field] extends number ? Field : never }[keyof Family]
const sample = new Family('')
const COUNTS = (Object.keys(sample) as CountName[]).filter((name) => typeof sample[name] === 'number')
// Numbers in URLs may be as large as a date: this makes V8 use double fields for them from the start.
sample.lowest = sample.highest = 0.5

/** A folder is stopped for its contents only if they are next to nothing in all. */
export const MAX_FOLDER_KINDS = 3

const MAX_EXAMPLES = 3
export const LONGEST_EXAMPLE = 64
/** Rows of older memories have fewer columns, or more. */
export function openRow([pattern, counts, contents, examples, parameters]: FamilyRow): Family {
  const family = new Family(pattern)
  COUNTS.forEach((name, at) => {
    const count = counts[at] ?? 0
    // Bits are stored unsigned.
    family[name] = name.startsWith('words') ? count | 0 : count
  })
  family.contents = toSigned(contents)
  family.examples = examples
  family.parameters = parameters
  return family
}

export function closeRow(family: Family): FamilyRow {
  const { pattern, examples, parameters } = family
  const counts = COUNTS.map((name) => (family[name] < 0 ? family[name] >>> 0 : family[name]))
  const contents = toUnsigned(family.contents)
  return parameters === undefined
    ? [pattern, counts, contents, examples]
    : [pattern, counts, contents, examples, parameters]
}

/** Characters that the counts of a row take: few have more than three digits. */
const COUNTS_SIZE = 150

/** What its row takes, in characters of JSON. */
export function sizeOf({ pattern, contents, examples, parameters }: Family): number {
  // With a comma each: ten digits for a hash.
  let size = COUNTS_SIZE + pattern.length + 11 * contents.length
  for (const example of examples) size += example.length + 3
  if (parameters === undefined) return size
  for (const name of parameters[0]) size += name.length + 16
  return size + 11 * (parameters[4].length + parameters[5].length)
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
}

export function shorten(path: string): string {
  const clean = path.replace(/[^\x21-\x7e]|["\\]/g, '_')
  return clean.length <= LONGEST_EXAMPLE ? clean : clean.slice(0, LONGEST_EXAMPLE - 1) + '…'
}
