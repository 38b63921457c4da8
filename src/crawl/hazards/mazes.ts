/**
 * Machine-made mazes: every page is new, nearly all its links are fresh and lead to more of the same, and no link
 * closes the graph. An honest site has navigation and links between its pages. How many pages it takes to be sure
 * depends on the other evidence.
 */

import { type Family, isDense } from './family.ts'
import { hasRest, type PageContext, type PatternFinding, patience, restOf } from './finding.ts'

/** Pages needed when none leads anywhere else, not even home: by random names, scattered numbers, or words. */
const PAGES_WITHOUT_WAY_OUT = { random: 12, numbers: 16, words: 40 }
/** With a link home, or with the site's navigation: fewer pages, and the least size that their links imply. */
const MIN_PAGES = 16
const SIZE_WITH_HOME_LINK = { random: 5_000, words: 25_000 }
const SIZE_WITH_NAVIGATION = { random: 15_000, words: 50_000 }
/** Recent maze-like pages among honest ones of the same form: their links are not followed, the form goes on. */
const MIN_LOST_PAGES = { random: 24, words: 40 }
/** The share of links, navigation aside, that may lead to known pages. */
const MAX_KNOWN_SHARE = 0.02

/** The widest of the page's families that is a maze throughout. */
export function judgeMaze(context: PageContext): PatternFinding | undefined {
  const { form, folders } = context
  // Numbers without gaps are an enumeration, which ends.
  if (isDense(form)) return undefined
  let maze = isMaze(form, context) && isBranching(context.partner) ? form : undefined
  for (const folder of folders) {
    if (!isMaze(folder, context)) continue
    // Prefer the folder only if the maze has pages of other forms in it.
    if (maze === undefined || folder.fresh > maze.fresh * 1.1) maze = folder
  }
  if (maze === undefined) return undefined
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
  const { pages, branching, fresh, known, navigation, linkingOut, inwardOnly } = family
  if (branching < pages * 0.9 || inwardOnly < pages * 0.8 || linkingOut > pages * 0.1) return false
  if (known > (known + fresh) * MAX_KNOWN_SHARE) return false
  const names = hasRandomLinks(family) ? 'random' : 'words'
  const hasNavigation = navigation >= pages
  if (!hasNavigation && family.linkingHome * 2 < pages) {
    const isScattered = family.highest > 0 && family.pattern.endsWith('#')
    const budget = PAGES_WITHOUT_WAY_OUT[names === 'words' && isScattered ? 'numbers' : names]
    return pages >= patience(budget, family, context) && restLinksBack(restOf(family, context), context)
  }
  const size = (hasNavigation ? SIZE_WITH_NAVIGATION : SIZE_WITH_HOME_LINK)[names]
  return pages >= patience(MIN_PAGES, family, context) && minSize(fresh, known) > size
}

function hasRandomLinks({ random, fresh }: Family): boolean {
  return random > fresh * 0.6
}

/** Half of the pages elsewhere must link back. Where none does, missing links back prove nothing. */
function restLinksBack(rest: number, { closing }: PageContext): boolean {
  return closing >= rest / 2
}

/** The same for pages of any form that lead in turn from one family into the next. */
const MIN_LOST_PAGES_OF_A_SITE = 60

export function isSiteLost(lost: number, context: PageContext): boolean {
  return (
    lost >= MIN_LOST_PAGES_OF_A_SITE && hasRest(context.novel, lost) && restLinksBack(context.novel - lost, context)
  )
}

/** Honest pages share the form with the maze: the form goes on, links of pages that lead nowhere else don't. */
export function isFormLost(form: Family, context: PageContext): boolean {
  if (form.lost < MIN_LOST_PAGES[hasRandomLinks(form) ? 'random' : 'words'] || isDense(form)) return false
  return hasRest(context.novel, form.lost) && restLinksBack(context.novel - form.lost, context)
}

/**
 * The least number of pages, by capture and recapture: `fresh` links found new pages, `known` links found pages seen
 * before. Three is added for chance (95 % confidence).
 */
export function minSize(fresh: number, known: number): number {
  return (fresh * fresh) / (2 * (known + 3))
}
