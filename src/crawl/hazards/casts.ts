/**
 * Every trade in every town: one page with other names in it, as often as a machine likes. Pages of one cast have the same tags
 * and the same number of words, of which most are the same; what is counted is how many of them there must be.
 */
import { CONTENT_COLUMNS, type Content, isCast, writeColumns } from './content.ts'
import { minSize } from './count-page.ts'
import type { Family } from './family.ts'
import { type PatternFinding, patience, restOf, type Sight } from './finding.ts'
import type { LinkCensus } from './link-census.ts'

/** A page's columns, then: how it fares among the others, pages, fresh links on them, links to known pages. */
const WIDTH = CONTENT_COLUMNS + 4
const [SCORE, PAGES, FRESH, KNOWN] = [0, 1, 2, 3].map((at) => CONTENT_COLUMNS + at)
const BAG = 5
const MAX = 3

/** So many pages, from which so many more must be reached, by the links that were known already. */
const PAGES_OF_ONE = 20
const MORE_OF_THEM = 3_000
/** Of them, in a family that has hardly any others. */
const IN_A_FAMILY = 2
const COMMON = 3
const REST_OF_A_SITE = 3

export interface Cast {
  /** Another page was of its cast. */
  isOne: boolean
  /** Several pages have its tags and its number of words: such pages do not vouch for one another. */
  isCommon: boolean
  pages: number
  fresh: number
  known: number
}

/** The most frequent ones are kept: a page of none of them counts against each. */
export function countCast(casts: number[], content: Content, { fresh, known }: LinkCensus): Cast {
  const isCommon = hasCommon(casts, content)
  for (let at = 0; at < casts.length; at += WIDTH) {
    if (!isCast(content, casts, at)) continue
    casts[at + SCORE] = Math.min(casts[at + SCORE] + 1, 99)
    const pages = (casts[at + PAGES] = Math.min(casts[at + PAGES] + 1, 99_999))
    casts[at + FRESH] += fresh
    casts[at + KNOWN] += known
    return { isOne: true, isCommon, pages, fresh: casts[at + FRESH], known: casts[at + KNOWN] }
  }
  if (casts.length < MAX * WIDTH) addCast(casts, content, fresh, known)
  else countAgainst(casts)
  return { isOne: false, isCommon, pages: 0, fresh: 0, known: 0 }
}

function addCast(casts: number[], content: Content, fresh: number, known: number): void {
  const at = casts.length
  writeColumns(casts, at, content)
  casts[at + SCORE] = 1
  casts[at + PAGES] = 1
  casts[at + FRESH] = fresh
  casts[at + KNOWN] = known
}

function countAgainst(casts: number[]): void {
  let end = 0
  for (let at = 0; at < casts.length; at += WIDTH) {
    if (casts[at + SCORE] <= 1) continue
    if (end < at) for (let column = 0; column < WIDTH; column++) casts[end + column] = casts[at + column]
    casts[end + SCORE]--
    end += WIDTH
  }
  casts.length = end
}

function hasCommon(casts: readonly number[], { bag }: Content): boolean {
  for (let at = 0; at < casts.length; at += WIDTH) {
    if (casts[at + BAG] === bag && casts[at + PAGES] >= COMMON) return true
  }
  return false
}

/** There must be so many more of them that who lists one makes no difference. */
export function isEndless({ pages, fresh, known }: Cast): boolean {
  return pages >= PAGES_OF_ONE && minSize(fresh, known) >= MORE_OF_THEM
}

export function judgeCast(family: Family, { pages, fresh, known }: Cast, sight: Sight): PatternFinding | undefined {
  if (pages < patience(PAGES_OF_ONE, family, sight) || minSize(fresh, known) < MORE_OF_THEM) return undefined
  const { pattern, examples, cast } = family
  if (cast < IN_A_FAMILY || cast * 5 < family.pages * 3) return undefined
  // Lists of things are of one cast, too, and lead to the things: as long as the site shows ever more besides, they are read.
  if (pages * REST_OF_A_SITE < restOf(family, sight)) return undefined
  const evidence = `${pages} pages have the same words but for a few, and ${fresh} fresh links, ${known} to known pages`
  return { rule: 'one-cast', proof: 'growth', pattern, evidence, examples }
}
