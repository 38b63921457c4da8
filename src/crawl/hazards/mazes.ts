/**
 * Machine-made mazes: every page is new, nearly all its links are fresh and lead to more of the same, and no link
 * closes the graph. An honest site has navigation and links between its pages. How many pages it takes to be sure
 * depends on the other evidence.
 */

import { CONTENT_COLUMNS, type Content, isSameTemplate, writeColumns } from './content.ts'
import { type Family, isDense } from './family.ts'
import { hasRest, type PageContext, type PatternFinding, patience, restOf } from './finding.ts'
import type { LinkCensus } from './link-census.ts'

/** Pages needed when none leads anywhere else, not even home: by random names, scattered numbers, or words. */
const BARE = { random: 12, numbers: 16, words: 40 }
/** Otherwise: the least size of the family, by capture and recapture. */
const MIN_PAGES = 16
const SIZE = { random: 15_000, words: 50_000 }
/** A tree has no cross links, however small it is. */
const DRESSED_TREE = 1_000
/** Recent maze-like pages among honest ones of the same form: their links are not followed, the form goes on. */
const MIN_LOST_PAGES = { random: 24, words: 40 }
/** The share of links, navigation aside, that may lead to known pages. */
const CLOSES_AT = 0.02

/** The widest of the page's families that is a maze throughout. */
export function judgeMaze(context: PageContext): PatternFinding | undefined {
  const { form, folders } = context
  let maze = isMaze(form, context) && isBranching(context.partner) ? form : undefined
  for (const folder of folders) {
    if (!isMaze(folder, context)) continue
    // Prefer the folder only if the maze has pages of other forms in it.
    if (maze === undefined || folder.fresh > maze.fresh * 1.1) maze = folder
  }
  // Numbers without gaps are an enumeration, which ends.
  if (maze === undefined || isDense(form)) return undefined
  const { pattern, pages, fresh, known, examples } = maze
  const evidence = `${pages} pages have ${fresh} fresh links to more of their kind and ${known} to pages known before`
  return { rule: 'maze', proof: 'growth', pattern, evidence, examples }
}

/**
 * Of two families that link to each other, both must branch: tags lead to articles, but few articles lead to ever more
 * tags.
 */
function isBranching(partner: Family | undefined): boolean {
  return partner === undefined || (partner.pages > 0 && partner.branching >= partner.pages * 0.9)
}

function isMaze(family: Family, context: PageContext): boolean {
  const { pages, branching, fresh, known, navigation, outward, inward } = family
  if (branching < pages * 0.9 || inward < pages * 0.8 || outward > pages * 0.1) return false
  if (known > (known + fresh) * CLOSES_AT) return false
  const dice = hasRandomLinks(family)
  const bare = navigation < pages
  if (bare && family.homeward * 2 < pages) {
    const scattered = family.highest > 0 && family.pattern.endsWith('#')
    const budget = BARE[dice ? 'random' : scattered ? 'numbers' : 'words']
    return pages >= patience(budget, family, context) && restCloses(restOf(family, context), context)
  }
  if (!bare && family.longer > family.growing * 0.7) return pages >= patience(DRESSED_TREE, family, context)
  const size = SIZE[dice ? 'random' : 'words']
  return pages >= patience(MIN_PAGES, family, context) && minSize(fresh, known) > size
}

function hasRandomLinks({ random, fresh }: Family): boolean {
  return random > fresh * 0.6
}

/** Half of the pages elsewhere must link back. Where none does, missing links back prove nothing. */
function restCloses(rest: number, { closing }: PageContext): boolean {
  return closing >= rest / 2
}

/** The same for pages of any form that lead in turn from one family into the next. */
const BARE_FOR_GOOD = 60

export function isSiteLost(bare: number, context: PageContext): boolean {
  return bare >= BARE_FOR_GOOD && hasRest(context.novel, bare) && restCloses(context.novel - bare, context)
}

/** Honest pages share the form with the maze: the form goes on, links of pages that lead nowhere else don't. */
export function isFormLost(form: Family, context: PageContext): boolean {
  if (form.lost < MIN_LOST_PAGES[hasRandomLinks(form) ? 'random' : 'words'] || isDense(form)) return false
  return hasRest(context.novel, form.lost) && restCloses(context.novel - form.lost, context)
}

/**
 * The least number of pages, by capture and recapture: `fresh` links found new pages, `known` links found pages seen
 * before. Three is added for chance (95 % confidence).
 */
export function minSize(fresh: number, known: number): number {
  return (fresh * fresh) / (2 * (known + 3))
}

/**
 * One page filled in again and again with other names (every trade in every town). Such pages have the same tags and
 * the same number of words, most of them equal. The links tell how many there must be.
 */

/** Columns of a page, then: its score among the others, pages, their fresh links, their links to known pages. */
const WIDTH = CONTENT_COLUMNS + 4
const [SCORE, PAGES, FRESH, KNOWN] = [0, 1, 2, 3].map((at) => CONTENT_COLUMNS + at)
const BAG = 5
const MAX = 3

/** Pages of one template, and the least number that their links must imply. */
const MIN_PAGES_OF_TEMPLATE = 20
const MIN_IMPLIED_PAGES = 3_000
/** Pages of the template in a family that has hardly any others. */
const MIN_IN_FAMILY = 2
const COMMON = 3
const MAX_REST_RATIO = 3

export interface TemplateCount {
  /** Another page had this template. */
  isOne: boolean
  /** Several pages have its tags and number of words; such pages don't endorse one another. */
  isCommon: boolean
  pages: number
  fresh: number
  known: number
}

/** Keeps the most frequent templates: a page of another template counts against each. */
export function countTemplate(
  templates: number[],
  content: Content,
  { fresh, known }: LinkCensus,
  weight: number,
): TemplateCount {
  const isCommon = hasCommon(templates, content)
  for (let at = 0; at < templates.length; at += WIDTH) {
    if (!isSameTemplate(content, templates, at)) continue
    templates[at + SCORE] = Math.min(templates[at + SCORE] + 1, 99)
    const pages = (templates[at + PAGES] = Math.min(templates[at + PAGES] + weight, 99_999))
    templates[at + FRESH] += fresh
    templates[at + KNOWN] += weight * known
    return { isOne: true, isCommon, pages, fresh: templates[at + FRESH], known: templates[at + KNOWN] }
  }
  if (templates.length < MAX * WIDTH) addTemplate(templates, content, fresh, known)
  else countAgainst(templates)
  return { isOne: false, isCommon, pages: 0, fresh: 0, known: 0 }
}

function addTemplate(templates: number[], content: Content, fresh: number, known: number): void {
  const at = templates.length
  writeColumns(templates, at, content)
  templates[at + SCORE] = 1
  templates[at + PAGES] = 1
  templates[at + FRESH] = fresh
  templates[at + KNOWN] = known
}

function countAgainst(templates: number[]): void {
  let end = 0
  for (let at = 0; at < templates.length; at += WIDTH) {
    if (templates[at + SCORE] <= 1) continue
    if (end < at) for (let column = 0; column < WIDTH; column++) templates[end + column] = templates[at + column]
    templates[end + SCORE]--
    end += WIDTH
  }
  templates.length = end
}

function hasCommon(templates: readonly number[], { bag }: Content): boolean {
  for (let at = 0; at < templates.length; at += WIDTH) {
    if (templates[at + BAG] === bag && templates[at + PAGES] >= COMMON) return true
  }
  return false
}

/** There are so many that it makes no difference which page lists one. */
export function isEndless({ pages, fresh, known }: TemplateCount): boolean {
  return pages >= MIN_PAGES_OF_TEMPLATE && minSize(fresh, known) >= MIN_IMPLIED_PAGES
}

export function judgeTemplate(
  family: Family,
  { pages, fresh, known }: TemplateCount,
  context: PageContext,
): PatternFinding | undefined {
  if (pages < patience(MIN_PAGES_OF_TEMPLATE, family, context) || minSize(fresh, known) < MIN_IMPLIED_PAGES)
    return undefined
  const { pattern, examples, templated } = family
  if (templated < MIN_IN_FAMILY || templated * 5 < family.pages * 3) return undefined
  // Lists share a template, too, and lead to real pages: they are read while the site shows enough else.
  if (pages * MAX_REST_RATIO < restOf(family, context)) return undefined
  const evidence = `${pages} pages have the same words but for a few, and ${fresh} fresh links, ${known} to known pages`
  return { rule: 'one-cast', proof: 'growth', pattern, evidence, examples }
}
