/**
 * One page filled in again and again with other names (every trade in every town). Such pages have the same tags and
 * the same number of words, most of them equal. The links tell how many there must be.
 */
import { CONTENT_COLUMNS, type Content, isSameTemplate, writeColumns } from './content.ts'
import type { Family } from './family.ts'
import { type PageContext, type PatternFinding, patience, restOf } from './finding.ts'
import type { LinkCensus } from './link-census.ts'
import { minSize } from './mazes.ts'

/** Columns of a page, then: its score among the others, pages, their fresh links, their links to known pages. */
const WIDTH = CONTENT_COLUMNS + 4
const [SCORE, PAGES, FRESH, KNOWN] = [0, 1, 2, 3].map((at) => CONTENT_COLUMNS + at)
const MAX = 3

/** Pages of one template, and the least number that their links must imply. */
const MIN_PAGES_OF_TEMPLATE = 20
const MIN_IMPLIED_PAGES = 3_000
/** Pages of the template in a family that has hardly any others. */
const MIN_IN_FAMILY = 2
const MAX_REST_RATIO = 3

export interface TemplateCount {
  /** Another page had this template. */
  isOne: boolean
  pages: number
  fresh: number
  known: number
}

/** Keeps the most frequent templates: a page of another template counts against each. */
export function countTemplate(templates: number[], content: Content, { fresh, known }: LinkCensus): TemplateCount {
  for (let at = 0; at < templates.length; at += WIDTH) {
    if (!isSameTemplate(content, templates, at)) continue
    templates[at + SCORE] = Math.min(templates[at + SCORE] + 1, 99)
    const pages = (templates[at + PAGES] = Math.min(templates[at + PAGES] + 1, 99_999))
    templates[at + FRESH] += fresh
    templates[at + KNOWN] += known
    return { isOne: true, pages, fresh: templates[at + FRESH], known: templates[at + KNOWN] }
  }
  if (templates.length < MAX * WIDTH) addTemplate(templates, content, fresh, known)
  else countAgainst(templates)
  return { isOne: false, pages: 0, fresh: 0, known: 0 }
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
