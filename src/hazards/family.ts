/**
 * A family: the URLs of one pattern, and what asking for them brought so far. Rows of the site's memory are opened, changed
 * and closed again; a row that was closed is never written, so that an older memory stays as it was.
 */

import type { FamilyRow, ParameterRow, TrapMemory } from '../visit/trap-memory.ts'
import { mark } from './content.ts'

/** The counts of a row, in this order. */
const COUNTS = [
  /** Answers of any kind. */
  'answers',
  /** Of them, those with content. */
  'pages',
  /** Different contents among them. */
  'kinds',
  /** Pages since the last one that was new. */
  'streak',
  /** Pages in a row whose text and pictures were, letter by letter, there before. */
  'same',
  /** Pages since the last new one that have one long text and link to pages known before: no error says so much, no trap closes. */
  'linked',
  /** Pages of one cast with others of the site: the same tags, the same number of words, most of them the same. */
  'cast',
  /** Pages with a fresh link into the family, and with several. */
  'growing',
  'branching',
  /** Fresh links into the family on its own pages; of them, those that look like throws of dice. */
  'fresh',
  'random',
  /** Links to known pages: those that the page before had too (navigation), and others. */
  'navigation',
  'known',
  /** Pages with a link home, and with links to other sites. */
  'homeward',
  'outward',
  /** Pages whose only fresh links lead into the family. */
  'inward',
  /** Pages of late that may be those of a maze; each of another kind counts against two. */
  'lost',
  /** Fresh links into the family on pages of others that were new themselves. */
  'vouched',
  /** Slow answers. */
  'slow',
  /** Pages like the answer to a name that cannot exist, or like one that too many URLs gave. */
  'hollow',
  /** Pages all of whose fresh links into the family are longer than their own URL; the longest URL. */
  'longer',
  'longest',
  /** Pages whose number was above or below all before. */
  'stepping',
  'lowest',
  'highest',
  /** Pages with a date that lies years ahead. */
  'ahead',
  /** Words in its URLs, as bits; how many the shortest has; pages of late with nothing but known ones. */
  'words1',
  'words2',
  'words3',
  'fewest',
  'combined',
  /** When a page of it was last answered, in answers of the site. */
  'at',
] as const

export type Counts = { [name in (typeof COUNTS)[number]]: number }

export interface Family extends Counts {
  pattern: string
  contents: number[]
  examples: string[]
  parameters: ParameterRow | undefined
}

const MOST_EXAMPLES = 3
export const LONGEST_EXAMPLE = 64
/** All that the rows of a site and its stopped patterns may take, in characters of JSON. */
const ROOM = 12_000
const ROOM_OF_A_STOP = 600

export function freshFamily(pattern: string): Family {
  return openRow([pattern, [], [], []])
}

const BLANK = Object.fromEntries(COUNTS.map((name) => [name, 0])) as Counts

export function openRow([pattern, counts, contents, examples, parameters]: FamilyRow): Family {
  const family: Family = { ...BLANK, pattern, contents, examples, parameters }
  const known = Math.min(counts.length, COUNTS.length)
  for (let at = 0; at < known; at++) if (counts[at] !== 0) family[COUNTS[at]] = counts[at]
  return family
}

export function closeRow(family: Family): FamilyRow {
  const counts = COUNTS.map((name) => family[name])
  const { pattern, contents, examples, parameters } = family
  return parameters === undefined
    ? [pattern, counts, contents, examples]
    : [pattern, counts, contents, examples, parameters]
}

export function isFolder({ pattern }: Family): boolean {
  return pattern.endsWith('/**')
}

/** Numbers without wide gaps: pages that are counted through, not drawn by chance. */
export function isDense({ pattern, pages, lowest, highest }: Family): boolean {
  return pattern.includes('#') && pages >= 8 && highest > 0 && highest - lowest <= 4 * pages + 50
}

export function withExample(family: Family, path: string): void {
  if (family.examples.length >= MOST_EXAMPLES) return
  const example = shorten(path)
  if (!family.examples.includes(example)) family.examples = [...family.examples, example]
}

export function shorten(path: string): string {
  const clean = path.replace(/[^\x21-\x7e]|["\\]/g, '_')
  return clean.length <= LONGEST_EXAMPLE ? clean : clean.slice(0, LONGEST_EXAMPLE - 1) + '…'
}

/** The rows of a site while one page is judged. */
export interface OpenFamilies {
  /** The family of a pattern, begun when it is not known. */
  of(pattern: string): Family
  close(): Pick<TrapMemory, 'families' | 'forgotten'>
}

/** Patterns that showed many contents and made room: begun again, they are not judged as if they had shown none. */
const MOST_FORGOTTEN = 40
const MANY_KINDS = 4

export function openFamilies(traps: TrapMemory, now: number): OpenFamilies {
  const { families: rows = [], forgotten = [], stopped } = traps
  const open = new Map<string, { family: Family; at: number }>()
  return {
    of(pattern) {
      const known = open.get(pattern)
      if (known !== undefined) return known.family
      const at = rows.findIndex((row) => row[0] === pattern)
      const family = at < 0 ? freshFamily(pattern) : openRow(rows[at])
      if (at < 0 && forgotten.includes(mark(pattern))) family.kinds = MANY_KINDS
      open.set(pattern, { family, at })
      return family
    },
    close() {
      const closed = [...rows]
      for (const { family, at } of open.values()) {
        if (at < 0) closed.push(closeRow(family))
        else closed[at] = closeRow(family)
      }
      const { kept, gone } = makeRoom(closed, now, ROOM - ROOM_OF_A_STOP * (stopped.length + 1))
      if (gone.length === 0) return { families: kept }
      const others = forgotten.filter((one) => !gone.includes(one))
      return { families: kept, forgotten: [...others, ...gone].slice(-MOST_FORGOTTEN) }
    },
  }
}

/** The families that say least make room: nothing suspicious, not seen for long. */
function makeRoom(rows: FamilyRow[], now: number, room: number): { kept: FamilyRow[]; gone: number[] } {
  let size = 0
  for (const row of rows) size += sizeOf(row)
  const gone: number[] = []
  while (size > room && rows.length > 1) {
    let coldest = 0
    let least = Number.POSITIVE_INFINITY
    for (let at = 0; at < rows.length; at++) {
      const worth = worthOf(rows[at], now)
      if (worth < least) {
        least = worth
        coldest = at
      }
    }
    const [pattern, counts] = rows[coldest]
    if (counts[KINDS] >= MANY_KINDS) gone.push(mark(pattern))
    size -= sizeOf(rows[coldest])
    rows = rows.filter((_, at) => at !== coldest)
  }
  return { kept: rows, gone }
}

const [KINDS, STREAK, SAME, LOST, VOUCHED, SLOW, HOLLOW, AT] = (
  ['kinds', 'streak', 'same', 'lost', 'vouched', 'slow', 'hollow', 'at'] as const
).map((name) => COUNTS.indexOf(name))

/** In pages that the site may answer before it is forgotten. A folder of many contents is what keeps it from being stopped. */
function worthOf([pattern, counts, , , parameters]: FamilyRow, now: number): number {
  const evidence = counts[STREAK] + counts[SAME] + counts[LOST] + 2 * counts[SLOW] + 2 * counts[HOLLOW]
  const folder = counts[KINDS] >= MANY_KINDS && pattern.endsWith('/**') ? 100 : 0
  // So is what is known of parameters that come in several ways.
  const place = parameters !== undefined && parameters[4].length > 2 ? 100 : 0
  return 4 * Math.min(evidence, 30) + Math.min(counts[VOUCHED], 40) + folder + place - (now - counts[AT])
}

/** Rows are never written to: what one takes is worked out once. */
const sizes = new WeakMap<FamilyRow, number>()

function sizeOf(row: FamilyRow): number {
  let size = sizes.get(row)
  if (size === undefined) {
    size = measure(row)
    sizes.set(row, size)
  }
  return size
}

/** At most so many characters of JSON, a comma with each: ten digits where it is a hash, sixteen where it is a date as a number. */
function measure([pattern, counts, contents, examples, parameters]: FamilyRow): number {
  let size = pattern.length + 20 + 11 * contents.length
  for (const count of counts) size += count < 10 ? 2 : count < 1_000 ? 4 : count < 100_000 ? 6 : 17
  for (const example of examples) size += example.length + 3
  if (parameters !== undefined) {
    for (const name of parameters[0]) size += name.length + 16
    size += 11 * (parameters[4].length + parameters[5].length) + 14
  }
  return size
}
